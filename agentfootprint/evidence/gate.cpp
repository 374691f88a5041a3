// Options, refusals and the decision of the gate.
#include "agentfootprint/evidence/gate.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <set>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/evidence/derivation.hpp"
#include "agentfootprint/evidence/nearest.hpp"

namespace agentfootprint::evidence {
namespace {

constexpr std::array<std::string_view, 7> kKeys = {
    "posture", "minDigits", "nudge", "thorough", "shapes", "exempt", "recoveryInstruction"};

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string pattern_fault(const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  const RE2 compiled(pattern, options);
  return compiled.ok() ? std::string() : compiled.error();
}

// Collects faults while the options are read.
class Reader {
 public:
  explicit Reader(const json::Value& written) : written_(written) {}

  GateOptions read() {
    if (!written_.is_object()) {
      add("evidence-option", "",
          fmt::format("evidence is {}: write an object", json::name_of(written_.kind())));
      throw Refusal(std::move(issues_));
    }
    for (const json::Member& member : written_.members()) {
      if (std::find(kKeys.begin(), kKeys.end(), member.key()) == kKeys.end()) {
        add("evidence-option", std::string(member.key()),
            fmt::format("evidence has no option `{}`: it would be ignored; write one of {}",
                        member.key(), fmt::join(kKeys, ", ")));
      }
    }
    posture();
    min_digits();
    flag("nudge", options_.nudge);
    flag("thorough", options_.judge.thorough);
    shapes();
    exempt();
    instruction();
    if (!issues_.empty()) throw Refusal(std::move(issues_));
    return std::move(options_);
  }

 private:
  void add(std::string code, std::string field, std::string message) {
    issues_.push_back({std::move(code), std::move(field), std::move(message)});
  }

  void posture() {
    const json::Value* value = written_.find("posture");
    if (value == nullptr) return;
    const auto text = value->as_string();
    const auto parsed = text ? parse_posture(*text) : std::nullopt;
    if (parsed) {
      options_.posture = *parsed;
    } else {
      add("evidence-posture", "posture",
          "posture is none of assist, guard, rails: write one of them");
    }
  }

  void min_digits() {
    const json::Value* value = written_.find("minDigits");
    if (value == nullptr) return;
    const auto number = value->as_int64();
    if (number && *number >= 1 && *number <= 1000) {
      options_.judge.min_digits = static_cast<int>(*number);
    } else {
      add("evidence-min-digits", "minDigits",
          "minDigits must be a whole number of at least 1: numbers with fewer digits are not "
          "judged");
    }
  }

  void flag(std::string_view key, bool& out) {
    const json::Value* value = written_.find(key);
    if (value == nullptr) return;
    const auto given = value->as_bool();
    if (given) {
      out = *given;
    } else {
      add("evidence-option", std::string(key), fmt::format("{} must be true or false", key));
    }
  }

  void shapes() {
    const json::Value* value = written_.find("shapes");
    if (value == nullptr) return;
    if (!value->is_array()) {
      return add("evidence-shape", "shapes", "shapes must be a list of {name, match}");
    }
    for (const json::Value& shape : value->elements()) {
      const json::Value* name = shape.find("name");
      const json::Value* match = shape.find("match");
      Shape out;
      if (name != nullptr && name->is_string()) out.name = trimmed(*name->as_string());
      if (match != nullptr && match->is_string()) out.match = *match->as_string();
      options_.judge.shapes.push_back(std::move(out));
    }
    check_shapes(options_.judge.shapes, issues_);
  }

  void exempt() {
    const json::Value* value = written_.find("exempt");
    if (value == nullptr) return;
    if (!value->is_array()) {
      return add("evidence-exempt", "exempt", "exempt must be a list of texts and {regex}");
    }
    for (std::size_t i = 0; i < value->size(); ++i) {
      const json::Value& entry = value->at(i);
      const json::Value* regex = entry.find("regex");
      if (const auto text = entry.as_string()) {
        options_.judge.exempt.push_back({std::string(*text), false});
      } else if (regex != nullptr && regex->is_string()) {
        options_.judge.exempt.push_back({std::string(*regex->as_string()), true});
      } else {
        add("evidence-exempt", fmt::format("exempt[{}]", i),
            fmt::format("exempt[{}] is neither a text nor {{regex}}: nothing would be exempted",
                        i));
      }
    }
    check_exempt(options_.judge.exempt, issues_);
  }

  void instruction() {
    const json::Value* value = written_.find("recoveryInstruction");
    if (value == nullptr) return;
    const auto text = value->as_string();
    if (!text || utf8::count(*text) > kMaxInstructionChars) {
      return add("evidence-recovery", "recoveryInstruction",
                 "recoveryInstruction must be a text of at most 4,000 characters");
    }
    options_.recovery_instruction = *text;
  }

