// What a model declares: the `_findings` object of a call's arguments or of an answer.
//
// What: reads the object leniently part by part: what is well formed is kept, everything else is
// dropped and counted, nothing is coerced or given a default. `split_findings` takes the key off a
// call's arguments, so that the tool never sees it.
//
// When to use: at dispatch, before a tool runs, and on the values the answer scanner takes out of
// an answer.
//
// Not guaranteed: that an id names a result. Ids are resolved later (rows.hpp); an unknown one is
// kept and marked.
//
// Limits: none here; texts are clipped where they are filed.
//
// Example:
//   json::Value args = json::parse_or_throw(
//       R"({"port": "fc1/7", "_findings": {"basis": "direct", "expect": "huge"}})");
//   findings::SplitArguments split = findings::split_findings(args);
//   (void)split.arguments;      // {"port":"fc1/7"}
//   (void)split.declaration;    // basis direct
//   (void)split.malformed;      // 1: "huge" is no expectation
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/findings/vocabulary.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::findings {

// One statement about a result: the predicate of a subject has this value.
struct DeclaredAssertion {
  std::string subject_kind;
  std::string subject_id;
  std::string predicate;
  json::Value value;  // anything, null included
};

// What the model says about one earlier result.
struct DeclaredStanding {
  std::string tool_call_id;
  Standing standing = Standing::open;
  std::optional<bool> sought;
  std::optional<std::vector<DeclaredAssertion>> assertions;
  std::optional<std::string> settles;  // open: what would settle it
  std::optional<std::string> line;     // ruled-out: the way that was ruled out
};

struct Declaration {
  std::optional<Basis> basis;
  std::optional<Expectation> expect;
  std::optional<std::string> proposition;
  std::optional<std::string> predicts;
  std::optional<std::vector<DeclaredStanding>> previous;

  [[nodiscard]] bool empty() const noexcept {
    return !basis && !expect && !proposition && !predicts && !previous;
  }
};

struct DeclarationReading {
  std::optional<Declaration> declaration;  // empty when nothing in it could be read
  std::size_t malformed = 0;               // parts that were dropped
};

// Reads the value under the reserved key.
[[nodiscard]] DeclarationReading read_declaration(const json::Value& value);
// The wire form, keys in the order of the planted schema.
[[nodiscard]] json::Value to_json(const Declaration& declaration);

// Adds what a later declaration says: its scalar fields win, its `previous` entries follow.
void merge(Declaration& into, const Declaration& later);

struct SplitArguments {
  json::Value arguments;  // without the reserved key; the same value when it was not there
  std::optional<Declaration> declaration;
  std::size_t malformed = 0;
};
// `arguments` that are no object, or do not have the key, come back as they are.
[[nodiscard]] SplitArguments split_findings(const json::Value& arguments);

}  // namespace agentfootprint::findings
