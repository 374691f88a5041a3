// The options of the findings ledger, and the instruction that goes with it.
//
// What: everything an application may choose, with defaults that ask little of a model and keep
// prompt caches alive: `declarations: "standings"`, the offer and the served piece as the last
// piece of a request. What cannot work is refused where it is written.
//
// When to use: `read_findings_options` for the member `findings` of agent.json,
// `check_findings_options` for options made in C++, `check_tool_schema` for each tool an
// application registers.
//
// Not guaranteed: that a model follows the instruction; compliance is measured (headline.hpp).
//
// Limits: an instruction of the application's own has at most 4,000 code points.
//
// Example:
//   findings::FindingsOptions options = findings::read_findings_options(
//       json::object({{"declarations", "full"}, {"echoesClear", false}}));
//   std::string text = findings::findings_instruction(options, false);
//   (void)text;
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/findings/argument_schema.hpp"
#include "agentfootprint/findings/piece.hpp"

namespace agentfootprint::findings {

// The standing an application gives to results a model left undeclared; recorded as the
// application's choice.
struct DefaultStanding {
  Standing standing = Standing::open;
  std::vector<std::string> tools;  // only results of these tools; empty: of all
};

struct JudgePolicy {
  std::uint32_t max_calls = 64;       // per run; 0: never asked
  std::uint64_t max_tokens = 0;       // of all replies with usage; 0: no limit
  std::uint32_t timeout_ms = 10'000;  // of one question; at least 1
};

struct FindingsOptions {
  Serve serve = Serve::ledger_and_facts;
  AnswerAsk answer_ask = AnswerAsk::none;
  Declarations declarations = Declarations::standings;
  Placement offer = Placement::last;  // upstream: an enum in the schema
  Placement piece = Placement::last;  // upstream: the last piece of the system prompt
  bool echoes_clear = true;
  bool numeric_arguments = false;  // numbers of arguments are values too
  std::optional<DefaultStanding> default_standing;
  std::optional<std::string> instruction;  // in place of ours
  JudgePolicy judge;
  std::size_t keep_ledger_facts = 4;  // turns with facts held past the window; 0: none
};

// `true` gives the defaults; an object may have serve, answerAsk, declarations, offer, piece,
// echoesClear, numericArguments, defaultStanding, instruction, judge, keepLedgerFacts. Throws
// Refusal with every fault, code "findings-option" or "findings-instruction".
[[nodiscard]] FindingsOptions read_findings_options(const json::Value& written);
void check_findings_options(const FindingsOptions& options);

// Throws Refusal "findings-name-taken" when an application's tool declares `_findings`. A tool of a
// provider or an MCP server is not refused; it is served as it is (`owns_findings_name`).
void check_tool_schema(std::string_view tool_name, const json::Value& input_schema);

// The standing instruction of the system prompt (source `findings-ledger`). With the evidence gate
// also armed it has one more line, about contingent values.
[[nodiscard]] std::string findings_instruction(const FindingsOptions& options, bool gate_armed);

}  // namespace agentfootprint::findings
