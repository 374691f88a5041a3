// Reading and refusing options; the instruction text.
#include "agentfootprint/findings/options.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <limits>
#include <utility>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint::findings {
namespace {

constexpr std::string_view kStandingsInstruction =
    "Every tool takes an optional argument `_findings`. In `_findings.previous` say what earlier "
    "results are worth, as soon as you know it: fact (you stand on it), open (not settled), noise "
    "(of no "
    "use) or ruled-out (a way that leads nowhere), with the id of the call. Say it once, and again "
    "only "
    "when it changes. You may put `_findings` into a JSON answer in the same way; it is taken out "
    "before "
    "anybody reads it. What you do not name stays undeclared, which means nothing.";

constexpr std::string_view kFullInstruction =
    "Every tool takes an argument `_findings` with a `basis`: direct when established facts call "
    "for the "
    "call, exploratory when you try something out; then also say in `proposition` what the call "
    "tests.";

constexpr std::string_view kGateLine =
    "A value you use that comes only from results you called open, noise or ruled-out is recorded "
    "as "
    "contingent.";

// Reads members and collects every fault.
class OptionReader {
 public:
  explicit OptionReader(const json::Value& written) : written_(written) {}

  template <class Word>
  void word(const json::Value& in, std::string_view key,
            std::initializer_list<std::pair<std::string_view, Word>> words, Word& out) {
    const json::Value* found = in.find(key);
    if (found == nullptr) return;
    std::string known;
    for (const auto& [name, word] : words) {
      if (found->as_string() == name) {
        out = word;
        return;
      }
      known += known.empty() ? "" : ", ";
      known += name;
    }
    fault(key, fmt::format("{} is none of: {}", key, known));
  }

  void flag(std::string_view key, bool& out) {
    const json::Value* found = written_.find(key);
    if (found == nullptr) return;
    const auto value = found->as_bool();
    if (!value) fault(key, fmt::format("{} must be true or false", key));
    out = value.value_or(out);
  }

  template <class Number>
  void number(const json::Value& in, std::string_view key, std::uint64_t least, Number& out) {
    const json::Value* found = in.find(key);
    if (found == nullptr) return;
    const auto value = found->as_uint64();
    if (!value || *value < least || *value > std::numeric_limits<Number>::max()) {
      fault(key, fmt::format("{} must be a whole number of at least {}", key, least));
      return;
    }
    out = static_cast<Number>(*value);
  }

  void known_keys(const json::Value& in, std::initializer_list<std::string_view> keys) {
    for (const json::Member& member : in.members()) {
      bool known = false;
      std::string list;
      for (const std::string_view key : keys) {
        known = known || key == member.key();
        list += list.empty() ? "" : ", ";
        list += key;
      }
      if (!known) {
        fault(member.key(), fmt::format("{} is no option here; there are: {}", member.key(), list));
      }
    }
  }

  void fault(std::string_view field, std::string message,
             std::string_view code = "findings-option") {
    issues_.push_back({std::string(code), std::string(field), std::move(message)});
  }
  void finish() {
    if (!issues_.empty()) throw Refusal(std::move(issues_));
  }

 private:
  const json::Value& written_;
  std::vector<Issue> issues_;
};

std::optional<DefaultStanding> read_default(OptionReader& reader, const json::Value& written) {
  const json::Value* found = written.find("defaultStanding");
  if (found == nullptr) return std::nullopt;
  DefaultStanding out;
  if (const auto word = found->as_string()) {
    const auto standing = parse_standing(*word);
    if (!standing) {
      reader.fault("defaultStanding", "defaultStanding is none of: fact, open, noise, ruled-out");
    }
    out.standing = standing.value_or(Standing::open);
    return out;
  }
  if (!found->is_object() || !found->contains("standing")) {
    reader.fault("defaultStanding",
                 "defaultStanding must be a standing, or an object with "
                 "standing and tools");
    return std::nullopt;
  }
  reader.known_keys(*found, {"standing", "tools"});
  reader.word<Standing>(*found, "standing",
                        {{"fact", Standing::fact},
                         {"open", Standing::open},
                         {"noise", Standing::noise},
                         {"ruled-out", Standing::ruled_out}},
                        out.standing);
  if (const json::Value* tools = found->find("tools")) {
    for (const json::Value& tool : tools->elements()) {
      if (const auto name = tool.as_string()) out.tools.emplace_back(*name);
    }
    if (out.tools.size() != tools->size() || !tools->is_array()) {
      reader.fault("tools", "tools must be a list of tool names");
    }
  }
  return out;
}

void check_instruction(const std::optional<std::string>& text) {
  if (!text) return;
  const std::size_t length = utf8::count(*text);
  if (length <= kInstructionChars && length > 0) return;
  throw Refusal(
      "findings-instruction", "instruction",
      fmt::format("the instruction has {} characters: give one of 1 to {}, or leave it out "
                  "for ours",
                  length, kInstructionChars));
}

}  // namespace

