// The assertion algebra.
#include "agentfootprint/evidence/assertions.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "agentfootprint/json/write.hpp"

namespace agentfootprint::evidence {
namespace {

bool has_only(const json::Value& value, std::initializer_list<std::string_view> keys) {
  return std::all_of(value.members().begin(), value.members().end(), [&](const json::Member& one) {
    return std::find(keys.begin(), keys.end(), one.key()) != keys.end();
  });
}

}  // namespace

std::string StatedAssertion::key() const {
  std::string text = subject_kind;
  for (const std::string& part :
       {subject_id, predicate, epoch ? json::dump_canonical(*epoch) : std::string()}) {
    text += '\0';
    text += part;
  }
  return text;
}

ClaimKind claim_kind_of(const json::Value& value) {
  if (!value.is_object()) return ClaimKind::none;
  const json::Value* kind = value.find("kind");
  if (kind == nullptr || !kind->is_string()) return ClaimKind::none;
  const std::string_view word = *kind->as_string();
  if (word == "known" && value.contains("value") && value.contains("evidence")) {
    return has_only(value, {"kind", "value", "evidence"}) ? ClaimKind::known : ClaimKind::none;
  }
  if (word == "unknown" && value.contains("reason")) {
    return has_only(value, {"kind", "reason", "evidence"}) ? ClaimKind::silent : ClaimKind::none;
  }
  if (word == "not-applicable" && value.contains("evidence")) {
    return has_only(value, {"kind", "evidence"}) ? ClaimKind::silent : ClaimKind::none;
  }
  return ClaimKind::none;
}

std::optional<std::string> compared_text(const json::Value& value) {
  switch (claim_kind_of(value)) {
    case ClaimKind::silent:
      return std::nullopt;
    case ClaimKind::known:
      return json::dump_canonical(value.at("value"));
    case ClaimKind::none:
      break;
  }
  return json::dump_canonical(value);
}

std::vector<AssertionConflict> conflicts_of(const std::vector<StatedAssertion>& assertions,
                                            const std::vector<std::string>& multi_valued) {
  struct Group {
    AssertionConflict conflict;
    std::set<std::string> values;
  };
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> by_key;
  for (std::size_t i = 0; i < assertions.size(); ++i) {
    const StatedAssertion& one = assertions[i];
    if (one.quoted ||
        std::find(multi_valued.begin(), multi_valued.end(), one.predicate) != multi_valued.end()) {
      continue;
    }
    auto text = compared_text(one.value);
    if (!text) continue;
    const auto [found, fresh] = by_key.try_emplace(one.key(), groups.size());
    if (fresh) groups.push_back({{found->first, {}}, {}});
    Group& group = groups[found->second];
    group.conflict.assertions.push_back(i);
    group.values.insert(std::move(*text));
  }
  std::vector<AssertionConflict> conflicts;
  for (Group& group : groups) {
    if (group.values.size() > 1) conflicts.push_back(std::move(group.conflict));
  }
  return conflicts;
}

}  // namespace agentfootprint::evidence
