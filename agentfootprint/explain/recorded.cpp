// Taking ledger rows and described results out of a record's lines.
#include "agentfootprint/explain/recorded.hpp"

#include <optional>

namespace agentfootprint {
namespace {

std::optional<CallKey> call_at(const json::Value& value) {
  const json::Value* call = value.find("call");
  return call == nullptr ? std::nullopt : call_key_from_json(*call);
}

bool has_text(const json::Value& value, std::string_view key, std::string_view text) {
  const json::Value* found = value.find(key);
  return found != nullptr && found->as_string() == text;
}

}  // namespace

Recorded read_recorded(const std::vector<RecordedLine>& lines) {
  Recorded recorded;
  for (const RecordedLine& line : lines) {
    if (line.kind == "row" && has_text(line.value, "row", "findings")) {
      const json::Value* value = line.value.find("value");
      auto row = findings::row_from_json(value != nullptr ? *value : json::Value());
      if (row) {
        recorded.rows.push_back({line.messages, std::move(*row)});
      } else {
        ++recorded.unreadable;
      }
      continue;
    }
    if (line.kind == "row" && has_text(line.value, "row", "supplied") && line.item != nullptr &&
        has_text(line.value, "by", "app")) {
      recorded.supplied.push_back(line.item);
      continue;
    }
    const json::Value* whole = line.value.find("semantics");
    if (line.kind != "event" || whole == nullptr) continue;
    if (!has_text(line.value, "name", "agentfootprint.tools.semantics_declared")) continue;
    if (const auto call = call_at(line.value)) recorded.described.insert_or_assign(*call, *whole);
  }
  return recorded;
}

void Recorded::supply(evidence::ConversationIndex& index) const {
  for (const SharedText& text : supplied) index.supply(*text, evidence::SuppliedBy::app);
}

}  // namespace agentfootprint
