// The pipeline of a call: permission, middleware, check-in, credentials, limits, placement; batches
// that are cut; pauses and what answers them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/artifacts/store.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

json::Value nothing() {
  return json::object(std::vector<json::Member>{});
}

struct Rules final : PermissionPolicy {
  std::function<Permission(const PermissionQuestion&)> rule;
  std::vector<std::string> asked;
  Permission check(const PermissionQuestion& question) override {
    asked.push_back(std::string(question.capability) + ":" + std::string(question.tool));
    return rule(question);
  }
  bool governs(std::string_view capability) const override { return capability == "external_net"; }
};

struct Dispatch : ::testing::Test, ScriptedRuns {};

TEST_F(Dispatch, DenyTellsTheRationaleAndHaltStops) {
  auto rules = std::make_shared<Rules>();
  rules->rule = [](const PermissionQuestion& question) {
    if (question.arguments.at("port").as_string() == "fc1/1") return Permission::deny("not yours");
    if (question.arguments.at("port").as_string() == "fc1/2") return Permission::halt("forbidden");
    return Permission::allow();
  };
  model->then(ScriptedReply()
                  .call("ports", port("fc1/1"))
                  .call("ports", port("fc1/2"))
                  .call("ports", port("fc1/3")));
  const RunResult result = go(builder().tool(port_tool()).permission(rules).build());
  ASSERT_NE(result.stopped(), nullptr);
  EXPECT_EQ(result.stopped()->reason, Stopped::Reason::policy);
  EXPECT_EQ(result.stopped()->message, "forbidden");
  const auto texts = results_of(result.facts().conversation);
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_THAT(texts[0], HasSubstr("not yours"));
  EXPECT_THAT(texts[1], Not(HasSubstr("forbidden")));
  EXPECT_THAT(texts[2], HasSubstr("was not run"));
  EXPECT_TRUE(result.facts().conversation.open_calls().empty());
  for (const std::uint32_t index : result.facts().conversation.results()) {
    EXPECT_FALSE(result.facts().conversation[index].dispatched);
  }
}

TEST_F(Dispatch, AThrowingCheckerDeniesWithoutTellingWhy) {
  auto rules = std::make_shared<Rules>();
  rules->rule = [](const PermissionQuestion&) -> Permission {
    throw std::runtime_error("secret db");
  };
  model->then(ScriptedReply().call("ports", port("fc1/1"))).then(ScriptedReply("ok"));
  const RunResult result = go(builder().tool(port_tool()).permission(rules).build());
  const std::string text = results_of(result.facts().conversation).at(0);
  EXPECT_THAT(text, HasSubstr("could not be checked"));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
}

TEST_F(Dispatch, DeclaredCapabilitiesAreAskedOnlyWhenGoverned) {
  auto rules = std::make_shared<Rules>();
  rules->rule = [](const PermissionQuestion&) { return Permission::allow(); };
  Tool tool = port_tool();
  tool.capabilities({"external_net", "user_data"});
  model->then(ScriptedReply().call("ports", port("fc1/1"))).then(ScriptedReply("ok"));
  (void)go(builder().tool(std::move(tool)).permission(rules).build());
  EXPECT_THAT(rules->asked, ElementsAre("tool_call:ports", "external_net:ports"));
}

TEST_F(Dispatch, TransformedArgumentsAreWhatIsValidated) {
  Middleware breaker("breaker");
  breaker.on(Moment::before_tool, [](const MiddlewareView&) {
    return Decision::change(json::object({{"port", 7}}), "numbers are nicer");
  });
  model->then(ScriptedReply().call("ports", port("fc1/1"))).then(ScriptedReply("ok"));
  const RunResult result = go(builder().tool(port_tool()).middleware(breaker).build());
  EXPECT_THAT(results_of(result.facts().conversation).at(0), HasSubstr("do not fit"));
  const json::Value& row = result.facts().middleware_rows.at(0);
  EXPECT_EQ(json::dump(row.at("after")), R"({"port":7})");
  EXPECT_EQ(json::dump(row.at("before")), R"({"port":"fc1/1"})");
}

