// Arguments from nowhere: what a model passes to a tool that no result, person or prompt has said.
//
// What: looks at each text leaf of a call's arguments of at least four characters. A leaf with
// values in it (identifiers, numbers) is supported when the judge grounds them all. A leaf without
// one is looked for as a whole word, without regard to case, in what was served: the system prompt,
// people, results. Said only by the model itself, it is still a finding, and says so.
//
// When to use: at dispatch, for tools that declare where their arguments come from.
//
// Not guaranteed: that a leaf of several words is looked at beyond the values in it: models compose
// text. Parameters whose class is `text`, and words of the tool's own schema (`enum`, `const`,
// `default`), are not judged. Nothing is blocked.
//
// Limits: leaves down to 64 levels; a quoted leaf is clipped to 80 code points.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::tool_result("c1", "find", R"({"id": "C-4471", "on": "idle"})"));
//   auto index = evidence::ConversationIndex::of(conversation);
//   evidence::Judge judge(index, evidence::JudgeOptions());
//   evidence::ServedWords words{conversation, "You watch ports."};
//   auto support = evidence::check_argument_support(
//       judge, words, json::parse_or_throw(R"({"id": "C-9999", "on": "idle"})"), json::Value());
//   (void)support.findings[0].path;   // "/id"
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/evidence/judge.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::evidence {

inline constexpr std::size_t kMinCheckedChars = 4;
inline constexpr std::size_t kMaxQuotedChars = 80;

// Everything a model was told, whether or not a request still shows it.
struct ServedWords {
  const Conversation& conversation;
  std::string_view system;
};

struct UnsupportedArgument {
  std::string path;            // JSON pointer of the leaf
  std::string value;           // clipped
  bool said_by_model = false;  // only an earlier message of the model has it
};

struct ArgumentSupport {
  std::vector<UnsupportedArgument> findings;  // empty when truncated
  std::size_t checked = 0;                    // leaves that were judged
  bool truncated = false;                     // the index is incomplete: nothing is accused
};

[[nodiscard]] ArgumentSupport check_argument_support(const Judge& judge, const ServedWords& served,
                                                     const json::Value& arguments,
                                                     const json::Value& schema);

// An argument of a lookup that found nothing, though an earlier result of a ground says it is
// there.
struct KnownArgument {
  std::string path;
  std::string value;  // clipped
  std::string producer;
  CallKey call;  // whose result has it
};
// The text leaves of at least four characters that stand as whole words in results of `grounds`;
// empty optional: no such result has landed. Each leaf is told once, with the newest result.
[[nodiscard]] std::optional<std::vector<KnownArgument>> known_arguments(
    const Conversation& conversation, const std::vector<std::string>& grounds,
    const json::Value& arguments);

// Grounds of a tool (names of the tools its arguments come from) whose results a model was shown
// once and is shown no more: all of them left out, none fetched again.
[[nodiscard]] std::vector<std::string> dangling_grounds(const std::vector<std::string>& grounds,
                                                        const std::vector<std::string>& left_out,
                                                        const std::vector<std::string>& in_view);

}  // namespace agentfootprint::evidence
