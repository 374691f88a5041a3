// Text cases: input and expected output of eval functions as JSON Lines, with no C++ to add one.
//
// What: a case is {"id","fn","in","want"}; `compare` says where an answer differs from `want`,
// which it must agree with as a subset: an object on the keys it names, an array in length and
// element by element, "$absent" for a key that must not be there, "$K" for the ref that step K of
// an artifact script made.
//
// When to use: tests/text_cases_test.cpp. Not guaranteed: numbers compare by exact value, so 1.0
// equals 1.
//
// Example:
//   auto difference =
//       text_cases::compare(json::object({{"a", 1}}), json::object({{"a", 2}}), {}, "");
//   (void)difference;   // ".a: wanted 1, got 2"
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::text_cases {

struct Case {
  std::string file;
  std::size_t line = 0;
  std::string id;
  std::string function;
  json::Value in;
  json::Value want;
};

using Refs = std::map<std::string, json::Value>;  // "$0" → the ref

// Throws Error for a line that is no case.
[[nodiscard]] std::vector<Case> read_cases(const std::string& path);
// One id a line; `#` starts a comment.
[[nodiscard]] std::set<std::string> read_known_failures(const std::string& path);
[[nodiscard]] Refs refs_of(const json::Value& answer);
// Empty when the answer agrees.
[[nodiscard]] std::optional<std::string> compare(const json::Value& want, const json::Value& got,
                                                 const Refs& refs, const std::string& path);

}  // namespace agentfootprint::text_cases
