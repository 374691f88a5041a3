// Schemas by valijson, with our own checks for numbers, patterns and types, and messages of our
// own.
#include "agentfootprint/json/schema.hpp"

#include <re2/re2.h>

// Everything valijson uses is included before it, so that what follows changes its names only.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>

#include "agentfootprint/json/cursor.hpp"
#include "agentfootprint/json/internal/schema_prepare.hpp"

// valijson matches `patternProperties` with std::regex, which overflows the stack on long text.
// Inside its namespace `std::regex` is this class over RE2.
namespace valijson {
namespace std {
using namespace ::std;
class regex {
 public:
  explicit regex(const ::std::string& pattern)
      : compiled_(::std::make_shared<const RE2>(
            agentfootprint::json::internal::re2_pattern(pattern), RE2::Quiet)) {}
  [[nodiscard]] bool found_in(const ::std::string& text) const {
    return RE2::PartialMatch(text, *compiled_);
  }

 private:
  ::std::shared_ptr<const RE2> compiled_;
};
inline bool regex_search(const ::std::string& text, const regex& pattern) {
  return pattern.found_in(text);
}
// Whole matches serve formats, which prepared schemas have not, and the look for URNs in
// references, which are all fragments: nothing matches.
struct sub_match {
  [[nodiscard]] ::std::string str() const { return {}; }
};
using smatch = ::std::vector<sub_match>;
inline bool regex_match(const ::std::string&, const regex&) {
  return false;
}
inline bool regex_match(const ::std::string&, smatch&, const regex&) {
  return false;
}
}  // namespace std
}  // namespace valijson

#define VALIJSON_USE_EXCEPTIONS 1
#include <valijson/constraint_builder.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "agentfootprint/json/internal/schema_adapter.hpp"

namespace agentfootprint::json {
namespace {

using internal::SchemaAdapter;
using internal::SchemaCheck;

// Marks the messages of our own checks.
constexpr char kOurs = '\x01';

class OwnConstraint final : public valijson::constraints::PolyConstraint {
 public:
  explicit OwnConstraint(SchemaCheck check) : check_(std::move(check)) {}

  bool validate(const valijson::adapters::Adapter& target, const std::vector<std::string>& context,
                valijson::ValidationResults* results) const override {
    const auto* ours = dynamic_cast<const SchemaAdapter*>(&target);
    const std::optional<std::string> fault =
        ours != nullptr ? check_(ours->value()) : check_(Value(target.asString()));
    if (fault && results != nullptr) results->pushError(context, kOurs + *fault);
    return !fault;
  }

 private:
  Constraint* cloneInto(void* place) const override { return ::new (place) OwnConstraint(*this); }
  std::size_t sizeOf() const override { return sizeof(OwnConstraint); }

  SchemaCheck check_;
};

class OwnBuilder final : public valijson::ConstraintBuilder {
 public:
  explicit OwnBuilder(std::string_view keyword) : keyword_(keyword) {}
  valijson::constraints::Constraint* make(
      const valijson::adapters::Adapter& argument) const override {
    auto check =
        internal::make_check(keyword_, dynamic_cast<const SchemaAdapter&>(argument).value());
    if (!check) throw std::runtime_error(check.error());
    return new OwnConstraint(*std::move(check));
  }

