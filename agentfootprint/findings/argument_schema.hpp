// The reserved argument planted on every served tool.
//
// What: `with_findings_argument` adds the property `_findings` to a tool's input schema,
// `without_findings_argument` takes it off again. The planted schema is a constant, so that
// consecutive requests share their bytes; only the upstream placement of the offer (`offer:
// "schema"`) changes it.
//
// When to use: on the merged tool list of each request when the ledger is armed. A tool whose own
// schema has a property `_findings` owns the name: it is served as it is, its calls are not peeled,
// and it files no row (`owns_findings_name`).
//
// Not guaranteed: that a model fills it in. What comes back is read leniently (declaration.hpp).
//
// Limits: an offer in the schema lists at most 32 ids, and says what it left out.
//
// Example:
//   json::Value schema = json::parse_or_throw(
//       R"({"type": "object", "properties": {"port": {"type": "string"}}})");
//   json::Value served =
//       findings::with_findings_argument(schema, findings::Declarations::standings);
//   bool planted = findings::declares_findings(served);                                   // true
//   bool gone = !findings::declares_findings(findings::without_findings_argument(served));  // true
//   (void)planted; (void)gone;
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agentfootprint/findings/vocabulary.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::findings {

// What a model is asked for: `standings` is only `previous`; `full` adds basis (required), expect,
// proposition and predicts.
enum class Declarations : std::uint8_t { standings, full };

// The planted schema; the same value, sharing storage, every time.
[[nodiscard]] const json::Value& planted_schema(Declarations declarations);

// Does the schema declare a property `_findings` of its own or of ours?
[[nodiscard]] bool declares_findings(const json::Value& schema) noexcept;
// Declares it, and not by our decoration: calls of the tool are not peeled.
[[nodiscard]] bool owns_findings_name(const json::Value& schema) noexcept;

// `_findings` stands last in `properties`; `required` and `additionalProperties` are untouched. The
// same value comes back when the schema declares the name already. A non-empty `offer` lists the
// ids that may be named, newest first; `offered` says how many there are when it has not all.
[[nodiscard]] json::Value with_findings_argument(const json::Value& schema,
                                                 Declarations declarations,
                                                 const std::vector<std::string>& offer = {},
                                                 std::size_t offered = 0);
// The same value comes back when there is nothing of ours in it.
[[nodiscard]] json::Value without_findings_argument(const json::Value& schema);

// The offer as a sentence for the last piece of a request; "" when nothing is offered.
[[nodiscard]] std::string offer_text(const std::vector<std::string>& offer,
                                     std::size_t offered = 0);

}  // namespace agentfootprint::findings
