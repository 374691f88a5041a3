// Folding declared coverage into the block behind an answer.
#include "agentfootprint/semantics/limits_travel.hpp"

#include <fmt/format.h>

#include <set>
#include <tuple>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics {
namespace {

constexpr std::size_t kMaxEntries = 12;

struct ToolPeriod {
  std::string tool;
  DeclaredPeriod period;
};

// Every declaration once, in order.
struct Fold {
  DeclaredCoverage coverage;
  std::vector<ToolPeriod> periods;
  std::vector<InProgressItem> in_progress;

  [[nodiscard]] bool empty() const {
    return coverage.empty() && periods.empty() && in_progress.empty();
  }
};

using Ground = std::pair<std::string, std::string>;

template <class Item>
void merge(std::vector<Item>& into, const std::vector<Item>& items, std::set<Ground>& seen) {
  for (const Item& item : items) {
    if (seen.emplace(item.what, item.why.value_or("")).second) into.push_back(item);
  }
}

Fold fold(const std::vector<CoverageDeclared>& declared) {
  Fold all;
  std::set<Ground> checked;
  std::set<Ground> not_checked;
  std::set<Ground> cannot_cover;
  std::set<Ground> in_progress;
  std::set<std::string> lines;
  for (const CoverageDeclared& row : declared) {
    merge(all.coverage.checked, row.coverage.checked, checked);
    merge(all.coverage.not_checked, row.coverage.not_checked, not_checked);
    merge(all.coverage.cannot_cover, row.coverage.cannot_cover, cannot_cover);
    merge(all.in_progress, row.in_progress, in_progress);
    if (row.period && lines.insert(period_line(row.tool_name, *row.period)).second) {
      all.periods.push_back(ToolPeriod{row.tool_name, *row.period});
    }
  }
  return all;
}

// One record cannot fake another's line: control characters are written visibly.
std::string line_of(std::string_view what, const std::optional<std::string>& why) {
  std::string line = utf8::printable(what);
  if (why) line += " — " + utf8::printable(*why);
  return line;
}

void section(std::string& out, std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  out += fmt::format("\n\n{}", title);
  for (std::size_t i = 0; i < lines.size() && i < kMaxEntries; ++i) {
    out += fmt::format("\n- {}", lines[i]);
  }
  if (lines.size() > kMaxEntries) {
    out += fmt::format("\n- … and {} more (in the run record)", lines.size() - kMaxEntries);
  }
}

std::vector<std::string> lines_of(const std::vector<DeclaredItem>& items) {
  std::vector<std::string> lines;
  for (const DeclaredItem& item : items) lines.push_back(line_of(item.what, item.why));
  return lines;
}

std::string block(const Fold& all) {
  std::string text =
      fmt::format("{} (declared by its tools, not by the model)", kCoverageBlockHeading);
  section(text, "Checked:", lines_of(all.coverage.checked));
  section(text, "Not checked:", lines_of(all.coverage.not_checked));
  section(text, "Cannot cover:", lines_of(all.coverage.cannot_cover));
  std::vector<std::string> lines;
  for (const ToolPeriod& one : all.periods) {
    lines.push_back(utf8::printable(period_line(one.tool, one.period)));
  }
  section(text, "Period:", lines);
  lines.clear();
  for (const InProgressItem& item : all.in_progress) {
    const std::string count = item.count ? fmt::format(" ({})", *item.count) : "";
    lines.push_back(line_of(item.what + count, item.why));
  }
  section(text, "In progress (outcome not known yet):", lines);
  return text;
}

// Record-only keys do not travel.
template <class Item>
json::Value travelling(const std::vector<Item>& items) {
  json::ArrayBuilder list;
  for (Item item : items) {
    item.short_text.reset();
    if constexpr (requires { item.kind; }) item.kind.reset();
    list.add(to_json(item));
  }
  return list.build();
}

}  // namespace

std::string with_limits(std::string_view answer, const std::vector<CoverageDeclared>& declared) {
  const Fold all = fold(declared);
  if (all.empty()) return std::string(answer);
  const std::string_view core = trimmed(answer);
  answer =
      core.empty()
          ? core
          : answer.substr(0, static_cast<std::size_t>(core.data() - answer.data()) + core.size());
  if (answer.empty()) return block(all);
  return fmt::format("{}\n\n---\n\n{}", answer, block(all));
}

json::Value answer_coverage(const std::vector<CoverageDeclared>& declared) {
  const Fold all = fold(declared);
  json::ObjectBuilder object;
  object.add("checked", travelling(all.coverage.checked));
  object.add("notChecked", travelling(all.coverage.not_checked));
  object.add("cannotCover", travelling(all.coverage.cannot_cover));
  if (!all.periods.empty()) {
    json::ArrayBuilder periods;
    for (const ToolPeriod& one : all.periods) {
      json::ObjectBuilder period;
      period.add("toolName", one.tool);
      const json::Value wire = to_json(one.period);
      for (const json::Member& part : wire.members()) {
        period.add(part.key() == "read_at" ? "readAt" : part.key(), part.value);
      }
      periods.add(period.build());
    }
    object.add("periods", periods.build());
  }
  if (!all.in_progress.empty()) object.add("inProgress", travelling(all.in_progress));
  return object.build();
}

}  // namespace agentfootprint::semantics