FindingsOptions read_findings_options(const json::Value& written) {
  FindingsOptions options;
  if (written.as_bool() == true) return options;
  OptionReader reader(written);
  if (!written.is_object()) {
    reader.fault("findings", "findings must be true or an object of options");
    reader.finish();
  }
  reader.known_keys(
      written, {"serve", "answerAsk", "declarations", "offer", "piece", "echoesClear",
                "numericArguments", "defaultStanding", "instruction", "judge", "keepLedgerFacts"});
  reader.word<Serve>(
      written, "serve",
      {{"ledger-and-facts", Serve::ledger_and_facts}, {"ledger-only", Serve::ledger_only}},
      options.serve);
  reader.word<AnswerAsk>(written, "answerAsk",
                         {{"none", AnswerAsk::none}, {"quote-facts", AnswerAsk::quote_facts}},
                         options.answer_ask);
  reader.word<Declarations>(written, "declarations",
                            {{"standings", Declarations::standings}, {"full", Declarations::full}},
                            options.declarations);
  reader.word<Placement>(written, "offer",
                         {{"last", Placement::last}, {"schema", Placement::upstream}},
                         options.offer);
  reader.word<Placement>(written, "piece",
                         {{"last", Placement::last}, {"system", Placement::upstream}},
                         options.piece);
  reader.flag("echoesClear", options.echoes_clear);
  reader.flag("numericArguments", options.numeric_arguments);
  options.default_standing = read_default(reader, written);
  reader.number(written, "keepLedgerFacts", 0, options.keep_ledger_facts);
  if (const json::Value* judge = written.find("judge")) {
    if (!judge->is_object()) {
      reader.fault("judge", "judge must be an object with maxCalls, maxTokens or timeoutMs");
    }
    reader.known_keys(*judge, {"maxCalls", "maxTokens", "timeoutMs"});
    reader.number(*judge, "maxCalls", 0, options.judge.max_calls);
    reader.number(*judge, "maxTokens", 0, options.judge.max_tokens);
    reader.number(*judge, "timeoutMs", 1, options.judge.timeout_ms);
  }
  if (const json::Value* text = written.find("instruction")) {
    if (const auto spelled = text->as_string()) {
      options.instruction = std::string(*spelled);
    } else {
      reader.fault("instruction", "instruction must be a text");
    }
  }
  reader.finish();
  check_findings_options(options);
  return options;
}

void check_findings_options(const FindingsOptions& options) {
  check_instruction(options.instruction);
  if (options.judge.timeout_ms > 0) return;
  throw Refusal("findings-option", "judge.timeoutMs",
                "a judge without time cannot answer: give timeoutMs of at least 1");
}

void check_tool_schema(std::string_view tool_name, const json::Value& input_schema) {
  if (!owns_findings_name(input_schema)) return;
  throw Refusal("findings-name-taken", "_findings",
                fmt::format("tool \"{}\" declares an argument _findings, which the findings ledger "
                            "plants on every tool: rename it, or do not arm the ledger",
                            tool_name));
}

std::string findings_instruction(const FindingsOptions& options, bool gate_armed) {
  const bool full = options.declarations == Declarations::full;
  // Joined by fmt: appending these literals makes GCC 12 warn falsely at -O2.
  const std::string text = options.instruction
                               ? *options.instruction
                               : fmt::format("{}{}{}", full ? kFullInstruction : "",
                                             full ? "\n" : "", kStandingsInstruction);
  return gate_armed ? fmt::format("{}\n{}", text, kGateLine) : text;
}

}  // namespace agentfootprint::findings