 public:
  static void check_shapes(const std::vector<Shape>& shapes, std::vector<Issue>& issues) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const std::string field = fmt::format("shapes[{}]", i);
      if (is_blank(shapes[i].name)) {
        issues.push_back({"evidence-shape", field + ".name",
                          field + ".name is blank: a value is reported by its shape's name"});
      } else if (!names.insert(shapes[i].name).second) {
        issues.push_back({"evidence-shape", field + ".name",
                          fmt::format("two shapes have the name {}: rename one", shapes[i].name)});
      }
      const std::string fault =
          shapes[i].match.empty() ? "it is empty" : pattern_fault(shapes[i].match);
      if (!fault.empty()) {
        issues.push_back(
            {"evidence-shape", field + ".match",
             fmt::format("{}.match is no RE2 pattern ({}): it would match nothing", field, fault)});
      }
    }
  }

  static void check_exempt(const std::vector<Exemption>& exempt, std::vector<Issue>& issues) {
    for (std::size_t i = 0; i < exempt.size(); ++i) {
      if (!exempt[i].regex) continue;
      const std::string fault = pattern_fault(exempt[i].text);
      if (fault.empty()) continue;
      issues.push_back(
          {"evidence-exempt", fmt::format("exempt[{}]", i),
           fmt::format("exempt[{}] is no RE2 pattern ({}): nothing would be exempted", i, fault)});
    }
  }

 private:
  const json::Value& written_;
  GateOptions options_;
  std::vector<Issue> issues_;
};

std::string clipped(std::string_view text) {
  if (utf8::count(text) <= kMaxReportedChars) return std::string(text);
  return std::string(utf8::clip(text, kMaxReportedChars - 1)) + "\xe2\x80\xa6";
}

// Why an answer is not judged at all; "" when it is.
std::string_view not_judged_because(const GateSituation& situation) {
  if (situation.denied) return "the answer was denied";
  if (situation.schema_failed) return "the answer failed its schema";
  if (situation.steps_unfinished) return "steps are unfinished";
  if (situation.fragment) return "the answer is a fragment";
  return {};
}

void count(const Verdict& verdict, GateVerdict& out) {
  for (const JudgedValue& value : verdict.values) {
    if (value.level != Level::supplied) ++out.looked_up;
    if (value.level == Level::derived) {
      ++out.derived;
      const auto& derivation = value.grounding.derivation;
      if (derivation && derivation->chance > kWeakChance) ++out.derived_weak;
    }
    if (value.level == Level::supplied) continue;
    if (value.grounding.echo_only()) ++out.echo_only;
    if (value.grounding.failed_only()) ++out.failed_only;
  }
  for (const std::size_t i : verdict.unsupported) {
    const Value& value = verdict.values[i].value;
    ++out.unsupported_count;
    if (out.unsupported.size() == kMaxReportedValues) continue;
    ReportedValue reported;
    reported.value = clipped(value.raw);
    reported.kind = value.kind == ValueKind::shape ? value.shape : std::string(name_of(value.kind));
    out.unsupported.push_back(std::move(reported));
  }
}

// For each value that is reported: what comes nearest to it.
void add_nearest(const Verdict& verdict, const ConversationIndex& index, GateVerdict& out) {
  for (std::size_t i = 0; i < out.unsupported.size(); ++i) {
    const auto nearest = nearest_read(index, verdict.values[verdict.unsupported[i]].value);
    if (!nearest) continue;
    const ResultEntry& entry = index.results()[nearest->result];
    out.unsupported[i].nearest =
        NearestRead{clipped(nearest->raw), entry.message, entry.tool, nearest->pointer};
  }
}

GateAction action_on_unsupported(const GateOptions& options, const GateSituation& situation) {
  if (options.posture == Posture::assist) return GateAction::flagged;
  if (!situation.revision_spent && !situation.limit_fired) return GateAction::revision_asked;
  return options.posture == Posture::rails ? GateAction::refused : GateAction::flagged;
}

json::Value values_json(const std::vector<ReportedValue>& values) {
  json::ArrayBuilder out;
  for (const ReportedValue& value : values) {
    out.add(json::object({{"value", value.value}, {"shape", value.kind}}));
  }
  return out.build();
}

}  // namespace

std::string_view name_of(Posture posture) noexcept {
  constexpr std::array<std::string_view, 3> kNames = {"assist", "guard", "rails"};
  return kNames[static_cast<std::size_t>(posture)];
}

