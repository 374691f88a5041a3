// Random valid declarations and their corruptions, for the property tests.
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::semantics::internal {

// Random valid declarations of the JSON door.
class RandomDeclaration {
 public:
  explicit RandomDeclaration(std::uint64_t seed) : random_(seed) {}

  bool coin(int of = 2) { return random_() % static_cast<unsigned>(of) == 0; }
  std::string word() {
    static constexpr const char* kWords[] = {"vm-1",        "ß 漢",   "fc1/3", "a",
                                             "size \"tb\"", "41,200", "x\ty"};
    return kWords[random_() % std::size(kWords)];
  }
  json::Value scalar() {
    switch (random_() % 5) {
      case 0:
        return json::Value::number("1.50");
      case 1:
        return json::Value(word());
      case 2:
        return json::Value(true);
      case 3:
        return json::Value();
      default:
        return json::Value::number("123456789012345678901234567890");
    }
  }
  json::Value item(bool why, bool kind) {
    if (!why && coin(3)) return json::Value(word());
    json::ObjectBuilder built;
    built.add("what", word() + " ground");
    if (why || coin()) built.add("why", word());
    if (coin(4)) built.add("short", "s");
    if (kind && coin(4)) built.add("kind", coin() ? "scope" : "existence");
    return built.build();
  }
  json::Value items(bool why, bool kind) {
    json::ArrayBuilder list;
    for (std::size_t i = 0; i <= random_() % 3; ++i) list.add(item(why, kind));
    return list.build();
  }
  json::Value rows(std::string_view of) {
    json::ArrayBuilder list;
    for (std::size_t i = 0; i <= random_() % 4; ++i) {
      json::ObjectBuilder row;
      if (of == "series") {
        row.add("t", coin() ? json::Value(word()) : json::Value(7)).add("entity", word());
        row.add("metric", word()).add("value", scalar());
      } else if (of == "facts") {
        row.add("entity", word())
            .add("size", scalar())
            .add("nested", json::parse_or_throw(R"({"a":[1,{}]})"));
      } else {
        row.add("from", word()).add("to", word()).add("kind", word());
      }
      list.add(row.build());
    }
    return list.build();
  }
  json::Value provenance() {
    json::ObjectBuilder built;
    if (coin()) built.add("source", word());
    built.add("measuredAt", word());
    if (coin(3)) built.add("ageSeconds", 30);
    if (coin(3)) built.add("sourceExportDate", word());
    json::Value value = built.build();
    return value.contains("source") ? value : json::with_member(value, "source", word());
  }
  json::Value grain() {
    json::ObjectBuilder built;
    built.add("interval", word());
    if (coin()) built.add("aggregation", coin() ? "sum" : "avg").add("isCounter", coin());
    if (coin(3)) built.add("collapsed", word());
    return built.build();
  }
  json::Value declaration() {
    json::ObjectBuilder built;
    const bool series = coin();
    const bool facts = coin();
    const bool edges = coin(3);
    const bool question = coin(3) || !(series || facts || edges);
    if (series) built.add("series", rows("series"));
    if (facts) built.add("facts", rows("facts"));
    if (edges) built.add("edges", rows("edges"));
    if (series || coin(3)) built.add("grain", grain());
    if (series || facts || coin(3)) built.add("provenance", provenance());
    if (coin(3)) {
      built.add("period", json::parse_or_throw(
                              R"({"queried":{"from":"2026-11-01T09:00Z","to":"2026-11-01T10:00Z"},
        "held":{"from":"2026-10-01T00:00Z","to":"2026-11-01T02:00Z"},
        "readAt":"2026-11-01T10:00Z"})"));
    }
    if (coin()) {
      json::ObjectBuilder lists;
      lists.add("checked", items(false, false));
      if (coin()) lists.add("notChecked", items(false, true));
      if (coin()) lists.add("cannotCover", items(true, true));
      built.add("coverage", lists.build());
    }
    if (question)
      built.add("clarify",
                json::parse_or_throw(R"({"question":"which?","candidates":["v1","v2"]})"));
    if (coin(3))
      built.add("render", json::parse_or_throw(
                              R"({"default":"table","columns":["entity"],"filterNote":"f"})"));
    return built.build();
  }

 private:
  std::mt19937_64 random_;
};

// Copies of a value with one key of one object renamed, and with the value behind it of another
// type.
inline void corrupt(const json::Value& value, const std::function<void(json::Value)>& emit) {
  if (!value.is_object()) return;
  for (std::size_t i = 0; i < value.members().size(); ++i) {
    const auto with = [&](std::string_view key, json::Value replaced) {
      std::vector<json::Member> members(value.members().begin(), value.members().end());
      members[i] = json::Member(key, std::move(replaced));
      emit(json::object(std::move(members)));
    };
    const json::Member& member = value.members()[i];
    with(std::string(member.key()) + "x", member.value);
    // `value` of a point may be any scalar, so only what no rule accepts anywhere is put in.
    with(member.key(), json::parse_or_throw(R"({"7":[{"7":7}]})"));
  }
}

}  // namespace agentfootprint::semantics::internal
