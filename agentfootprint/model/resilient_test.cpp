// Retry, fallback and breakers, in virtual time.
#include "agentfootprint/model/resilient.hpp"

#include <gtest/gtest.h>

#include "agentfootprint/model/scripted.hpp"

namespace agentfootprint {
namespace {

using Kind = ModelError::Kind;

// A scripted model under another identity.
class Named final : public Model {
 public:
  explicit Named(std::string id) : id_(std::move(id)) {}
  ScriptedModel script;
  [[nodiscard]] const std::string& provider_id() const noexcept override { return id_; }
  [[nodiscard]] Task<ModelResponse> complete(const ModelRequest& request, CancelToken cancel,
                                             TextSink on_text) override {
    ++calls;
    return script.complete(request, std::move(cancel), std::move(on_text));
  }
  int calls = 0;

 private:
  std::string id_;
};

struct Fixture : ::testing::Test {
  DeterministicLoop loop;
  SeededRandom random{1};
  std::shared_ptr<Named> a = std::make_shared<Named>("a");
  std::shared_ptr<Named> b = std::make_shared<Named>("b");
  ModelRequest request{"m"};

  ResilienceOptions options() {
    ResilienceOptions made;
    made.clock = &loop.clock();
    made.random = &random;
    return made;
  }
  static ScriptedReply fails(Kind kind, std::optional<std::int64_t> after = {}) {
    return ScriptedReply("x").fail(ModelError(kind, "no", false, after));
  }
};

TEST_F(Fixture, RetriesWithBackoffAndTellsOfIt) {
  ResilientModel model({a}, options());
  a->script.then(fails(Kind::server)).then(fails(Kind::network)).then(ScriptedReply("yes"));
  std::vector<std::int64_t> delays;
  request.on_attempt = [&](const ModelAttempt& attempt) { delays.push_back(attempt.delay_ms); };
  EXPECT_EQ(loop.run(model.complete(request, {}, {})).text, "yes");
  ASSERT_EQ(delays.size(), 2u);
  EXPECT_GE(delays[0], 100);
  EXPECT_LE(delays[0], 200);
  EXPECT_GE(delays[1], 200);
  EXPECT_LE(delays[1], 400);
  EXPECT_EQ(loop.clock().wall_ms(), delays[0] + delays[1]);
}

TEST_F(Fixture, HonoursRetryAfterUpToTheCap) {
  ResilientModel model({a}, options());
  a->script.then(fails(Kind::rate_limit, 3'000)).then(fails(Kind::rate_limit, 999'999'000));
  a->script.then(ScriptedReply("yes"));
  EXPECT_EQ(loop.run(model.complete(request, {}, {})).text, "yes");
  EXPECT_EQ(loop.clock().wall_ms(), 13'000);
}

TEST_F(Fixture, FallsBackToTheNextModel) {
  ResilientModel model({a, b}, options());
  for (int i = 0; i < 3; ++i) a->script.then(fails(Kind::overloaded));
  b->script.then(ScriptedReply("from b"));
  EXPECT_EQ(loop.run(model.complete(request, {}, {})).text, "from b");
  EXPECT_EQ(a->calls, 3);
  EXPECT_EQ(b->calls, 1);
}

TEST_F(Fixture, NeverRepeatsWhatCannotBeTakenBackOrHelped) {
  ResilientModel model({a, b}, options());
  a->script.then(ScriptedReply("ab").chunks({"a", "b"}).fail(ModelError(Kind::network, "gone"), 1));
  std::string text;
  EXPECT_THROW(loop.run(model.complete(request, {}, [&](std::string_view d) { text += d; })),
               ModelError);
  EXPECT_EQ(text, "a");
  EXPECT_EQ(a->calls, 1);
  a->script.then(fails(Kind::quota));
  EXPECT_THROW(loop.run(model.complete(request, {}, {})), ModelError);
  EXPECT_EQ(a->calls, 2);
  EXPECT_EQ(b->calls, 0);
}

TEST_F(Fixture, BreakerOpensAcrossCallsAndLetsOneProbeThrough) {
  ResilienceOptions quick = options();
  quick.max_attempts = 1;
  quick.failure_threshold = 2;
  ResilientModel model({a, b}, quick);
  for (int i = 0; i < 3; ++i) a->script.then(fails(Kind::server));
  a->script.then(ScriptedReply("a again"));
  for (int i = 0; i < 4; ++i) b->script.then(ScriptedReply("b"));
  EXPECT_EQ(loop.run(model.complete(request, {}, {})).text, "b");
  EXPECT_EQ(model.breaker_of("a"), ResilientModel::Breaker::closed);
  EXPECT_EQ(loop.run(model.complete(request, {}, {})).text, "b");
  EXPECT_EQ(model.breaker_of("a"), ResilientModel::Breaker::open);
  EXPECT_EQ(loop.run(model.complete(request, {}, {})).text, "b");
  EXPECT_EQ(a->calls, 2);
  loop.clock().advance_ms(30'000);
  EXPECT_EQ(model.breaker_of("a"), ResilientModel::Breaker::half_open);
  EXPECT_EQ(loop.run(model.complete(request, {}, {})).text, "b");  // the probe fails
  EXPECT_EQ(a->calls, 3);
  EXPECT_EQ(model.breaker_of("a"), ResilientModel::Breaker::open);
  loop.clock().advance_ms(30'000);
  EXPECT_EQ(loop.run(model.complete(request, {}, {})).text, "a again");
  EXPECT_EQ(model.breaker_of("a"), ResilientModel::Breaker::closed);
}

TEST_F(Fixture, AnEmptyCutStreamIsTriedAgain) {
  ResilientModel model({a}, options());
  a->script.then(ScriptedReply().cut()).then(ScriptedReply("yes"));
  EXPECT_EQ(loop.run(model.complete(request, {}, {})).text, "yes");
}

TEST_F(Fixture, CancellationReachesTheBackoff) {
  ResilientModel model({a}, options());
  a->script.then(fails(Kind::server)).then(ScriptedReply("never"));
  CancelSource source;
  source.set_deadline(loop.clock(), loop.clock().steady_ns() + 50'000'000);
  EXPECT_THROW(loop.run(model.complete(request, source.token(), {})), Error);
  EXPECT_EQ(a->calls, 1);
}

TEST_F(Fixture, RefusesWhatCannotWork) {
  EXPECT_THROW(ResilientModel({}, options()), Refusal);
  ResilienceOptions none = options();
  none.max_attempts = 0;
  EXPECT_THROW(ResilientModel({a}, none), Refusal);
  ResilientModel model({a, b}, options());
  EXPECT_EQ(model.provider_id(), "a|b");
  EXPECT_FALSE(model.carries_forced_tool());
}

}  // namespace
}  // namespace agentfootprint
