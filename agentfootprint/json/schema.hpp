// JSON Schema checks (draft 7), by valijson.
//
// What: a schema compiled once and checked against many values. A schema that cannot be compiled is
// a value, `could not run`, never an exception in the middle of a run.
//
// When to use: tool arguments, output contracts, the project's own published schemas.
//
// Not guaranteed: `format` is not checked. `pattern` is RE2, so back-references and look-around are
// refused. `$ref` to another document is refused.
//
// Limits: at most `max_issues` are reported; messages name types, never values.
//
// Example:
//   auto schema = json::Schema::compile(json::object({{"type", "object"}}));
//   if (schema) {
//     auto issues = schema->check(json::array({1}), 10);
//     (void)issues.size();   // 1: path "", "must be an object, is an array"
//   }
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agentfootprint/base/expected.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::json {

struct SchemaIssue {
  std::string path;     // JSON pointer into the checked value
  std::string message;  // names types and bounds, never the value
};

class Schema {
 public:
  // The error says why the schema could not be compiled.
  [[nodiscard]] static Expected<Schema, std::string> compile(const Value& schema);
  [[nodiscard]] std::vector<SchemaIssue> check(const Value& value,
                                               std::size_t max_issues = 10) const;

  Schema(const Schema&) noexcept;
  Schema(Schema&&) noexcept;
  Schema& operator=(const Schema&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

 private:
  struct Compiled;
  explicit Schema(std::shared_ptr<const Compiled> compiled);
  std::shared_ptr<const Compiled> compiled_;  // shared by copies and threads
};

}  // namespace agentfootprint::json
