// Tools, schemas from C++ types, decisions: declarations that work, and those refused where
// written.
#include "agentfootprint/agent/tool.hpp"

#include <gtest/gtest.h>

#include "agentfootprint/agent/events.hpp"
#include "agentfootprint/agent/policy.hpp"
#include "agentfootprint/agent/run_result.hpp"
#include "agentfootprint/agent/schema.hpp"
#include "agentfootprint/json/schema.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

// The code of the refusal that `declare` throws, "" when it throws none.
template <class F>
std::string refused(F declare) {
  try {
    declare();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(std::string(refusal.what()).rfind("refused: ", 0), 0u);
    return refusal.code();
  }
  return "";
}

TEST(Tool, RefusesWhatCannotWork) {
  EXPECT_EQ(refused([] { Tool("no spaces", "d"); }), "tool-name");
  EXPECT_EQ(refused([] { Tool("", "d"); }), "tool-name");
  EXPECT_EQ(refused([] { Tool(std::string(65, 'a'), "d"); }), "tool-name");
  EXPECT_EQ(refused([] { Tool("ok", " \n"); }), "tool-description");
  EXPECT_EQ(refused([] { Tool("ok", "d").input(json::array({1})); }), "tool-schema");
  EXPECT_EQ(refused([] { Tool("ok", "d").input(json::object({{"type", "array"}})); }),
            "tool-schema");
  EXPECT_EQ(refused([] { Tool("ok", "d").timeout_ms(0); }), "tool-timeout");
  EXPECT_EQ(refused([] { Tool("ok", "d").result_ceiling(-1); }), "tool-ceiling");
  EXPECT_EQ(refused([] { Tool("ok", "d").wants("rows", "table"); }), "artifact-wants");
  EXPECT_EQ(refused([] { Tool("ok", "d").needs_credential(CredentialNeed(" ")); }),
            "tool-credential");
  EXPECT_EQ(refused([] { Tool("ok", "d").arguments_from({"ok"}); }), "tool-arguments-from");
  EXPECT_EQ(refused([] { Tool("ok", "d").arguments_from({}); }), "tool-arguments-from");
  EXPECT_EQ(refused([] { Tool(std::string(64, 'a'), "d"); }), "");
}

TEST(Tool, BothFaultsOfAConstructorAreReported) {
  try {
    Tool("no spaces", "");
    FAIL() << "not refused";
  } catch (const Refusal& refusal) {
    ASSERT_EQ(refusal.issues().size(), 2u);
    EXPECT_EQ(refusal.issues()[1].field, "description");
  }
}

TEST(Tool, CheckInPredicateThatThrowsDemandsOne) {
  Tool tool("reset", "Resets a port.");
  EXPECT_FALSE(tool.demands_check_in({}));
  tool.check_in([](const json::Value& arguments) { return arguments.at("port").is_string(); });
  EXPECT_TRUE(tool.demands_check_in({}));  // at() throws: the demand cannot be judged
  EXPECT_FALSE(tool.demands_check_in(json::object({{"port", 1}})));
}

TEST(Schema, FromTypes) {
  const json::Value built = schema::object()
                                .property<std::string>("port", "The port.")
                                .property<std::optional<std::vector<int>>>("lanes", "Lanes.")
                                .one_of("state", "State.", {"up", "down"})
                                .build();
  EXPECT_EQ(json::dump(built),
            R"({"type":"object","properties":{"port":{"type":"string","description":"The port."},)"
            R"("lanes":{"type":"array","items":{"type":"integer"},"description":"Lanes."},)"
            R"("state":{"type":"string","enum":["up","down"],"description":"State."}},)"
            R"("required":["port","state"],"additionalProperties":false})");
  const auto compiled = json::Schema::compile(built);
  ASSERT_TRUE(compiled);
  EXPECT_TRUE(compiled->check(json::object({{"port", "fc1/3"}, {"state", "up"}})).empty());
  EXPECT_FALSE(compiled->check(json::object({{"port", "fc1/3"}, {"state", "sideways"}})).empty());
  EXPECT_FALSE(
      compiled->check(json::object({{"port", "x"}, {"state", "up"}, {"extra", 1}})).empty());
  EXPECT_EQ(json::dump(schema::of<bool>()), R"({"type":"boolean"})");
  EXPECT_EQ(json::dump(schema::of<double>()), R"({"type":"number"})");
  EXPECT_EQ(json::dump(schema::of<json::Value>()), "{}");
}

TEST(ToolResult, CarriesWhatItWasMadeOf) {
  EXPECT_EQ(ToolResult::text("a").kind(), ToolResult::Kind::text);
  EXPECT_EQ(ToolResult::error("b").message(), "b");
  EXPECT_EQ(ToolResult::ask(Question("go?")).question()->question, "go?");
  const ToolResult partial = ToolResult::json(json::array({1}))
                                 .with_status(ToolStatus::partial)
                                 .with_effect(ToolEffect("note", json::Value("x")));
  EXPECT_EQ(partial.status(), ToolStatus::partial);
  EXPECT_EQ(partial.effects().at(0).kind, "note");
  for (const char* name :
       {"success", "failure", "denied", "invalid", "partial", "pending", "absent"}) {
    EXPECT_EQ(name_of(*parse_tool_status(name)), name);
  }
  EXPECT_FALSE(parse_tool_status("Success"));
}

TEST(Policy, Decisions) {
  EXPECT_EQ(Permission::halt("why").kind(), Permission::Kind::halt);
  EXPECT_EQ(Permission::deny("why", "tell").tell_model(), "tell");
  EXPECT_EQ(Permission::allow("rule-7").rule(), "rule-7");
  EXPECT_EQ(Decision::change(1, " ").kind(), Decision::Kind::deny);
  EXPECT_EQ(Decision::change(1, "masked").why(), "masked");
  EXPECT_FALSE(Decision::deny("").why().empty());
  EXPECT_EQ(Decision::ask(Question("sure?")).question()->question, "sure?");
  EXPECT_EQ(refused([] { Middleware(" "); }), "middleware-name");
  Middleware middleware("mask");
  EXPECT_FALSE(middleware.has_hook());
  middleware.on(Moment::output, [](const MiddlewareView&) { return Decision::allow(); });
  EXPECT_TRUE(middleware.has_hook());
  EXPECT_TRUE(middleware.hook(Moment::output));
  EXPECT_FALSE(middleware.hook(Moment::input));
}

TEST(Names, AreTheWireWords) {
  EXPECT_EQ(name_of(EventKind::turn_start), "turn_start");
  EXPECT_EQ(name_of(EventKind::tool_end), "tool_end");
  EXPECT_EQ(name_of(EventKind::check), "check");
  EXPECT_EQ(name_of(CheckRow::Outcome::could_not_run), "could-not-run");
  EXPECT_EQ(name_of(EarlyStop::Reason::deadline), "deadline");
  EXPECT_EQ(name_of(Pending::Kind::check_in), "check-in");
  EXPECT_EQ(name_of(Stopped::Reason::refused_by_model), "refused-by-model");
  EXPECT_EQ(name_of(Moment::after_tool), "after-tool");
}

}  // namespace
}  // namespace agentfootprint
