// The worked examples of docs/findings.md: what the page prints is what the rule files.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "agentfootprint/findings/imported.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::findings {
namespace {

std::string page() {
  std::ifstream in(AGENTFOOTPRINT_SOURCE_DIR "/docs/findings.md");
  return {std::istreambuf_iterator<char>(in), {}};
}

// The rows the page prints in its worked examples: indented JSON, perhaps over several lines.
std::vector<std::string> printed_rows() {
  const std::string text = page();
  const std::size_t from = text.find("## Three worked examples");
  const std::string part = text.substr(from, text.find("\n## ", from) - from);
  std::vector<std::string> rows;
  bool open = false;
  for (std::size_t at = 0; at < part.size();) {
    const std::size_t end = std::min(part.find('\n', at), part.size());
    const std::string line = part.substr(at, end - at);
    at = end + 1;
    if (line.rfind("    {\"kind\":", 0) == 0) rows.emplace_back();
    open = line.rfind("    {\"kind\":", 0) == 0 || (open && line.rfind("     ", 0) == 0);
    if (open) rows.back() += line.substr(line.find_first_not_of(' '));
  }
  return rows;
}

std::string judging(const std::string& id, const std::string& standing) {
  return R"("_findings":{"previous":[{"toolCallId":")" + id + R"(","standing":")" + standing +
         R"("}]})";
}

// Two calls and an answer, as all three examples are.
Conversation told(const std::string& tools, const std::string& first_result,
                  const std::string& second_arguments, const std::string& second_result,
                  const std::string& answer) {
  Conversation conversation;
  conversation.append(Message::user("what is wrong?"));
  conversation.append(Message::assistant("", {ToolCall("c1", tools, "{}")}));
  conversation.append(Message::tool_result("c1", tools, first_result));
  conversation.append(Message::assistant("", {ToolCall("c2", tools, second_arguments)}));
  conversation.append(Message::tool_result("c2", tools, second_result));
  conversation.append(Message::assistant(answer));
  return conversation;
}

std::vector<std::string> answer_rows(const Conversation& conversation, bool echoes_clear = true) {
  ContingentOptions options;
  options.echoes_clear = echoes_clear;
  const ReplayedLedger replayed =
      replay_conversation(conversation, evidence::JudgeOptions(), {}, options);
  std::vector<std::string> rows;
  for (const FiledContingent& filed : replayed.contingent) {
    if (filed.row.declared_on.on_answer()) rows.push_back(json::dump(to_json(Row(filed.row))));
  }
  return rows;
}

const std::string kNoise = "{" + judging("c1", "noise") + "}";

TEST(WorkedExamples, ThePageSaysWhatTheRuleFiles) {
  std::vector<std::string> filed;
  const auto add = [&](const std::vector<std::string>& rows) {
    filed.insert(filed.end(), rows.begin(), rows.end());
  };
  // 1: only the noise carries it.
  add(answer_rows(
      told("ports", "fc1/7 down", kNoise, "sw-01 has 48 ports", "fc1/7 is down on sw-01")));
  // 2: a second source clears it, unless the second source is an echo that is left out, or is set
  // aside too.
  EXPECT_TRUE(
      answer_rows(told("ports", "fc1/7 down", kNoise, "fc1/7 on sw-01", "fc1/7 is down")).empty());
  const Conversation echo =
      told("ports", "fc1/7 down", R"({"port":"fc1/7",)" + judging("c1", "noise") + "}",
           "fc1/7: not found", "fc1/7 is down");
  EXPECT_TRUE(answer_rows(echo).empty());
  add(answer_rows(echo, false));
  add(answer_rows(told("ports", "fc1/7 down", kNoise, "fc1/7 on sw-01",
                       R"({"answer":"fc1/7 is down",)" + judging("c2", "open") + "}")));
  // 3: a sum with a dead end in it.
  add(answer_rows(told("usage", R"({"used":1370})", "{" + judging("c1", "fact") + "}",
                       R"({"used":1940})",
                       R"({"answer":"together 3,310",)" + judging("c2", "ruled-out") + "}")));
  EXPECT_EQ(printed_rows(), filed);
}

}  // namespace
}  // namespace agentfootprint::findings