 private:
  std::string_view keyword_;
};

bool starts_with(std::string_view text, std::string_view head) {
  return text.substr(0, head.size()) == head;
}

std::string quoted_part(std::string_view text) {
  const std::size_t first = text.find('\'');
  const std::size_t last = text.rfind('\'');
  return first == last ? "" : std::string(text.substr(first, last - first + 1));
}

// valijson's wording in ours; empty for those that only repeat what an inner error said.
std::string translated(std::string_view text) {
  if (!text.empty() && text[0] == kOurs) return std::string(text.substr(1));
  if (starts_with(text, "Failed to validate against schema associated") ||
      starts_with(text, "Failed to validate against additional properties") ||
      starts_with(text, "Failed to validate item") ||
      starts_with(text, "Failed to validate against child schema") ||
      starts_with(text, "Failed to validate against a conditional") ||
      starts_with(text, "Failed to validate against dependent") ||
      starts_with(text, "Target value and comparison value")) {
    return "";
  }
  if (starts_with(text, "Missing required property")) {
    return "must have the member " + quoted_part(text);
  }
  if (starts_with(text, "Missing dependency")) {
    return "must have the member " + quoted_part(text) + ", which another member asks for";
  }
  if (starts_with(text, "Object contains a property")) {
    return "has a member the schema does not allow: " +
           quoted_part(text.substr(text.rfind(": '") + 2));
  }
  if (starts_with(text, "Failed to match expected value")) {
    return "must be the one value the schema names";
  }
  if (starts_with(text, "Failed to match against any enum")) {
    return "must be one of the values the schema lists";
  }
  if (starts_with(text, "Failed to validate against any schemas allowed by anyOf") ||
      starts_with(text, "Failed to validate against any child schemas")) {
    return "matches none of the alternatives";
  }
  if (starts_with(text, "Failed to validate against exactly one")) {
    return "matches more than one of the alternatives, must match one";
  }
  if (starts_with(text, "Target should not validate")) return "matches what the schema rules out";
  if (starts_with(text, "Failed to any values")) return "has no element of the kind asked for";
  if (starts_with(text, "Array contains more items")) return "has more elements than allowed";
  if (starts_with(text, "Cannot validate item")) return "has more elements than allowed";
  for (const std::string_view subject : {"Array should contain", "Object should have"}) {
    if (starts_with(text, subject)) {
      std::string out = "must have" + std::string(text.substr(subject.size()));
      if (out.back() == '.') out.pop_back();
      return out;
    }
  }
  return "does not match the schema";
}

// valijson's context is "<root>", "[key]", "[0]", …
std::string pointer_of(const std::vector<std::string>& context) {
  std::string pointer;
  for (std::size_t i = 1; i < context.size(); ++i) {
    const std::string& part = context[i];
    pointer += '/' + pointer_token(std::string_view(part).substr(1, part.size() - 2));
  }
  return pointer;
}

void add_issue(std::vector<SchemaIssue>& issues, SchemaIssue issue) {
  for (const SchemaIssue& known : issues) {
    if (known.path == issue.path && known.message == issue.message) return;
  }
  issues.push_back(std::move(issue));
}

std::vector<SchemaIssue> issues_of(const valijson::ValidationResults& results, std::size_t most) {
  std::vector<SchemaIssue> issues;
  for (const valijson::ValidationResults::Error& error : results) {
    if (issues.size() >= most) break;
    std::string message = translated(error.description);
    if (!message.empty()) add_issue(issues, {pointer_of(error.context), std::move(message)});
  }
  // A `false` schema and a bad member name leave no message of their own, only what repeats them.
  if (issues.empty() && most > 0) {
    const std::string path = results.numErrors() == 0 ? "" : pointer_of(results.begin()->context);
    issues.push_back({path, "does not match the schema"});
  }
  return issues;
}

}  // namespace

struct Schema::Compiled {
  Value source;  // the prepared schema
  std::size_t max_value_depth = 0;
  valijson::Schema schema;
};

Schema::Schema(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
Schema::Schema(const Schema&) noexcept = default;
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(const Schema&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Expected<Schema, std::string> Schema::compile(const Value& schema) {
  Expected<internal::PreparedSchema, std::string> prepared = internal::prepare_schema(schema);
  if (!prepared) return Unexpected<std::string>(prepared.error());
  auto compiled = std::make_shared<Compiled>();
  compiled->source = prepared->schema;
  compiled->max_value_depth = prepared->max_value_depth;
  try {
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    for (const std::string_view keyword : internal::kOwnKeywords) {
      parser.addConstraintBuilder(std::string(internal::kOwnPrefix) + std::string(keyword),
                                  new OwnBuilder(keyword));
    }
    parser.populateSchema(SchemaAdapter(compiled->source), compiled->schema);
  } catch (const std::exception& error) {
    return Unexpected<std::string>(error.what());
  }
  return Schema(std::move(compiled));
}

std::vector<SchemaIssue> Schema::check(const Value& value, std::size_t max_issues) const {
  if (internal::depth_of(value) > compiled_->max_value_depth) {
    return {{"", "nests deeper than " + std::to_string(compiled_->max_value_depth) +
                     " levels, which is more than can be checked"}};
  }
  valijson::ValidationResults results;
  try {
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    if (validator.validate(compiled_->schema, SchemaAdapter(value), &results)) return {};
  } catch (const std::exception&) {
    return {{"", "could not be checked"}};
  }
  return issues_of(results, max_issues);
}

}  // namespace agentfootprint::json
