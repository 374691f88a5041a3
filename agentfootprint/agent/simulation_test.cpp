// A seeded simulation: model, tools and clock from one seed, with faults everywhere. Every seed
// that fails replays from its number.
#include <gtest/gtest.h>

#include <cstdlib>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/base/random.hpp"

namespace agentfootprint {
namespace {

constexpr const char* kTools[] = {"fast", "slow", "boom", "hang", "ask", "guarded", "missing"};

// One world from a seed.
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed), script_random_(seed ^ 0x5DEECE66DULL) {
    auto model = std::make_shared<ScriptedModel>(
        [this](const ModelRequest& request) { return reply(request); });
    model->use_clock(loop_.clock());
    AgentBuilder builder(model, "m");
    builder.max_iterations(6)
        .tool(make("fast", 0))
        .tool(make("slow", 20))
        .tool(boom())
        .tool(hang())
        .tool(ask());
    Tool guarded = make("guarded", 1);
    guarded.check_in([](const json::Value& arguments) {
      return arguments.at("n").as_int64().value_or(0) % 2 == 0;
    });
    builder.tool(std::move(guarded));
    if (chance(2)) builder.findings();
    if (chance(2)) {
      evidence::GateOptions gate;
      gate.posture = chance(2) ? evidence::Posture::guard : evidence::Posture::rails;
      builder.names_and_numbers_from_evidence(gate);
    }
    if (chance(3)) arm_window(builder);
    spec_.emplace(builder.build());
  }

  void play() {
    RunResult result = loop_.run(run_task(*spec_, Conversation(), "go", options()));
    check(result);
    for (int turns = 0; turns < 6; ++turns) {
      if (const Paused* paused = result.paused()) {
        std::vector<Resolution> answers;
        for (const Pending& pending : paused->pending) answers.push_back(answer(pending));
        result = loop_.run(resume_task(*spec_, paused->checkpoint, answers, options()));
      } else if (const Failed* failed = result.failed()) {
        ASSERT_FALSE(failed->checkpoint.is_null());
        result = loop_.run(resume_on_error_task(*spec_, failed->checkpoint, options()));
      } else if (result.answer() != nullptr && chance(2)) {
        RunOptions next = options();
        next.finding_rows = result.facts().finding_rows;
        if (chance(2)) next.window = result.facts().window;
        result =
            loop_.run(run_task(*spec_, std::move(result).take_conversation(), "and then?", next));
      } else {
        break;
      }
      check(result);
    }
    loop_.drain();
  }

 private:
  // A window over short conversations: it moves often; its summariser fails now and then.
  void arm_window(AgentBuilder& builder) {
    const auto keep = static_cast<std::int64_t>(1 + random_.below(3));
    if (chance(2)) {
      builder.window(context::WindowStrategy::sliding(keep));
      return;
    }
    auto small = std::make_shared<ScriptedModel>([this](const ModelRequest&) {
      ScriptedReply made(script_random_.below(4) == 0 ? std::string(900, 's') : "s");
      if (script_random_.below(4) == 0) made.fail(ModelError(ModelError::Kind::server, "fault"));
      if (script_random_.below(3) == 0) made.delay_ms(7);
      return made;
    });
    small->use_clock(loop_.clock());
    builder.window(context::WindowStrategy::summarise_oldest(5, keep)).summariser(small, "small");
  }

  bool chance(std::uint64_t of) { return random_.below(of) == 0; }

  RunOptions options() {
    RunOptions made;
    made.clock = &loop_.clock();
    made.random = &random_;
    if (chance(6)) made.deadline_ms = static_cast<std::int64_t>(random_.below(60));
    if (chance(8)) {
      source_ = CancelSource();
      source_.set_deadline(
          loop_.clock(),
          loop_.clock().steady_ns() + static_cast<std::int64_t>(random_.below(50)) * 1'000'000);
      made.cancel = source_.token();
    }
    return made;
  }

  Resolution answer(const Pending& pending) {
    switch (pending.kind) {
      case Pending::Kind::ask:
        return Resolution::value(pending.id, chance(2) ? json::Value(false) : json::Value("yes"));
      case Pending::Kind::credential:
        return Resolution::retry(pending.id);
      default:
        return chance(2) ? Resolution::approve(pending.id, "ann")
                         : Resolution::decline(pending.id, "ann");
    }
  }

