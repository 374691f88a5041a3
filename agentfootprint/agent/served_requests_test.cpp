// Requests are kept from call to call and only what changed is put in: what a model is served must
// be what serving everything anew would give, and the record must say the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "agentfootprint/agent/agent_fixture.hpp"
#include "agentfootprint/base/random.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/record/reader.hpp"
#include "agentfootprint/record/sink.hpp"

namespace agentfootprint {
namespace {

constexpr int kCalls = 40;
constexpr std::string_view kWords[] = {"fact", "open", "noise", "ruled-out"};

// Every result is worth a step of collapse by itself.
Tool dump_tool() {
  Tool tool("dump", "Dumps one port.");
  tool.input(schema::object().property<int>("port", "The port.").build());
  tool.run([](const json::Value& arguments, ToolContext&) {
    return ToolResult::text(
        fmt::format("fc1/{} {}", *arguments.at("port").as_int64(), std::string(5'000, 'x')));
  });
  return tool;
}

// The texts of a request in wire order, as a record lists them.
std::vector<std::string> items_of(const ModelRequest& request) {
  std::vector<std::string> items(request.system());
  if (!request.upstream_piece().empty()) items.push_back(request.upstream_piece());
  for (const ServedMessage& served : request.messages()) {
    items.emplace_back(*served.served_content().as_string());
    for (const ToolCall& call : served.message->calls) items.push_back(*call.arguments_text);
  }
  if (!request.last_piece().empty()) items.push_back(request.last_piece());
  return items;
}

// A model that calls, and gives any earlier result any standing; it looks at what it is served.
class Judging {
 public:
  Judging(std::uint64_t seed, bool declares) : random_(seed), declares_(declares) {}

  ScriptedReply reply(const ModelRequest& request) {
    requests.push_back(items_of(request));
    for (const ServedMessage& served : request.messages()) {
      if (served.message->is_result() && declares_) look_at(served);
    }
    if (calls_ == kCalls) return ScriptedReply("that is all");
    json::ObjectBuilder arguments;
    arguments.add("port", calls_);
    if (declares_ && calls_ > 0 && random_.below(4) > 0) {
      const std::string id =
          fmt::format("c{}", 1 + random_.below(static_cast<std::uint64_t>(calls_)));
      const std::string_view word = kWords[random_.below(4)];
      standings_[id] = word;
      const json::Value one = json::object({{"toolCallId", id}, {"standing", word}});
      arguments.add("_findings", json::object({{"previous", json::array({one})}}));
    }
    ++calls_;
    return ScriptedReply().call("dump", arguments.build(), "call_0");
  }

  std::vector<std::vector<std::string>> requests;
  std::size_t collapsed = 0;

 private:
  void look_at(const ServedMessage& served) {
    ASSERT_TRUE(served.tool_call_id.has_value());
    const auto standing = standings_.find(*served.tool_call_id);
    const bool retired = standing != standings_.end() &&
                         (standing->second == "noise" || standing->second == "ruled-out");
    ASSERT_EQ(served.content.has_value(), retired) << *served.tool_call_id;
    if (!retired) return;
    ++collapsed;
    const json::Value ticket = json::parse_or_throw(*served.content->as_string());
    EXPECT_EQ(ticket.at("standing").as_string(), standing->second);
    EXPECT_EQ(ticket.at("toolCallId").as_string(), std::string_view(*served.tool_call_id));
  }

  SeededRandom random_;
  bool declares_;
  int calls_ = 0;
  std::map<std::string, std::string_view> standings_;  // by the id a result is served with
};

struct Mode {
  bool findings = true;
  bool window = false;
  findings::Placement piece = findings::Placement::last;
};

void serve(std::uint64_t seed, const Mode& mode) {
  SCOPED_TRACE(fmt::format("seed {}, findings {}, window {}, piece {}", seed, mode.findings,
                           mode.window, static_cast<int>(mode.piece)));
  auto judging = std::make_shared<Judging>(seed, mode.findings);
  auto model = std::make_shared<ScriptedModel>(
      [judging](const ModelRequest& request) { return judging->reply(request); });
  AgentBuilder builder(model, "m");
  builder.system("You look at ports.").tool(dump_tool()).max_iterations(kCalls + 1);
  if (mode.findings) {
    findings::FindingsOptions options;
    options.piece = mode.piece;
    builder.findings(options);
  }
  if (mode.window) builder.window(context::WindowStrategy::sliding(6));
  auto sink = std::make_shared<MemorySink>();
  RunOptions options;
  options.record = sink;
  ASSERT_NE(run(builder.build(), Conversation(), "go", options).answer(), nullptr);
  EXPECT_EQ(judging->collapsed > 0, mode.findings);
  const Footprint footprint = read_footprint(sink->text());
  EXPECT_TRUE(footprint.intact());
  ASSERT_EQ(footprint.requests.size(), judging->requests.size());
  for (std::size_t at = 0; at < footprint.requests.size(); ++at) {
    std::vector<std::string> recorded;
    for (const auto& item : footprint.requests[at].items) recorded.push_back(*item);
    ASSERT_EQ(recorded, judging->requests[at]) << "request " << at;
  }
}

TEST(ServedRequests, AreWhatServingEverythingAnewWouldGive) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    for (const bool window : {false, true}) {
      serve(seed, Mode{false, window, findings::Placement::last});
      serve(seed, Mode{true, window, findings::Placement::last});
      serve(seed, Mode{true, window, findings::Placement::upstream});
    }
  }
}

}  // namespace
}  // namespace agentfootprint
