// Decisions of permission policies and middleware.
#include "agentfootprint/agent/policy.hpp"

#include <fmt/format.h>

namespace agentfootprint {
namespace {

bool is_blank(std::string_view text) noexcept {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

Permission Permission::allow(std::string rule) {
  Permission permission;
  permission.rule_ = std::move(rule);
  return permission;
}

Permission Permission::deny(std::string rationale, std::string tell_model) {
  Permission permission;
  permission.kind_ = Kind::deny;
  permission.rationale_ = std::move(rationale);
  permission.tell_model_ = std::move(tell_model);
  return permission;
}

Permission Permission::halt(std::string rationale, std::string tell_model) {
  Permission permission = deny(std::move(rationale), std::move(tell_model));
  permission.kind_ = Kind::halt;
  return permission;
}

std::string_view name_of(Moment moment) noexcept {
  static constexpr std::string_view kNames[] = {"input", "before-tool", "after-tool", "output"};
  return kNames[static_cast<std::size_t>(moment)];
}

Decision Decision::allow() {
  return Decision();
}

Decision Decision::change(json::Value value, std::string why) {
  if (is_blank(why)) return deny("a change without a reason is refused: say why it was made");
  Decision decision;
  decision.kind_ = Kind::change;
  decision.value_ = std::move(value);
  decision.why_ = std::move(why);
  return decision;
}

Decision Decision::deny(std::string why) {
  Decision decision;
  decision.kind_ = Kind::deny;
  decision.why_ = is_blank(why) ? "refused without a reason" : std::move(why);
  return decision;
}

Decision Decision::ask(Question question) {
  Decision decision;
  decision.kind_ = Kind::ask;
  decision.question_ = std::move(question);
  return decision;
}

Middleware::Middleware(std::string name) : name_(std::move(name)) {
  if (is_blank(name_)) {
    throw Refusal(
        "middleware-name", "name",
        "the middleware has no name: its decisions could not be told apart in the record");
  }
}

Middleware& Middleware::on(Moment moment, Hook hook) {
  hooks_[static_cast<std::size_t>(moment)] = std::move(hook);
  return *this;
}

bool Middleware::has_hook() const noexcept {
  for (const Hook& hook : hooks_) {
    if (hook) return true;
  }
  return false;
}

}  // namespace agentfootprint
