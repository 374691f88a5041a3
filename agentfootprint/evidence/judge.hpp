// The judge: which values an answer states, and what each stands on.
//
// What: `check_answer` reads an answer into values and gives each its level: supplied, exact,
// same-value, part-of, rounded, converted, derived, unsupported, with every result that carries it.
// `Judge` does the same step by step, for derivations, arguments and integrity checks.
//
// When to use: before an answer is shown, at dispatch (values in arguments), and on any transcript.
//
// Not guaranteed: truth. A value that is grounded may stand for the wrong thing; shorter numbers
// and names without a digit are not judged unless asked for (`thorough`, `shapes`). The numbers
// of list items (`2.`) never are.
//
// Limits: the first 20,000 values of an answer; `max_places` places a result.
//
// Example:
//   Conversation conversation;
//   conversation.append(Message::user("how many?"));
//   conversation.append(Message::tool_result("c1", "count", R"({"n": 41200})"));
//   auto index = evidence::ConversationIndex::of(conversation);
//   evidence::Verdict verdict = evidence::check_answer("41,200 rows, 5 on fc9/9", index);
//   (void)verdict.values[0].level;              // same_value, carried by message 1
//   (void)verdict.unsupported.size();           // 1: fc9/9
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/evidence/conversation_index.hpp"
#include "agentfootprint/evidence/reading.hpp"
#include "agentfootprint/evidence/value.hpp"

namespace agentfootprint::evidence {

namespace internal {
class Grounder;
}

enum class Level : std::uint8_t {
  supplied,
  exact,
  same_value,
  part_of,
  rounded,
  converted,
  derived,
  unsupported
};
// "supplied", "exact", "same-value", "part-of", …
[[nodiscard]] std::string_view name_of(Level level) noexcept;

// A declared exemption: a text, or a pattern (RE2) matched between token boundaries.
struct Exemption {
  std::string text;
  bool regex = false;
};

struct JudgeOptions {
  int min_digits = 4;     // at least 1
  bool thorough = false;  // every number, quantity, date, time, instant and duration
  std::vector<Shape> shapes;
  std::vector<Exemption> exempt;
  bool derive = true;  // try derivations for values grounded no other way
  std::size_t max_places = 64;
};

// One place of a result where a value stands.
struct Place {
  ItemId item = 0;
  Level level = Level::exact;
  bool echo = false;
};

// The places of one carrier: most have one, which needs no memory of its own.
class PlaceList {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] const Place* begin() const noexcept { return size_ > 1 ? more_.data() : &one_; }
  [[nodiscard]] const Place* end() const noexcept { return begin() + size_; }
  [[nodiscard]] Place* begin() noexcept { return size_ > 1 ? more_.data() : &one_; }
  [[nodiscard]] Place* end() noexcept { return begin() + size_; }
  [[nodiscard]] const Place& front() const noexcept { return *begin(); }
  [[nodiscard]] const Place& operator[](std::size_t i) const noexcept { return begin()[i]; }
  void reserve(std::size_t count) {  // before so many are pushed
    if (count > 1) more_.reserve(count);
  }
  void push_back(const Place& place) {
    if (size_ == 1) more_.push_back(one_);
    if (size_ == 0) {
      one_ = place;
    } else {
      more_.push_back(place);
    }
    ++size_;
  }
  // Leaves the first `count`.
  void cut_to(std::size_t count) {
    if (count >= size_) return;
    one_ = front();
    more_.resize(count > 1 ? count : 0);
    size_ = count;
  }

 private:
  std::size_t size_ = 0;
  Place one_;
  std::vector<Place> more_;  // all of them when there are several
};

// A result that carries a value.
struct Carrier {
  std::size_t result = 0;      // position in ConversationIndex::results()
  Level level = Level::exact;  // the best of its places
  bool failed = false;
  bool echo = false;  // every place repeats a leaf of the call's own arguments
  bool partial = false;
  bool superseded = false;
  // Empty for a shape without a digit, which is looked for in the text.
  PlaceList places;  // best first, then in order of the text; at most `max_places`
};

// An operand of a derivation, or a value quoted beside one.
struct Operand {
  std::string raw;
  std::string pointer;  // of the leaf or column it was taken from, "" for a quoted value
  std::vector<Carrier> carriers;
};

struct Derivation {
  std::string formula;  // in the grammar of the design: `a - b`, `sum(/rows/*/iops)`
  std::vector<Operand> operands;
  double chance = 0;  // share of all numbers with that many digits which the tried formulas yield
};

// What a value stands on.
struct Grounding {
  Level level = Level::unsupported;
  bool cut = false;  // rounded by cutting
  std::optional<SuppliedBy> supplied_by;
  std::vector<Carrier> carriers;   // in the order of results
  std::vector<std::string> notes;  // "decimal-comma", "day-first", "zone", "epoch-ms", …
  std::optional<Derivation> derivation;
  std::vector<Derivation> other_derivations;        // further admissible formulas
  [[nodiscard]] bool echo_only() const noexcept;    // carried, and every carrier is an echo
  [[nodiscard]] bool failed_only() const noexcept;  // carried, and every carrier failed
};

struct JudgedValue {
  Value value;              // the first spelling
  std::vector<Span> spans;  // of every spelling of it in the answer, in order
  Grounding grounding;
  Level level = Level::unsupported;  // grounding.level
};

struct Verdict {
  std::vector<JudgedValue> values;       // in order of first appearance
  std::vector<std::size_t> unsupported;  // positions in `values`; empty when truncated
  std::size_t candidates = 0;            // distinct values judged, supplied ones included
  bool truncated = false;                // the index is incomplete: nothing is accused
  bool values_capped = false;            // the answer holds more values than are read
};

// Everything an answer says: every value read, judged or not.
struct AnswerText {
  std::string text;
  std::vector<Value> values;    // every value in order, also those that are no candidates
  std::vector<bool> candidate;  // beside `values`: must be grounded
  std::vector<bool> exempt;     // beside `values`: a declared exemption covers it
};

class Judge {
 public:
  // The index must outlive the judge. Refused: codes "evidence-min-digits", "evidence-shape",
  // "evidence-exempt".
  Judge(const ConversationIndex& index, JudgeOptions options);
  ~Judge();
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  [[nodiscard]] const ConversationIndex& index() const noexcept { return index_; }
  [[nodiscard]] const JudgeOptions& options() const noexcept { return options_; }

  // Every value of a text, shapes included, each marked as a candidate or not.
  [[nodiscard]] AnswerText read(std::string_view text) const;
  [[nodiscard]] bool is_candidate(const Value& value) const;

  // Levels supplied to converted, else unsupported. Works for values that are no candidates too.
  [[nodiscard]] Grounding ground(const Value& value) const;
  // All results that carry the value at exact, same-value, part-of, rounded or converted, each with
  // its best level: what the contingent rule asks for.
  [[nodiscard]] std::vector<Carrier> carriers_at_any_level(const Value& value) const;

  // The whole check of an answer.
  [[nodiscard]] Verdict check(std::string_view answer) const;

 private:
  struct Patterns;
  [[nodiscard]] std::optional<Grounding> ground_apart(internal::Grounder& grounder,
                                                      std::string_view text,
                                                      const Value& value) const;

  const ConversationIndex& index_;
  JudgeOptions options_;
  std::unique_ptr<const Patterns> patterns_;
};

[[nodiscard]] Verdict check_answer(std::string_view answer, const ConversationIndex& index,
                                   const JudgeOptions& options = {});

}  // namespace agentfootprint::evidence
