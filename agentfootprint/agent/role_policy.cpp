// Roles as a permission policy.
#include "agentfootprint/agent/role_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "agentfootprint/base/error.hpp"

namespace agentfootprint {
namespace {

bool among(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

RolePolicy::RolePolicy(std::vector<ToolRole> roles, std::string active_role)
    : roles_(std::move(roles)), active_(std::move(active_role)) {
  std::vector<Issue> issues;
  std::set<std::string_view> names;
  for (const ToolRole& role : roles_) {
    if (role.name.find_first_not_of(" \t\r\n") == std::string::npos) {
      issues.push_back({"policy-role", "roles", "a role has no name: nobody could be given it"});
    } else if (!names.insert(role.name).second) {
      issues.push_back({"policy-role", role.name,
                        fmt::format("the role '{}' is given twice: keep one", role.name)});
    }
  }
  if (!names.contains(active_)) {
    issues.push_back({"policy-role", "activeRole",
                      fmt::format("the active role '{}' is none of the roles: every call would be "
                                  "denied",
                                  active_)});
  }
  if (!issues.empty()) throw Refusal(std::move(issues));
}

std::shared_ptr<RolePolicy> RolePolicy::with_active_role(std::string name) const {
  return std::make_shared<RolePolicy>(roles_, std::move(name));
}

const ToolRole& RolePolicy::active() const {
  return *std::find_if(roles_.begin(), roles_.end(),
                       [this](const ToolRole& role) { return role.name == active_; });
}

Permission RolePolicy::check(const PermissionQuestion& question) {
  if (question.capability != "tool_call") {
    if (among(active().capabilities, question.capability)) return Permission::allow(active_);
    return Permission::deny(fmt::format("the role '{}' has no {}", active_, question.capability));
  }
  if (among(active().tools, question.tool)) return Permission::allow(active_);
  return Permission::deny(fmt::format("the role '{}' may not call {}", active_, question.tool));
}

bool RolePolicy::governs(std::string_view capability) const {
  return std::any_of(roles_.begin(), roles_.end(), [capability](const ToolRole& role) {
    return among(role.capabilities, capability);
  });
}

}  // namespace agentfootprint
