// Declarations of tools, refused where they are written when they cannot work.
#include "agentfootprint/agent/tool.hpp"

#include <fmt/format.h>

#include "agentfootprint/json/schema.hpp"

namespace agentfootprint {
namespace {

bool is_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > 64) return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-') return false;
  }
  return true;
}

bool is_blank(std::string_view text) noexcept {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

constexpr std::string_view kStatusNames[] = {"success", "failure", "denied", "invalid",
                                             "partial", "pending", "absent"};

}  // namespace

std::string_view name_of(ToolStatus status) noexcept {
  return kStatusNames[static_cast<std::size_t>(status)];
}

std::optional<ToolStatus> parse_tool_status(std::string_view name) noexcept {
  for (std::size_t i = 0; i < std::size(kStatusNames); ++i) {
    if (kStatusNames[i] == name) return static_cast<ToolStatus>(i);
  }
  return std::nullopt;
}

Tool::Tool(std::string name, std::string description) {
  std::vector<Issue> issues;
  if (!is_name(name)) {
    issues.push_back(
        {"tool-name", "name",
         fmt::format("the tool name '{}' would be refused by model providers: use 1 to 64 of "
                     "a-z, A-Z, 0-9, _ and -",
                     name)});
  }
  if (is_blank(description)) {
    issues.push_back(
        {"tool-description", "description",
         fmt::format("the tool '{}' has no description: the model would not know when to "
                     "call it; say what it returns",
                     name)});
  }
  if (!issues.empty()) throw Refusal(std::move(issues));
  schema_.name = std::move(name);
  schema_.description = std::move(description);
  schema_.input_schema =
      json::object({{"type", "object"}, {"properties", json::object(std::vector<json::Member>{})}});
}

Tool& Tool::input(json::Value schema) {
  const auto compiled = json::Schema::compile(schema);
  const json::Value* type = schema.find("type");
  if (!compiled || type == nullptr || type->as_string() != "object") {
    throw Refusal("tool-schema", "input",
                  fmt::format("the input schema of '{}' cannot check arguments: {}", schema_.name,
                              compiled ? "its type must be \"object\"" : compiled.error()));
  }
  schema_.input_schema = std::move(schema);
  return *this;
}

Tool& Tool::run(Function function) {
  function_ = std::move(function);
  coroutine_ = nullptr;
  return *this;
}

Tool& Tool::run_async(Coroutine coroutine) {
  coroutine_ = std::move(coroutine);
  function_ = nullptr;
  return *this;
}

Tool& Tool::parallel_safe(bool safe) {
  parallel_safe_ = safe;
  return *this;
}

Tool& Tool::timeout_ms(std::int64_t ms) {
  if (ms <= 0) {
    throw Refusal(
        "tool-timeout", "timeoutMs",
        fmt::format("a timeout of {} ms would end every call of '{}' at once: give a positive "
                    "number, or none",
                    ms, schema_.name));
  }
  timeout_ms_ = ms;
  return *this;
}

Tool& Tool::result_ceiling(std::int64_t max_chars, std::string narrow_by) {
  if (max_chars <= 0) {
    throw Refusal(
        "tool-ceiling", "resultCeiling",
        fmt::format("a ceiling of {} would refuse every result of '{}': give a positive number "
                    "of characters, or none",
                    max_chars, schema_.name));
  }
  max_chars_ = max_chars;
  narrow_by_ = std::move(narrow_by);
  return *this;
}

Tool& Tool::wants(std::string argument, std::string kind) {
  wants_.emplace_back(std::move(argument), std::move(kind));
  check_tool_wants(schema_.name, wants_, schema_.input_schema);
  return *this;
}

Tool& Tool::needs_artifacts() {
  needs_artifacts_ = true;
  return *this;
}

Tool& Tool::keep_inline() {
  keep_inline_ = true;
  return *this;
}

Tool& Tool::needs_credential(CredentialNeed need) {
  if (is_blank(need.service)) {
    throw Refusal("tool-credential", "service",
                  fmt::format("'{}' needs a credential for no service: name one", schema_.name));
  }
  need_ = std::move(need);
  return *this;
}

Tool& Tool::check_in() {
  check_in_always_ = true;
  return *this;
}

Tool& Tool::check_in(Predicate demands) {
  check_in_ = std::move(demands);
  return *this;
}

bool Tool::demands_check_in(const json::Value& arguments) const {
  if (check_in_always_) return true;
  if (!check_in_) return false;
  try {
    return check_in_(arguments);
  } catch (...) {
    return true;  // a demand that cannot be judged is a demand
  }
}

Tool& Tool::capabilities(std::vector<std::string> names) {
  capabilities_ = std::move(names);
  return *this;
}

Tool& Tool::arguments_from(std::vector<std::string> tools) {
  for (const std::string& tool : tools) {
    if (is_blank(tool) || tool == schema_.name) {
      throw Refusal("tool-arguments-from", "argumentsFrom",
                    fmt::format("'{}' cannot take its arguments from '{}': name another tool",
                                schema_.name, tool));
    }
  }
  if (tools.empty()) {
    throw Refusal(
        "tool-arguments-from", "argumentsFrom",
        fmt::format("'{}' takes its arguments from no tool: leave the declaration out or name "
                    "one",
                    schema_.name));
  }
  grounds_ = std::move(tools);
  return *this;
}

Tool& Tool::repeated_when_arguments_repeat() {
  repeats_by_arguments_ = true;
  return *this;
}

Tool& Tool::source(std::string name) {
  source_ = std::move(name);
  return *this;
}

}  // namespace agentfootprint
