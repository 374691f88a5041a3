// Roles: what is listed is allowed, everything else is denied.
#include "agentfootprint/agent/role_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/agent/agent_fixture.hpp"

namespace agentfootprint {
namespace {

using ::testing::HasSubstr;

std::vector<ToolRole> roles() {
  return {{"viewer", {"ports"}, {}}, {"operator", {"ports", "reset"}, {"external_net"}}};
}

std::string first_result(const std::shared_ptr<RolePolicy>& policy, std::string_view tool) {
  auto model = std::make_shared<ScriptedModel>();
  model->then(ScriptedReply().call(std::string(tool), port("fc1/3"))).then(ScriptedReply("ok"));
  Tool reset = port_tool("reset");
  reset.capabilities({"external_net", "user_data"});
  const RunResult result = run(
      AgentBuilder(model, "m").tool(port_tool()).tool(std::move(reset)).permission(policy).build(),
      Conversation(), "go");
  return results_of(result.facts().conversation).at(0);
}

TEST(RolePolicy, AllowsWhatTheActiveRoleLists) {
  const auto viewer = std::make_shared<RolePolicy>(roles(), "viewer");
  EXPECT_THAT(first_result(viewer, "ports"), HasSubstr("is down"));
  EXPECT_THAT(first_result(viewer, "reset"), HasSubstr("may not call reset"));
  const auto promoted = viewer->with_active_role("operator");
  EXPECT_THAT(first_result(promoted, "reset"), HasSubstr("is down"));
  EXPECT_EQ(viewer->active_role(), "viewer");
}

TEST(RolePolicy, ACapabilityOfAnotherRoleIsDenied) {
  std::vector<ToolRole> both = roles();
  both[0].tools.push_back("reset");
  const auto viewer = std::make_shared<RolePolicy>(both, "viewer");
  EXPECT_TRUE(viewer->governs("external_net"));
  EXPECT_FALSE(viewer->governs("user_data"));
  EXPECT_THAT(first_result(viewer, "reset"), HasSubstr("has no external_net"));
}

TEST(RolePolicy, RolesThatCannotBeAreRefused) {
  EXPECT_THROW(RolePolicy(roles(), "nobody"), Refusal);
  EXPECT_THROW(RolePolicy({{"a", {}, {}}, {"a", {}, {}}}, "a"), Refusal);
  EXPECT_THROW(RolePolicy({{" ", {}, {}}}, " "), Refusal);
}

}  // namespace
}  // namespace agentfootprint
