// The sentences the library writes to a model, in one place: codes and facts come in, text goes
// out. Each names the thing, what follows, and what to do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/json/schema.hpp"

namespace agentfootprint {
struct AgentConfig;
}

namespace agentfootprint::internal::sentences {

[[nodiscard]] std::string denied(std::string_view tool, std::string_view rationale);
[[nodiscard]] std::string denied_by(std::string_view tool, std::string_view by,
                                    std::string_view why);
[[nodiscard]] std::string unavailable(std::string_view tool);
[[nodiscard]] std::string permission_check_failed(std::string_view tool);
[[nodiscard]] std::string second_question(std::string_view tool, std::string_view by);
[[nodiscard]] std::string malformed_arguments(std::string_view tool, std::string_view text);
[[nodiscard]] std::string invalid_arguments(std::string_view tool,
                                            const std::vector<json::SchemaIssue>& issues);
[[nodiscard]] std::string unknown_tool(const AgentConfig& config, std::string_view tool);
[[nodiscard]] std::string repeated_too_often(std::string_view tool);
[[nodiscard]] std::string repeated_note(std::string_view tool, bool by_arguments);
[[nodiscard]] std::string consent_missing(std::string_view tool, std::string_view service);
[[nodiscard]] std::string credential_failed(std::string_view tool, std::string_view service);
[[nodiscard]] std::string tool_failed(std::string_view tool, std::string_view error);
[[nodiscard]] std::string timed_out(std::string_view tool, std::int64_t ms);
[[nodiscard]] std::string too_long(std::string_view tool, std::size_t chars, std::int64_t max_chars,
                                   std::string_view narrow_by);
[[nodiscard]] std::string not_dispatched(std::string_view tool, std::string_view because);
[[nodiscard]] std::string interrupted(std::string_view tool);
[[nodiscard]] std::string cut_call(std::string_view tool);
[[nodiscard]] std::string declined(std::string_view by, std::string_view note);
[[nodiscard]] std::string wrap_up(std::string_view reason);
[[nodiscard]] std::string schema_correction(std::string_view stage, std::string_view error,
                                            std::string_view draft);
inline constexpr std::string_view kNoValue = "The tool returned no value.";

}  // namespace agentfootprint::internal::sentences
