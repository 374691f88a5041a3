// The texts of the gate: what a model is told when it is asked again, what a caller is told on
// refusal.
//
// What: facts in, sentences out, one catalogue. `recovery_text` renders the piece that asks for a
// revision; `refusal_text` and `warning_text` name the unsupported values, say whether a revision
// was spent, what would satisfy the check and what it cannot judge. `values_text` renders values,
// twelve at most, "and N more".
//
// When to use: by the loop and by reports. Match on actions and codes, never on these sentences.
//
// Not guaranteed: the wording.
//
// Limits: a recovery text of more than 1,000,000 code points throws Error "evidence-recovery", so
// does an instruction of the app of more than 4,000.
//
// Example:
//   evidence::RecoveryContext context;
//   context.original_request = "is fc1/3 down?";
//   context.rejected_draft = "fc9/9 is down";
//   context.unsupported = {{"fc9/9", "identifier"}};
//   std::string text = evidence::recovery_text(context, evidence::GateOptions());
//   // fc9/9 (identifier) and 13 more
//   std::string list = evidence::values_text(context.unsupported, 14);
//   (void)text; (void)list;
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agentfootprint/evidence/gate.hpp"

namespace agentfootprint::evidence {

inline constexpr std::size_t kMaxRecoveryChars = 1'000'000;

// A result that was put into the artifact store and can be fetched.
struct StagedResult {
  std::string ref;
  std::string kind;
};

// `shown` values, of `all` there are.
[[nodiscard]] std::string values_text(const std::vector<ReportedValue>& shown, std::size_t all);

// Asks the app's callback (or uses its fixed instruction); `staged` and `spenders` name results
// that can be fetched and the tools that take them, when the gate's `nudge` is on.
[[nodiscard]] std::string recovery_text(const RecoveryContext& context, const GateOptions& options,
                                        const std::vector<StagedResult>& staged = {},
                                        const std::vector<std::string>& spenders = {});

[[nodiscard]] std::string refusal_text(const GateVerdict& verdict);
[[nodiscard]] std::string warning_text(const GateVerdict& verdict);

}  // namespace agentfootprint::evidence
