// Renders the message of a refusal from its issues.
#include "agentfootprint/base/error.hpp"

namespace agentfootprint {
namespace {

std::string render(const std::vector<Issue>& issues) {
  std::string text = "refused: ";
  for (std::size_t i = 0; i < issues.size(); ++i) {
    if (i > 0) text += "; ";
    text += issues[i].message.empty() ? issues[i].code : issues[i].message;
  }
  return text;
}

std::string first_code(const std::vector<Issue>& issues) {
  if (issues.empty()) throw std::invalid_argument("a Refusal needs at least one issue");
  return issues.front().code;
}

}  // namespace

Refusal::Refusal(std::vector<Issue> issues)
    : Error(first_code(issues), render(issues)), issues_(std::move(issues)) {}

Refusal::Refusal(std::string_view code, std::string_view field, std::string_view message)
    : Refusal(std::vector<Issue>{{std::string(code), std::string(field), std::string(message)}}) {}

}  // namespace agentfootprint
