// The evidence gate: what happens to an answer with unsupported values.
//
// What: options and their refusals, and a pure decision: a verdict of the judge, a posture and the
// run's situation give an action. `assist` lets the answer go and says what is unsupported; `guard`
// asks for one revision first; `rails` refuses the answer when the revision did not help. The gate
// also tells from which turn the values were read.
//
// When to use: once per finished answer, where the loop would end. The loop does what the action
// says; the texts it needs are rendered in gate_text.hpp.
//
// Not guaranteed: truth. A value that was read may stand for the wrong thing, and names and short
// numbers are not judged; `kNotChecked` says so in one line and belongs under every summary.
//
// Units and limits: at most 12 values are reported (`kMaxReportedValues`), each clipped to 64 code
// points; `unsupported_count` has the number of all. Shapes and patterns are RE2, matched between
// token boundaries.
//
// Example:
//   json::Value written = json::object({{"posture", "guard"}, {"minDigits", 3}});
//   evidence::GateOptions options = evidence::read_gate_options(written);
//   Conversation conversation;
//   conversation.append(Message::user("is it down?"));
//   auto index = evidence::ConversationIndex::of(conversation);
//   evidence::Verdict verdict = evidence::check_answer("fc1/3 is down", index, options.judge);
//   evidence::GateVerdict decided =
//       evidence::decide(verdict, index, options, evidence::GateSituation());
//   (void)decided.action;   // revision_asked
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/evidence/judge.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::evidence {

inline constexpr std::size_t kMaxReportedValues = 12;
inline constexpr std::size_t kMaxReportedChars = 64;
inline constexpr std::size_t kMaxInstructionChars = 4'000;
inline constexpr std::string_view kNotChecked =
    "Not checked: whether a value that was read is true or belongs to what it is said of; names "
    "without a "
    "digit and short numbers.";

enum class Posture : std::uint8_t { assist, guard, rails };
[[nodiscard]] std::string_view name_of(Posture posture) noexcept;
[[nodiscard]] std::optional<Posture> parse_posture(std::string_view name) noexcept;

// The value that was read and comes nearest to an unsupported one.
struct NearestRead {
  std::string value;          // clipped
  std::uint32_t message = 0;  // of the result
  std::string tool;
  std::string pointer;  // "" in text
  friend bool operator==(const NearestRead&, const NearestRead&) = default;
};

// One value as reports, events and errors spell it.
struct ReportedValue {
  std::string value;                                  // as the answer wrote it, clipped
  std::string kind;                                   // "number", …, or the shape's name
  std::optional<NearestRead> nearest = std::nullopt;  // when a revision is asked for
  friend bool operator==(const ReportedValue&, const ReportedValue&) = default;
};

// What an app's own guidance for the revision is asked with.
struct RecoveryContext {
  std::uint32_t attempt = 1;
  std::uint32_t iteration = 0;
  std::string original_request;
  std::string rejected_draft;
  std::vector<ReportedValue> unsupported;
};
using RecoveryInstruction = std::function<std::optional<std::string>(const RecoveryContext&)>;

struct GateOptions {
  Posture posture = Posture::assist;
  bool nudge = false;  // name staged results when asking for a revision
  JudgeOptions judge;
  std::string recovery_instruction;       // at most 4,000 code points
  RecoveryInstruction recovery_callback;  // asked instead when set
};

// Reads `{posture?, minDigits?, nudge?, thorough?, shapes?, exempt?, recoveryInstruction?}`. Throws
// Refusal with every fault: codes "evidence-option", "evidence-posture", "evidence-min-digits",
// "evidence-shape", "evidence-exempt", "evidence-recovery".
[[nodiscard]] GateOptions read_gate_options(const json::Value& written);
// The same checks on options made in C++.
void check_gate_options(const GateOptions& options);

enum class GateAction : std::uint8_t {
  not_judged,      // nothing to judge, or the index is incomplete: nothing is accused
  grounded,        // the answer stands
  flagged,         // the answer stands and its unsupported values are told
  revision_asked,  // the model is asked once more
  refused          // the answer is not given out
};
[[nodiscard]] std::string_view name_of(
    GateAction action) noexcept;  // "not-judged" "revision-asked" …

enum class CheckOutcome : std::uint8_t { fired, passed, not_applicable, could_not_run };
[[nodiscard]] std::string_view name_of(CheckOutcome outcome) noexcept;

// Where the run stands when it would end.
struct GateSituation {
  bool denied = false;         // output middleware denied the answer
  bool schema_failed = false;  // the answer failed its schema, or is being asked again for it
  bool steps_unfinished = false;
  bool fragment = false;        // about to be replaced by the wrap-up of a budget
  bool revision_spent = false;  // in this turn
  bool limit_fired = false;     // iterations, time, tokens or cost
};

// From which turns the grounded values were read.
struct TurnGrounding {
  std::uint32_t from_this_turn = 0;
  std::uint32_t from_prior_turns = 0;
  std::optional<std::uint32_t> latest_prior_turn;
  std::uint32_t current_turn = 0;
  std::uint32_t tool_results_this_turn = 0;
  bool index_truncated = false;
};

struct GateVerdict {
  Posture posture = Posture::assist;
  GateAction action = GateAction::not_judged;
  CheckOutcome outcome = CheckOutcome::not_applicable;
  std::string reason;  // why it was not judged, "" otherwise
  bool after_revision = false;
  std::size_t candidates = 0;
  std::size_t looked_up = 0;  // candidates that nobody supplied
  std::size_t derived = 0;
  std::size_t derived_weak = 0;
  std::size_t echo_only = 0;    // grounded only where a result repeats the call's own arguments
  std::size_t failed_only = 0;  // grounded only in failed calls
  std::size_t unsupported_count = 0;
  std::vector<ReportedValue> unsupported;  // at most 12
  TurnGrounding grounding;
};

[[nodiscard]] TurnGrounding turn_grounding(const Verdict& verdict, const ConversationIndex& index);
[[nodiscard]] GateVerdict decide(const Verdict& verdict, const ConversationIndex& index,
                                 const GateOptions& options, const GateSituation& situation);

// The payload of `agentfootprint.agent.evidence_checked`.
[[nodiscard]] json::Value evidence_checked_event(const GateVerdict& verdict,
                                                 std::uint32_t iteration);
// The state `unsupportedValues`: `{values, candidates, revised, refused, posture}`.
[[nodiscard]] json::Value unsupported_values_state(const GateVerdict& verdict);

}  // namespace agentfootprint::evidence