  ScriptedReply reply(const ModelRequest& request) {
    check_request(request);
    ScriptedReply made(script_random_.below(3) == 0
                           ? "value 4" + std::to_string(script_random_.below(9000))
                           : "text");
    if (script_random_.below(12) == 0) {
      made.fail(ModelError(
          script_random_.below(2) == 0 ? ModelError::Kind::server : ModelError::Kind::quota,
          "fault"));
    }
    if (script_random_.below(15) == 0) made.cut();
    if (script_random_.below(30) != 0) {
      Usage usage;
      usage.input_tokens = static_cast<std::int64_t>(script_random_.below(12));
      made.usage(usage);
    }
    if (script_random_.below(4) == 0)
      made.delay_ms(static_cast<std::int64_t>(script_random_.below(30)));
    const std::uint64_t calls = request.tools().empty() ? 0 : script_random_.below(4);
    for (std::uint64_t i = 0; i < calls; ++i) {
      const char* name = kTools[script_random_.below(std::size(kTools))];
      if (script_random_.below(8) == 0) {
        made.call_text(name, "{\"n\": ");
      } else {
        made.call(name, json::object({{"n", script_random_.below(5)}}), "dup");
      }
    }
    if (script_random_.below(25) == 0) made.stop(StopReason::max_tokens);
    return made;
  }

  // Every call that was served has its result right behind it: strict providers accept the request.
  static void check_request(const ModelRequest& request) {
    const auto& messages = request.messages();
    ASSERT_FALSE(messages.empty());
    EXPECT_EQ(messages[0].message->role, Role::user);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const std::size_t calls = messages[i].message->calls.size();
      if (i > 0 && messages[i].message->is_result()) {
        const Message& before = *messages[i - 1].message;
        EXPECT_TRUE(before.is_result() || !before.calls.empty()) << "a result without its call";
      }
      for (std::size_t c = 1; c <= calls; ++c) {
        ASSERT_LT(i + c, messages.size());
        EXPECT_EQ(messages[i + c].message->role, Role::tool);
      }
    }
  }

  Tool make(std::string name, std::int64_t ms) {
    Tool tool(std::move(name), "Works.");
    tool.input(schema::object().property<int>("n", "A number.").build()).parallel_safe();
    tool.run_async([ms](json::Value arguments, ToolContext& context) -> Task<ToolResult> {
      if (ms > 0) co_await sleep_for(context.clock(), ms, context.cancel());
      co_return ToolResult::json(json::object({{"n", arguments.at("n")}, {"id", "vol-77"}}));
    });
    return tool;
  }
  static Tool boom() {
    Tool tool("boom", "Throws.");
    tool.run(
        [](const json::Value&, ToolContext&) -> ToolResult { throw std::runtime_error("boom"); });
    return tool;
  }
  static Tool hang() {
    Tool tool("hang", "Hangs.");
    tool.timeout_ms(15);
    tool.run_async([](json::Value, ToolContext& context) -> Task<ToolResult> {
      co_await sleep_for(context.clock(), 500);
      context.progress(json::Value("late"));
      co_return ToolResult::text("late");
    });
    return tool;
  }
  static Tool ask() {
    Tool tool("ask", "Asks.");
    tool.run([](const json::Value&, ToolContext&) { return ToolResult::ask(Question("?")); });
    return tool;
  }

  void check(const RunResult& result) {
    const Conversation& conversation = result.facts().conversation;
    const std::size_t waiting = result.paused() != nullptr ? result.paused()->pending.size() : 0;
    EXPECT_EQ(conversation.open_calls().size(), waiting);
    std::set<CallKey> settled;
    for (std::uint32_t i = 0; i < conversation.size(); ++i) {
      if (const auto key = conversation.key_of_result(i)) {
        EXPECT_FALSE(key->orphan);
        EXPECT_TRUE(settled.insert(*key).second) << "settled twice";
      }
      if (conversation[i].role == Role::user) {
        EXPECT_EQ(conversation[i].origin, Origin::person);
      }
    }
    EXPECT_LE(result.facts().iterations, 7u);
    if (const Stopped* stopped = result.stopped()) {
      EXPECT_FALSE(stopped->checkpoint.is_null());
    }
  }

  DeterministicLoop loop_;
  SeededRandom random_;
  SeededRandom script_random_;
  CancelSource source_;
  std::optional<AgentSpec> spec_;
};

TEST(Simulation, TenThousandSeedsKeepTheInvariants) {
  // AGENTFOOTPRINT_SEED replays one seed.
  const char* replay = std::getenv("AGENTFOOTPRINT_SEED");
  const std::uint64_t first = replay == nullptr ? 0 : std::strtoull(replay, nullptr, 10);
  const std::uint64_t last = replay == nullptr ? 10'000 : first + 1;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    World world(seed);
    world.play();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace agentfootprint
