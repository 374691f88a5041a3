// What a tool returns: a tagged value, never a control-flow exception.
//
// What: text kept verbatim; JSON; a described result, an absence or a covered value (JSON minted by
// semantics/); a question for a person; an error; or an envelope that adds effects and a status to
// any of these. The model reads what the pipeline makes of it; the record keeps the whole.
//
// When to use: as the return value of every tool function. A function that throws has its message
// turned into `error`.
//
// Not guaranteed: that the model reads the value whole: ceilings, placement and caps apply behind
// it.
//
// Example:
//   ToolResult a = ToolResult::text("fc1/3 is down");
//   ToolResult b = ToolResult::json(json::object({{"state", "down"}}));
//   ToolResult c = ToolResult::error("no such port fc9/9: list the ports first");
//   ToolResult d = ToolResult::ask(Question("Reset fc1/3?"));
//   ToolResult e = ToolResult::json(json::array({1, 2})).with_status(ToolStatus::partial);
//   (void)a; (void)b; (void)c; (void)d; (void)e;
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint {

enum class ToolStatus : std::uint8_t {
  success,
  failure,
  denied,
  invalid,
  partial,
  pending,
  absent
};
[[nodiscard]] std::string_view name_of(ToolStatus status) noexcept;
[[nodiscard]] std::optional<ToolStatus> parse_tool_status(std::string_view name) noexcept;

// A question put to a person. The run pauses; the answer becomes the tool's result (a plain ask) or
// decides about the call (middleware, check-in).
struct Question {
  explicit Question(std::string text) : question(std::move(text)) {}
  std::string question;
  std::optional<std::string> detail;
  // Null, or what a user interface should show: {"componentId", "props"?, "propsRef"?}.
  json::Value component;
  json::Value data;  // null, or anything the asker wants back beside the answer
};

// Something a tool asks of the loop beside its result. Kept as data; unknown kinds are refused out
// loud.
struct ToolEffect {
  ToolEffect(std::string effect_kind, json::Value effect_data)
      : kind(std::move(effect_kind)), data(std::move(effect_data)) {}
  std::string kind;
  json::Value data;
};

class ToolResult {
 public:
  enum class Kind : std::uint8_t { text, json, ask, error };

  ToolResult(std::string verbatim)
      : ToolResult(Kind::text, std::move(verbatim)) {}                            // NOLINT implicit
  ToolResult(json::Value value) : kind_(Kind::json), value_(std::move(value)) {}  // NOLINT implicit

  [[nodiscard]] static ToolResult text(std::string verbatim) {
    return ToolResult(Kind::text, std::move(verbatim));
  }
  // Plain JSON, or what described_result, absent or coverage minted: recognised by its marks.
  [[nodiscard]] static ToolResult json(json::Value value) { return ToolResult(std::move(value)); }
  [[nodiscard]] static ToolResult error(std::string message) {
    return ToolResult(Kind::error, std::move(message));
  }
  [[nodiscard]] static ToolResult ask(Question question) {
    ToolResult result(Kind::ask, {});
    result.question_ = std::move(question);
    return result;
  }

  [[nodiscard]] ToolResult with_status(ToolStatus status) && {
    status_ = status;
    return std::move(*this);
  }
  [[nodiscard]] ToolResult with_effect(ToolEffect effect) && {
    effects_.push_back(std::move(effect));
    return std::move(*this);
  }

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] const std::string& message() const noexcept { return text_; }  // text and error
  [[nodiscard]] const json::Value& value() const noexcept { return value_; }   // json
  [[nodiscard]] const std::optional<Question>& question() const noexcept { return question_; }
  [[nodiscard]] std::optional<ToolStatus> status() const noexcept { return status_; }
  [[nodiscard]] const std::vector<ToolEffect>& effects() const noexcept { return effects_; }

 private:
  ToolResult(Kind kind, std::string text) : kind_(kind), text_(std::move(text)) {}

  Kind kind_;
  std::string text_;
  json::Value value_;
  std::optional<Question> question_;
  std::optional<ToolStatus> status_;
  std::vector<ToolEffect> effects_;
};

}  // namespace agentfootprint