std::optional<Posture> parse_posture(std::string_view name) noexcept {
  for (const Posture posture : {Posture::assist, Posture::guard, Posture::rails}) {
    if (name_of(posture) == name) return posture;
  }
  return std::nullopt;
}

std::string_view name_of(GateAction action) noexcept {
  constexpr std::array<std::string_view, 5> kNames = {"not-judged", "grounded", "flagged",
                                                      "revision-asked", "refused"};
  return kNames[static_cast<std::size_t>(action)];
}

std::string_view name_of(CheckOutcome outcome) noexcept {
  constexpr std::array<std::string_view, 4> kNames = {"fired", "passed", "not-applicable",
                                                      "could-not-run"};
  return kNames[static_cast<std::size_t>(outcome)];
}

GateOptions read_gate_options(const json::Value& written) {
  return Reader(written).read();
}

void check_gate_options(const GateOptions& options) {
  std::vector<Issue> issues;
  if (options.judge.min_digits < 1) {
    issues.push_back({"evidence-min-digits", "minDigits",
                      "minDigits must be at least 1: with 0 every word would be a number"});
  }
  Reader::check_shapes(options.judge.shapes, issues);
  Reader::check_exempt(options.judge.exempt, issues);
  if (utf8::count(options.recovery_instruction) > kMaxInstructionChars) {
    issues.push_back({"evidence-recovery", "recoveryInstruction",
                      "recoveryInstruction is longer than 4,000 characters: shorten it"});
  }
  if (!issues.empty()) throw Refusal(std::move(issues));
}

TurnGrounding turn_grounding(const Verdict& verdict, const ConversationIndex& index) {
  TurnGrounding out;
  out.current_turn = index.turn();
  out.index_truncated = verdict.truncated;
  std::optional<std::uint32_t> message;
  for (const ResultEntry& entry : index.results()) {
    if (entry.turn == out.current_turn && message != entry.message) ++out.tool_results_this_turn;
    message = entry.message;
  }
  for (const JudgedValue& value : verdict.values) {
    if (value.level == Level::supplied || value.grounding.carriers.empty()) continue;
    std::uint32_t newest = 0;
    for (const Carrier& carrier : value.grounding.carriers) {
      newest = std::max(newest, index.results()[carrier.result].turn);
    }
    if (newest >= out.current_turn) {
      ++out.from_this_turn;
    } else {
      ++out.from_prior_turns;
      out.latest_prior_turn = std::max(out.latest_prior_turn.value_or(0), newest);
    }
  }
  return out;
}

GateVerdict decide(const Verdict& verdict, const ConversationIndex& index,
                   const GateOptions& options, const GateSituation& situation) {
  GateVerdict out;
  out.posture = options.posture;
  out.after_revision = situation.revision_spent;
  if (const std::string_view reason = not_judged_because(situation); !reason.empty()) {
    out.reason = reason;
    return out;
  }
  out.candidates = verdict.candidates;
  out.grounding = turn_grounding(verdict, index);
  count(verdict, out);
  const bool open =
      std::any_of(verdict.values.begin(), verdict.values.end(),
                  [](const auto& value) { return value.level == Level::unsupported; });
  if (verdict.truncated && open) {
    out.outcome = CheckOutcome::could_not_run;
    out.reason = "the index is incomplete, so no value is accused";
  } else if (out.unsupported_count > 0) {
    out.outcome = CheckOutcome::fired;
    out.action = action_on_unsupported(options, situation);
    if (out.action == GateAction::revision_asked) add_nearest(verdict, index, out);
  } else {
    out.action = GateAction::grounded;
    if (verdict.candidates > 0) out.outcome = CheckOutcome::passed;
  }
  return out;
}

json::Value evidence_checked_event(const GateVerdict& verdict, std::uint32_t iteration) {
  json::ObjectBuilder out;
  out.add("iteration", iteration);
  out.add("posture", name_of(verdict.posture));
  out.add("candidates", verdict.candidates);
  out.add("lookedUp", verdict.looked_up);
  out.add("unsupported", values_json(verdict.unsupported));
  out.add("action", name_of(verdict.action));
  out.add("afterRevision", verdict.after_revision);
  if (verdict.grounding.index_truncated) out.add("evidenceTruncated", true);
  return out.build();
}

json::Value unsupported_values_state(const GateVerdict& verdict) {
  return json::object({{"values", values_json(verdict.unsupported)},
                       {"candidates", verdict.candidates},
                       {"revised", verdict.after_revision},
                       {"refused", verdict.action == GateAction::refused},
                       {"posture", name_of(verdict.posture)}});
}

}  // namespace agentfootprint::evidence
