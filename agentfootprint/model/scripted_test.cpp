// The scripted model and the request it is given.
#include "agentfootprint/model/scripted.hpp"

#include <gtest/gtest.h>

namespace agentfootprint {
namespace {

ModelResponse ask(ScriptedModel& model, TextSink on_text = {}, CancelToken cancel = {}) {
  ModelRequest request("m");
  return run_blocking(model.complete(request, cancel, std::move(on_text)));
}

TEST(ScriptedModel, RepliesInOrderAndSaysWhenItHasNone) {
  ScriptedModel model;
  model.then(ScriptedReply().call("ports", json::object({{"port", "fc1/3"}})));
  model.then(ScriptedReply("down"));
  const ModelResponse first = ask(model);
  ASSERT_EQ(first.calls.size(), 1u);
  EXPECT_EQ(first.calls[0].wire_id, "call_0");
  EXPECT_EQ(*first.calls[0].arguments_text, R"({"port":"fc1/3"})");
  EXPECT_EQ(first.stop_reason, StopReason::tool_use);
  EXPECT_EQ(ask(model).text, "down");
  try {
    ask(model);
    FAIL() << "a third reply";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.kind(), ModelError::Kind::exhausted_script);
    EXPECT_FALSE(error.retryable());
  }
  EXPECT_EQ(model.requests_seen(), 3u);
}

TEST(ScriptedModel, StreamsInChosenChunks) {
  ScriptedModel model;
  model.then(ScriptedReply("ab").chunks({"a", "b"}));
  std::vector<std::string> seen;
  const ModelResponse response =
      ask(model, [&](std::string_view delta) { seen.emplace_back(delta); });
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(response.complete);
}

TEST(ScriptedModel, FailsBeforeOrBehindTokens) {
  ScriptedModel model;
  model.then(ScriptedReply("ab")
                 .chunks({"a", "b"})
                 .fail(ModelError(ModelError::Kind::overloaded, "busy", false, 250), 1));
  model.then(ScriptedReply("ab").fail(ModelError(ModelError::Kind::network, "gone")));
  model.then(ScriptedReply("ab").cut());
  std::string text;
  try {
    ask(model, [&](std::string_view delta) { text += delta; });
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_TRUE(error.tokens_seen());
    EXPECT_TRUE(error.retryable());
    EXPECT_EQ(error.retry_after_ms(), 250);
    EXPECT_EQ(error.code(), "model-overloaded");
  }
  EXPECT_EQ(text, "a");
  EXPECT_THROW(ask(model), ModelError);
  EXPECT_FALSE(ask(model).complete);
}

TEST(ScriptedModel, WaitsOnItsClockAndStopsWhenCancelled) {
  DeterministicLoop loop;
  ScriptedModel model;
  model.use_clock(loop.clock());
  model.then(ScriptedReply("late").delay_ms(5'000));
  ModelRequest request("m");
  EXPECT_EQ(loop.run(model.complete(request, {}, {})).text, "late");
  EXPECT_EQ(loop.clock().wall_ms(), 5'000);
  CancelSource source;
  source.cancel("enough");
  model.then(ScriptedReply("never"));
  EXPECT_THROW(ask(model, {}, source.token()), Error);
}

TEST(ModelRequest, JoinsSystemPiecesAndServesReplacedContent) {
  ModelRequest request("m");
  request.add_system("a").add_system("").add_system("b").set_last_piece("offer");
  EXPECT_EQ(request.joined_system(), "a\n\nb");
  EXPECT_EQ(request.last_piece(), "offer");
  EXPECT_TRUE(request.tools().empty());
  ServedMessage served;
  served.message = std::make_shared<const Message>(Message::user("long"));
  EXPECT_EQ(served.served_content().as_string(), "long");
  served.content = json::Value("short");
  EXPECT_EQ(served.served_content().as_string(), "short");
}

TEST(Usage, UnknownStaysUnknown) {
  Usage total;
  total += Usage();
  EXPECT_FALSE(total.input_tokens);
  Usage known;
  known.input_tokens = 4;
  total += known;
  total += known;
  EXPECT_EQ(total.input_tokens, 8);
  EXPECT_FALSE(total.output_tokens);
}

TEST(ModelNames, AreTheWireWords) {
  EXPECT_EQ(name_of(StopReason::refusal), "refusal");
  EXPECT_EQ(name_of(StopReason::other), "other");
  EXPECT_EQ(name_of(ModelError::Kind::context_window), "context-window");
}

}  // namespace
}  // namespace agentfootprint
