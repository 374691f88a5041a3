// Permission by role: what each role may call, and nothing else.
//
// What: a policy made of roles, one of them active. A tool the active role does not list is denied,
// and so is a capability that some role lists and the active one does not.
//
// When to use: for fixed sets of rights; write a PermissionPolicy for anything that looks at
// arguments.
//
// Not guaranteed: anything about arguments; a tool that may be called may be called with any.
//
// Example:
//   std::vector<ToolRole> roles;
//   roles.push_back({"viewer", {"list_ports"}, {}});
//   roles.push_back({"operator", {"list_ports", "reset_port"}, {"external_net"}});
//   auto viewer = std::make_shared<RolePolicy>(roles, "viewer");
//   auto as_operator = viewer->with_active_role("operator");
//   (void)as_operator->active_role();   // "operator"
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agentfootprint/agent/policy.hpp"

namespace agentfootprint {

struct ToolRole {
  std::string name;
  std::vector<std::string> tools;
  std::vector<std::string> capabilities;
};

class RolePolicy final : public PermissionPolicy {
 public:
  // Refused ("policy-role"): a blank or repeated role name, an active role that is none of them.
  RolePolicy(std::vector<ToolRole> roles, std::string active_role);

  [[nodiscard]] const std::string& active_role() const noexcept { return active_; }
  // The same roles with another one active; this policy stays as it is.
  [[nodiscard]] std::shared_ptr<RolePolicy> with_active_role(std::string name) const;

  Permission check(const PermissionQuestion& question) override;
  [[nodiscard]] bool governs(std::string_view capability) const override;

 private:
  [[nodiscard]] const ToolRole& active() const;
  std::vector<ToolRole> roles_;
  std::string active_;
};

}  // namespace agentfootprint
