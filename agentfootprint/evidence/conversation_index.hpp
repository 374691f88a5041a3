// The evidence of a conversation: every result's values, merged, and everything the person or the
// app said.
//
// What: follows a conversation as it grows. Each result is indexed once (result_index.hpp) and
// merged by size into a handful of sorted tables; copies share all of it. It knows for each result
// its call, status, tool and wire id, what of it merely echoes the call's arguments, and which
// later call replaced it.
//
// When to use: keep one beside a conversation and `extend` it when messages were appended, or make
// one with `of`. The judge (judge.hpp) asks it.
//
// Not guaranteed: memory of what is no evidence: settled calls and library sentences are not
// indexed.
//
// Limits: `max_values` indexed values (64 million). Reaching it sets `truncated`; nothing may be
// accused then.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::user("how many?"));
//   conversation.append(Message::tool_result("c1", "count", R"({"n": 41200})"));
//   auto index = evidence::ConversationIndex::of(conversation);
//   (void)index.results().size();   // 1
//   (void)index.truncated();        // false
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/evidence/result_index.hpp"
#include "agentfootprint/evidence/units.hpp"

namespace agentfootprint::evidence {

namespace internal {
class MergedIndex;
}

// Who supplied a value that no tool had to read.
enum class SuppliedBy : std::uint8_t { person, app, declared };
[[nodiscard]] std::string_view name_of(SuppliedBy by) noexcept;  // "person" "app" "declared"

// One result of the conversation, or one part of it when its content is blocks.
struct ResultEntry {
  std::uint32_t message = 0;  // index of the result's message
  CallKey call;
  std::optional<std::string> tool_call_id;
  std::string tool;
  bool failed = false;
  bool absent = false;  // by status, or a declared absence
  std::uint32_t turn = 0;
  std::shared_ptr<const ResultIndex> index;
  // The scalar leaves of the call's own arguments, as text; shared, null when there are none.
  std::shared_ptr<const std::vector<std::string>> argument_leaves;
};

// A text of the person or the app.
struct SuppliedEntry {
  SuppliedBy by = SuppliedBy::person;
  std::optional<std::uint32_t> message;  // empty for texts handed in apart
  std::shared_ptr<const ResultIndex> index;
};

class ConversationIndex {
 public:
  struct Options {
    const UnitTable* units = nullptr;  // nullptr: the standard table; must outlive the index
    std::uint64_t max_values = 64'000'000;
    std::size_t result_size_cap = 0;  // a result of exactly this size counts as cut
  };

  ConversationIndex();
  explicit ConversationIndex(const Options& options);
  [[nodiscard]] static ConversationIndex of(const Conversation& conversation);
  [[nodiscard]] static ConversationIndex of(const Conversation& conversation,
                                            const Options& options);

  // Indexes the messages from `size()` on.
  void extend(const Conversation& conversation);
  // A text supplied apart from the conversation: a typed answer, a passage the app put into the
  // prompt.
  void supply(std::string text, SuppliedBy by);

  [[nodiscard]] std::uint32_t size() const noexcept;  // messages seen
  [[nodiscard]] std::uint32_t turn() const noexcept;  // of the last message seen
  // In order of their messages; the parts of one message stand together.
  [[nodiscard]] const std::vector<ResultEntry>& results() const noexcept;
  [[nodiscard]] const std::vector<SuppliedEntry>& supplied() const noexcept;
  // Did a later call with the same tool and arguments replace this result?
  [[nodiscard]] bool superseded(std::size_t result) const noexcept;
  [[nodiscard]] bool truncated() const noexcept;
  [[nodiscard]] std::uint64_t values() const noexcept;  // indexed in results
  [[nodiscard]] const UnitTable& units() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;  // of indexes, not of texts

  // For the judge.
  [[nodiscard]] const internal::MergedIndex& merged_results() const noexcept;
  [[nodiscard]] const internal::MergedIndex& merged_supplied() const noexcept;
  // Units that member names tell anywhere, each once.
  [[nodiscard]] const std::vector<std::uint16_t>& hint_units() const noexcept;

 private:
  struct State;
  State& own();  // copies the state when it is shared
  std::shared_ptr<State> state_;
};

}  // namespace agentfootprint::evidence
