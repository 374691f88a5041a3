// Reading the served absence of a ruled-out result.
#include "agentfootprint/findings/unsettled.hpp"

#include <algorithm>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/semantics/absence.hpp"

namespace agentfootprint::findings {
namespace {

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

std::optional<std::string> said(const json::Value& object, std::string_view key) {
  const json::Value* found = object.find(key);
  if (found == nullptr) return std::nullopt;
  const auto text = found->as_string();
  if (!text || is_blank(*text)) return std::nullopt;
  return std::string(*text);
}

// Adds the items of a list that say something, each pair of texts once.
void add_items(std::vector<UnsettledItem>& items, const json::Value* list) {
  if (list == nullptr) return;
  for (const json::Value& one : list->elements()) {
    auto what = said(one, "what");
    if (!what) continue;
    UnsettledItem item{std::move(*what), said(one, "why")};
    const bool there = std::any_of(items.begin(), items.end(), [&](const UnsettledItem& other) {
      return other.what == item.what && other.why == item.why;
    });
    if (!there) items.push_back(std::move(item));
  }
}

}  // namespace

std::optional<UnsettledRow> unsettled_row_for(const KnownResult& result, std::uint32_t iteration) {
  const auto text = result.content.as_string();
  if (!result.absent || !text || text->empty() || text->front() != '{') return std::nullopt;
  const json::LeadingValues leading = json::parse_leading(*text);
  if (leading.values.empty()) return std::nullopt;
  const json::Value& served = leading.values.front();
  const bool ledger = semantics::is_coverage_ledger(served);
  const json::Value& absence = ledger ? served.at("result") : served;
  if (!semantics::is_absence(absence)) return std::nullopt;

  UnsettledRow row;
  row.result = result.result;
  row.iteration = iteration;
  if (ledger) {
    const json::Value& limits = served.at("af_coverage");
    add_items(row.not_checked, limits.find("not_checked"));
    add_items(row.cannot_cover, limits.find("cannot_cover"));
  }
  add_items(row.not_checked, absence.find("not_checked"));
  add_items(row.cannot_cover, absence.find("cannot_cover"));
  row.try_instead = said(absence, "try_instead");
  return row;
}

}  // namespace agentfootprint::findings