TEST_F(Dispatch, AfterMiddlewareRunsInReverseAndMayHideAResult) {
  std::vector<std::string> order;
  Middleware outer("outer");
  outer.on(Moment::after_tool, [&](const MiddlewareView&) {
    order.push_back("outer");
    return Decision::deny("not for the model");
  });
  Middleware inner("inner");
  inner.on(Moment::after_tool, [&](const MiddlewareView& view) {
    order.push_back("inner");
    return Decision::change(json::Value(std::string(*view.value.as_string()) + "!"), "louder");
  });
  model->then(ScriptedReply().call("ports", port("fc1/1"))).then(ScriptedReply("ok"));
  const RunResult result =
      go(builder().tool(port_tool()).middleware(outer).middleware(inner).build());
  EXPECT_THAT(order, ElementsAre("inner", "outer"));
  const std::string text = results_of(result.facts().conversation).at(0);
  EXPECT_THAT(text, HasSubstr("not for the model"));
  EXPECT_THAT(text, Not(HasSubstr("41200")));
}

TEST_F(Dispatch, CeilingRefusesAndCapCutsWithAnEnvelope) {
  const auto big = [](std::string name) {
    Tool tool(std::move(name), "Returns much.");
    tool.run(
        [](const json::Value&, ToolContext&) { return ToolResult::text(std::string(5'000, 'x')); });
    return tool;
  };
  Tool refused = big("refused");
  refused.result_ceiling(100, "a smaller range");
  model->then(ScriptedReply().call("refused", nothing()).call("capped", nothing()));
  model->then(ScriptedReply("ok"));
  const RunResult result =
      go(builder().tool(std::move(refused)).tool(big("capped")).max_result_chars(500).build());
  const auto texts = results_of(result.facts().conversation);
  EXPECT_THAT(texts[0], HasSubstr("5000"));
  EXPECT_THAT(texts[0], HasSubstr("a smaller range"));
  EXPECT_LE(texts[1].size(), 500u);
  const auto envelope = json::parse(texts[1]);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->at("truncated").as_bool(), true);
  EXPECT_THAT(*envelope->at("head").as_string(), HasSubstr("xxx"));
  EXPECT_EQ(result.facts().conversation[2].status, ResultStatus::failed);
}

TEST_F(Dispatch, InvalidUtf8IsMendedForTheModel) {
  Tool tool("bytes", "Returns bytes.");
  tool.run([](const json::Value&, ToolContext&) { return ToolResult::text("cost \x97 12"); });
  model->then(ScriptedReply().call("bytes", nothing())).then(ScriptedReply("ok"));
  const RunResult result = go(builder().tool(std::move(tool)).build());
  EXPECT_EQ(results_of(result.facts().conversation).at(0), "cost \xEF\xBF\xBD 12");
}

TEST_F(Dispatch, InvalidUtf8InsideJsonIsMendedToo) {
  Tool tool("bytes", "Returns bytes.");
  tool.run([](const json::Value&, ToolContext&) {
    return ToolResult::json(json::object({{"cost", std::string("\x97 12")}}));
  });
  model->then(ScriptedReply().call("bytes", nothing())).then(ScriptedReply("ok"));
  const RunResult result = go(builder().tool(std::move(tool)).build());
  EXPECT_EQ(results_of(result.facts().conversation).at(0), "{\"cost\":\"\xEF\xBF\xBD 12\"}");
}

TEST_F(Dispatch, RepeatedCallsAreNotedOnceAndAtLastNotRun) {
  int runs = 0;
  Tool tool("same", "Always the same.");
  tool.run([&](const json::Value&, ToolContext&) {
    ++runs;
    return ToolResult::text("nothing new");
  });
  for (int i = 0; i < 7; ++i) {
    model->then(ScriptedReply().call("same", i % 2 == 0 ? json::object({{"a", 1}, {"b", 2}})
                                                        : json::object({{"b", 2}, {"a", 1}})));
  }
  model->then(ScriptedReply("done"));
  const RunResult result = go(builder().tool(std::move(tool)).build());
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(events.count("repeated_call:same"), 1u);
  EXPECT_THAT(model->requests().at(2).last_piece(), HasSubstr("same result"));
  EXPECT_THAT(model->requests().at(3).last_piece(), Not(HasSubstr("same result")));
  EXPECT_THAT(results_of(result.facts().conversation).back(), HasSubstr("not run again"));
}

TEST_F(Dispatch, APauseSettlesTheSiblingsBehindItAndResumes) {
  model->then(ScriptedReply()
                  .call("ports", port("a"), "x")
                  .call("approve", nothing(), "x")
                  .call("ports", port("c"), "x"));
  const AgentSpec spec = builder().tool(port_tool()).tool(asking("which port?")).build();
  const RunResult paused = go(spec);
  ASSERT_NE(paused.paused(), nullptr);
  ASSERT_EQ(paused.paused()->pending.size(), 1u);
  EXPECT_EQ(paused.paused()->pending[0].id, "[1,1]");
  EXPECT_EQ(paused.paused()->pending[0].question.question, "which port?");
  EXPECT_EQ(paused.facts().conversation.size(), 4u);
  const json::Value checkpoint = json::parse_or_throw(json::dump(paused.paused()->checkpoint));

  model->then(ScriptedReply("done"));
  const RunResult done = resume(spec, checkpoint, {Resolution::value("[1,1]", false)}, options());
  ASSERT_NE(done.answer(), nullptr) << (done.failed() ? done.failed()->message : "");
  const Conversation& conversation = done.facts().conversation;
  EXPECT_EQ(conversation.result_of(CallKey{1, 1, false}).has_value(), true);
  EXPECT_EQ(conversation[*conversation.result_of(CallKey{1, 1, false})].text(), "false");
  EXPECT_THAT(conversation[*conversation.result_of(CallKey{1, 2, false})].text(),
              HasSubstr("was not run"));
  EXPECT_TRUE(conversation.open_calls().empty());
  EXPECT_EQ(done.facts().run_id, paused.facts().run_id);
}

std::string resume_error(const AgentSpec& spec, const json::Value& checkpoint,
                         std::vector<Resolution> resolutions) {
  try {
    (void)resume(spec, checkpoint, std::move(resolutions));
  } catch (const Error& error) {
    return error.code();
  }
  return "";
}

TEST_F(Dispatch, WrongAnswersAreRefusedAndTheCheckpointStaysGood) {
  model->then(ScriptedReply().call("approve", nothing()));
  const AgentSpec spec = builder().tool(asking("which port?")).build();
  const json::Value checkpoint = go(spec).paused()->checkpoint;
  EXPECT_EQ(resume_error(spec, checkpoint, {Resolution::approve("[1,0]", "ann")}), "resume-kind");
  EXPECT_EQ(resume_error(spec, checkpoint, {Resolution::value("[9,0]", 1)}), "resume-unknown");
  EXPECT_EQ(resume_error(spec, checkpoint,
                         {Resolution::value("[1,0]", 1), Resolution::value("[1,0]", 2)}),
            "resume-stale");
  EXPECT_EQ(resume_error(spec, json::Value("text"), {}), "resume-checkpoint");
  EXPECT_EQ(resume_error(spec, json::with_member(checkpoint, "version", 99), {}),
            "resume-checkpoint");
  const AgentSpec other = builder().tool(port_tool()).build();
  EXPECT_EQ(resume_error(other, checkpoint, {Resolution::value("[1,0]", 1)}), "resume-checkpoint");
  model->then(ScriptedReply("fine"));
  EXPECT_NE(resume(spec, checkpoint, {Resolution::value("[1,0]", "fc1/3")}).answer(), nullptr);
}

TEST_F(Dispatch, MiddlewareAsksOnceAndTheChainGoesOn) {
  int later = 0;
  Middleware first("first");
  first.on(Moment::before_tool,
           [](const MiddlewareView&) { return Decision::ask(Question("sure?")); });
  Middleware second("second");
  second.on(Moment::before_tool, [&](const MiddlewareView&) {
    return ++later == 1 ? Decision::allow() : Decision::ask(Question("really?"));
  });
  const AgentSpec spec = builder().tool(port_tool()).middleware(first).middleware(second).build();
  model->then(ScriptedReply().call("ports", port("a")));
  const RunResult paused = go(spec);
  ASSERT_NE(paused.paused(), nullptr);
  EXPECT_EQ(paused.paused()->pending[0].kind, Pending::Kind::middleware);
  model->then(ScriptedReply("ok"));
  const RunResult approved =
      resume(spec, paused.paused()->checkpoint, {Resolution::approve("[1,0]", "ann")});
  ASSERT_NE(approved.answer(), nullptr);
  EXPECT_THAT(results_of(approved.facts().conversation).at(0), HasSubstr("a is down"));
  EXPECT_EQ(*approved.facts().middleware_rows.at(1).at("by").as_string(), "ann");

  model->then(ScriptedReply("ok"));
  const RunResult second_ask =
      resume(spec, paused.paused()->checkpoint, {Resolution::approve("[1,0]", "ann")});
  EXPECT_THAT(results_of(second_ask.facts().conversation).at(0), HasSubstr("already asked once"));
  model->then(ScriptedReply("ok"));
  const RunResult declined = resume(spec, paused.paused()->checkpoint,
                                    {Resolution::decline("[1,0]", "ann", "not on Sundays")});
  EXPECT_THAT(results_of(declined.facts().conversation).at(0), HasSubstr("not on Sundays"));
}

TEST_F(Dispatch, CheckInShowsWhatWillBeDone) {
  Tool tool = port_tool("reset");
  tool.check_in();
  const AgentSpec spec = builder().tool(port_tool()).tool(std::move(tool)).build();
  model->then(ScriptedReply().call("ports", port("a")));
  model->then(ScriptedReply().call("reset", port("a")));
  const RunResult paused = go(spec);
  ASSERT_NE(paused.paused(), nullptr);
  const Pending& pending = paused.paused()->pending[0];
  EXPECT_EQ(pending.kind, Pending::Kind::check_in);
  EXPECT_EQ(*pending.question.data.at("willDo").as_string(), "reset");
  EXPECT_EQ(pending.question.data.at("trail").size(), 1u);
  model->then(ScriptedReply("ok"));
  EXPECT_NE(
      resume(spec, paused.paused()->checkpoint, {Resolution::approve("[3,0]", "ann")}).answer(),
      nullptr);
}

struct Vault final : CredentialProvider {
  bool consent = false;
  int asked = 0;
  Task<CredentialAnswer> get(const CredentialNeed&, const std::optional<Identity>&,
                             CancelToken) override {
    ++asked;
    if (!consent) co_return CredentialAnswer("https://consent.example/secret-url", "s1");
    const std::map<std::string, std::string> headers{{"Authorization", "Bearer t0ken"}};
    co_return CredentialAnswer(std::make_shared<const Credential>("bearer", headers));
  }
};

TEST_F(Dispatch, CredentialsPauseWithoutLeakingTheUrl) {
  auto vault = std::make_shared<Vault>();
  Tool tool("mail", "Reads mail.");
  tool.needs_credential(CredentialNeed("mail"));
  tool.run([](const json::Value&, ToolContext& context) {
    return ToolResult::text(context.credential() != nullptr ? "3 letters" : "no credential");
  });
  const AgentSpec spec = builder().tool(std::move(tool)).credentials(vault).build();
  model->then(ScriptedReply().call("mail", nothing()));
  const RunResult paused = go(spec);
  ASSERT_NE(paused.paused(), nullptr);
  EXPECT_EQ(paused.paused()->pending[0].authorization_url, "https://consent.example/secret-url");
  EXPECT_THAT(json::dump(paused.paused()->checkpoint), Not(HasSubstr("secret-url")));
  EXPECT_THAT(events.line(), Not(HasSubstr("secret-url")));
  vault->consent = true;
  model->then(ScriptedReply("ok"));
  const RunResult done = resume(spec, paused.paused()->checkpoint, {Resolution::retry("[1,0]")});
  EXPECT_EQ(results_of(done.facts().conversation).at(0), "3 letters");
  EXPECT_EQ(vault->asked, 2);
  EXPECT_THAT(json::dump(paused.paused()->checkpoint), Not(HasSubstr("t0ken")));
}

TEST_F(Dispatch, ParallelSafeToolsOverlapInExecuteOnly) {
  DeterministicLoop loop;
  model->use_clock(loop.clock());
  std::vector<std::string> log;
  Tool tool("wait", "Waits.");
  tool.input(schema::object().property<int>("ms", "How long.").build()).parallel_safe();
  tool.run_async([&](json::Value arguments, ToolContext& context) -> Task<ToolResult> {
    const std::int64_t ms = *arguments.at("ms").as_int64();
    log.push_back("start " + std::to_string(ms));
    co_await sleep_for(context.clock(), ms, context.cancel());
    log.push_back("end " + std::to_string(ms));
    co_return ToolResult::text(std::to_string(ms));
  });
  Middleware watcher("watcher");
  watcher.on(Moment::before_tool, [&](const MiddlewareView& view) {
    log.push_back("gate " + std::to_string(*view.value.at("ms").as_int64()));
    EXPECT_EQ(view.conversation.size(), 2u);
    return Decision::allow();
  });
  model->then(ScriptedReply()
                  .call("wait", json::object({{"ms", 30}}))
                  .call("wait", json::object({{"ms", 10}}))
                  .call("wait", json::object({{"ms", 20}})));
  model->then(ScriptedReply("ok"));
  const AgentSpec spec = builder().tool(std::move(tool)).middleware(watcher).build();
  RunOptions with = options();
  with.clock = &loop.clock();
  const RunResult result = loop.run(run_task(spec, Conversation(), "go", with));
  EXPECT_THAT(log, ElementsAre("gate 30", "gate 10", "gate 20", "start 30", "start 10", "start 20",
                               "end 10", "end 20", "end 30"));
  EXPECT_THAT(results_of(result.facts().conversation), ElementsAre("30", "10", "20"));
  EXPECT_EQ(loop.clock().wall_ms(), 30);
}

TEST_F(Dispatch, AToolThatHangsIsGivenUp) {
  DeterministicLoop loop;
  Tool tool("hang", "Hangs.");
  tool.timeout_ms(50);
  tool.run_async([](json::Value, ToolContext& context) -> Task<ToolResult> {
    co_await sleep_for(context.clock(), 1'000'000);  // never looks at its token
    co_return ToolResult::text("late 99999");
  });
  model->then(ScriptedReply().call("hang", nothing())).then(ScriptedReply("ok"));
  const AgentSpec spec = builder().tool(std::move(tool)).build();
  RunOptions with = options();
  with.clock = &loop.clock();
  const RunResult result = loop.run(run_task(spec, Conversation(), "go", with));
  EXPECT_THAT(results_of(result.facts().conversation).at(0), HasSubstr("within 50 ms"));
  EXPECT_EQ(result.facts().conversation[2].origin, Origin::library);
  EXPECT_EQ(loop.clock().wall_ms(), 50);
}

TEST_F(Dispatch, DeadlineReachesToolsAndStops) {
  DeterministicLoop loop;
  Tool tool("slow", "Slow.");
  tool.run_async([](json::Value, ToolContext& context) -> Task<ToolResult> {
    co_await sleep_for(context.clock(), 10'000, context.cancel());
    co_return ToolResult::text("never");
  });
  model->then(ScriptedReply().call("slow", nothing()).call("slow", nothing()));
  const AgentSpec spec = builder().tool(std::move(tool)).build();
  RunOptions with = options();
  with.clock = &loop.clock();
  with.deadline_ms = 100;
  const RunResult result = loop.run(run_task(spec, Conversation(), "go", with));
  ASSERT_NE(result.stopped(), nullptr);
  EXPECT_EQ(result.stopped()->reason, Stopped::Reason::deadline);
  EXPECT_TRUE(result.facts().conversation.open_calls().empty());
  EXPECT_EQ(results_of(result.facts().conversation).size(), 2u);
}

TEST_F(Dispatch, OversizedResultsBecomeTicketsAndWantedDatasetsComeBack) {
  auto store = open_artifact_store("memory:", ArtifactStoreOptions());
  Tool make("rows", "Makes rows.");
  make.run([](const json::Value&, ToolContext& context) {
    EXPECT_TRUE(context.artifacts().has_artifacts);
    json::ArrayBuilder rows;
    for (int i = 0; i < 200; ++i) rows.add(json::object({{"n", i}}));
    return ToolResult::json(rows.build());
  });
  Tool use("count", "Counts rows.");
  use.input(schema::object().property<std::string>("rows", "A ticket.").build());
  use.wants("rows", "tool-result/rows");
  use.run([](const json::Value& arguments, ToolContext&) {
    return ToolResult::text(std::to_string(arguments.at("rows").size()) + " rows");
  });
  auto clever = std::make_shared<ScriptedModel>([](const ModelRequest& request) {
    const auto& messages = request.messages();
    if (messages.size() == 1) return ScriptedReply().call("rows", nothing());
    if (messages.size() == 3) {
      const auto ticket = json::parse(messages[2].message->text());
      return ScriptedReply().call("count", json::object({{"rows", ticket->at("ref")}}));
    }
    if (messages.size() == 5)
      return ScriptedReply().call("count", json::object({{"rows", "no-such"}}));
    return ScriptedReply("done");
  });
  const RunResult result = run(AgentBuilder(clever, "m")
                                   .tool(std::move(make))
                                   .tool(std::move(use))
                                   .artifacts(store, 500)
                                   .build(),
                               Conversation(), "go");
  const auto texts = results_of(result.facts().conversation);
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_THAT(texts[0], HasSubstr("\"placed\":true"));
  EXPECT_EQ(texts[1], "200 rows");
  EXPECT_THAT(texts[2], HasSubstr("no-such"));
}

TEST_F(Dispatch, TeardownsRunNewestFirstBehindTheCallAndTheTurn) {
  std::vector<std::string> order;
  Tool tool("open", "Opens things.");
  tool.run([&](const json::Value&, ToolContext& context) {
    context.on_teardown([&] { order.push_back("run"); }, TeardownScope::run);
    context.on_teardown([&] { order.push_back("call 1"); });
    context.on_teardown([&] {
      order.push_back("call 2");
      throw std::runtime_error("cleanup failed");
    });
    return ToolResult::text("opened");
  });
  model->then(ScriptedReply().call("open", nothing())).then(ScriptedReply("ok"));
  EXPECT_NE(go(builder().tool(std::move(tool)).build()).answer(), nullptr);
  EXPECT_THAT(order, ElementsAre("call 2", "call 1", "run"));
}

TEST_F(Dispatch, AnEffectNobodyKnowsIsRefusedOutLoud) {
  Tool tool("jump", "Proposes.");
  tool.run([](const json::Value&, ToolContext&) {
    return ToolResult::text("ok").with_effect(ToolEffect("teleport", json::Value()));
  });
  model->then(ScriptedReply().call("jump", nothing())).then(ScriptedReply("ok"));
  (void)go(builder().tool(std::move(tool)).build());
  EXPECT_THAT(model->requests().at(1).last_piece(), HasSubstr("teleport"));
}

}  // namespace
}  // namespace agentfootprint
