// Carriers, the calls behind them, and who said their arguments.
#include "agentfootprint/explain/internal/tracer.hpp"

#include <re2/re2.h>

#include <map>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/evidence/arguments.hpp"
#include "agentfootprint/json/cursor.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/semantics/absence.hpp"

namespace agentfootprint::explain::internal {
namespace {

constexpr std::size_t kMaxText = 200;  // code points of an argument that is looked for as a text
constexpr std::size_t kMaxLeaves = 256;

std::string text_at(const json::Value& value, std::string_view pointer) {
  const json::Value* found = value.find_pointer(pointer);
  if (found == nullptr || !found->is_string()) return {};
  return std::string(*found->as_string());
}

void add_lines(std::vector<std::string>& lines, const semantics::DeclaredCoverage& coverage) {
  for (std::string& line : semantics::compose_not_covered(coverage)) {
    lines.push_back(std::move(line));
  }
}

// What a result declares about itself: when and by what it was measured, and what it leaves out.
void read_value(const json::Value& value, WhyCall& call) {
  for (const char* pointer :
       {"/provenance/measured_at", "/provenance/measuredAt", "/measured_at", "/measuredAt"}) {
    if (call.measured_at.empty()) call.measured_at = text_at(value, pointer);
  }
  if (call.measured_by.empty()) call.measured_by = text_at(value, "/provenance/source");
  if (const auto ledger = semantics::read_coverage_ledger(value)) {
    add_lines(call.not_covered, ledger->coverage);
    read_value(ledger->result, call);
    return;
  }
  if (const auto absence = semantics::read_absence(value)) {
    add_lines(call.not_covered, absence->coverage);
    return;
  }
  if (const json::Value* coverage = value.find("coverage"); coverage && coverage->is_object()) {
    add_lines(call.not_covered, semantics::read_declared_coverage(*coverage));
  }
  if (!call.not_covered.empty()) return;
  if (const json::Value* lines = value.find("not_covered")) {
    for (const json::Value& line : lines->elements()) {
      if (const auto text = line.as_string()) call.not_covered.emplace_back(*text);
    }
  }
}

struct Leaf {
  std::string path;
  json::Value value;
};

// The scalar leaves of arguments, in order.
void collect(const json::Value& value, const std::string& path, int depth,
             std::vector<Leaf>& leaves) {
  if (leaves.size() >= kMaxLeaves || depth > 64) return;
  if (value.is_object()) {
    for (const json::Member& member : value.members()) {
      collect(member.value, path + "/" + json::pointer_token(member.key()), depth + 1, leaves);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      collect(value.at(i), path + "/" + std::to_string(i), depth + 1, leaves);
    }
  } else {
    leaves.push_back({path, value});
  }
}

std::string raw_of(const json::Value& leaf) {
  const auto text = leaf.as_string();
  return text ? std::string(*text) : json::dump(leaf);
}

evidence::JudgeOptions every_value() {
  evidence::JudgeOptions options;
  options.thorough = true;
  options.min_digits = 1;
  options.derive = false;
  return options;
}

}  // namespace

evidence::ConversationIndex index_before(const Conversation& conversation, std::uint32_t count,
                                         const WhyQuestion& question) {
  Conversation head;
  for (std::uint32_t i = 0; i < count; ++i) head.append(conversation[i]);
  auto index = evidence::ConversationIndex::of(head);
  if (question.recorded != nullptr) question.recorded->supply(index);
  return index;
}

findings::ResultRef Tracer::ref(const CallKey& key) const {
  const auto result = conversation_.result_of(key);
  const auto id = result ? conversation_[*result].tool_call_id : std::nullopt;
  return findings::ResultRef(id.value_or(""), key);
}

WhyValue Tracer::value(const evidence::JudgedValue& judged,
                       const evidence::ConversationIndex& index) {
  WhyValue made;
  made.raw = judged.value.raw;
  made.level = judged.level;
  made.supplied_by = judged.grounding.supplied_by;
  if (made.supplied_by && *made.supplied_by != evidence::SuppliedBy::declared) {
    made.supplied_in = first_to_say(judged, index.size());
  }
  made.notes = judged.grounding.notes;
  made.carriers = carriers(judged.grounding.carriers, index);
  if (const auto& derivation = judged.grounding.derivation) {
    made.formula = derivation->formula;
    made.chance = derivation->chance;
    for (const evidence::Operand& operand : derivation->operands) {
      made.operands.push_back({operand.raw, operand.pointer, carriers(operand.carriers, index)});
    }
  }
  return made;
}

void Tracer::calls() {
  while (!waiting_.empty()) {
    const CallKey key = waiting_.front();
    waiting_.pop_front();
    if (explanation_.calls.size() == kMaxCalls) {
      explanation_.calls_capped = true;
      return;
    }
    explanation_.calls.push_back(call(key));
  }
}

// The bytes of the result that carry the value, where the answer spells it in another way.
std::string Tracer::spelled(const evidence::Carrier& carrier,
                            const evidence::ResultEntry& entry) const {
  if (carrier.level == evidence::Level::exact) return {};
  const auto parts = conversation_[entry.message].text_parts();
  if (parts.size() != 1) return {};
  const json::Span span = entry.index->span(carrier.places.front().item);
  if (span.begin >= span.end || span.end > parts.front().size()) return {};
  return std::string(parts.front().substr(span.begin, span.end - span.begin));
}

std::vector<WhyCarrier> Tracer::carriers(const std::vector<evidence::Carrier>& found,
                                         const evidence::ConversationIndex& index) {
  std::vector<WhyCarrier> made;
  for (const evidence::Carrier& carrier : found) {
    const evidence::ResultEntry& entry = index.results()[carrier.result];
    WhyCarrier one;
    one.call = entry.call;
    one.message = entry.message;
    one.tool = entry.tool;
    if (!carrier.places.empty()) {
      one.pointer = entry.index->pointer(carrier.places.front().item);
      one.raw = spelled(carrier, entry);
    }
    one.level = carrier.level;
    one.failed = carrier.failed;
    one.echo = carrier.echo;
    one.partial = carrier.partial;
    one.superseded = carrier.superseded;
    const WhyStanding standing = standings_.of(ref(entry.call));
    one.then = standing.then;
    one.now = standing.now;
    made.push_back(std::move(one));
    if (met_.insert(entry.call).second) waiting_.push_back(entry.call);
  }
  return made;
}

// Who spoke a value first: its message is judged with nothing else in view.
std::optional<std::uint32_t> Tracer::first_to_say(const evidence::JudgedValue& judged,
                                                  std::uint32_t before) {
  if (!spoken_read_) {
    spoken_read_ = true;
    for (std::uint32_t at = 0; at < explanation_.message; ++at) {
      const Origin origin = conversation_[at].origin;
      if (origin != Origin::person && origin != Origin::app) continue;
      Conversation alone;
      alone.append(conversation_[at]);
      spoken_.emplace_back(at, evidence::ConversationIndex::of(alone));
    }
  }
  for (const auto& [at, index] : spoken_) {
    if (at >= before) break;
    const evidence::Judge judge(index, every_value());
    if (judge.ground(judged.value).supplied_by == judged.grounding.supplied_by) return at;
  }
  return std::nullopt;
}

// The newest later call before the answer with the same tool and arguments that did not fail.
std::optional<CallKey> Tracer::replacement(const CallKey& key) const {
  const ToolCall* asked = conversation_.call_of(key);
  const auto result = conversation_.result_of(key);
  if (asked == nullptr || !result) return std::nullopt;
  const std::string arguments = json::dump_canonical(asked->arguments);
  for (std::uint32_t at = explanation_.message; at > *result + 1; --at) {
    const Message& message = conversation_[at - 1];
    const auto later = conversation_.key_of_result(at - 1);
    if (!later || message.status == ResultStatus::failed || message.origin != Origin::tool)
      continue;
    if (message.status == ResultStatus::settled || !message.dispatched) continue;
    const ToolCall* again = conversation_.call_of(*later);
    if (again == nullptr || again->name != asked->name) continue;
    if (json::dump_canonical(again->arguments) == arguments) return later;
  }
  return std::nullopt;
}

void Tracer::read_declared(const Message& message, WhyCall& call) const {
  if (question_.recorded != nullptr) {
    const auto whole = question_.recorded->described.find(call.key);
    if (whole != question_.recorded->described.end()) return read_value(whole->second, call);
  }
  for (const std::string_view part : message.text_parts()) {
    if (const auto parsed = json::parse(part)) read_value(*parsed, call);
  }
}

WhyCall Tracer::call(const CallKey& key) {
  WhyCall made;
  made.key = key;
  if (const auto result = conversation_.result_of(key)) {
    const Message& message = conversation_[*result];
    made.result = *result;
    made.status = message.status;
    made.tool = message.tool_name.value_or("");
    made.turn = conversation_.turn_of(*result);
    read_declared(message, made);
  }
  made.standing = standings_.of(ref(key));
  made.contradictions = standings_.contradictions(ref(key));
  made.judgment = standings_.judgment(ref(key));
  const ToolCall* asked = conversation_.call_of(key);
  if (asked == nullptr) return made;
  made.tool = asked->name;
  made.arguments = *asked->arguments_text;
  made.replaced_by = replacement(key);
  add_arguments(*asked, made);
  return made;
}

void Tracer::add_arguments(const ToolCall& asked, WhyCall& made) {
  const json::Value arguments = findings::peeled_arguments(asked);
  std::vector<Leaf> leaves;
  collect(arguments, "", 0, leaves);
  const auto index = index_before(conversation_, made.key.message, question_);
  const evidence::Judge judge(index, every_value());
  evidence::ArgumentOptions options;
  options.numbers = true;
  std::map<std::string, std::vector<WhyValue>> read;
  for (const auto& argument : evidence::check_arguments(judge, arguments, options).values) {
    read[argument.path].push_back(value(argument.judged, index));
  }
  for (const Leaf& leaf : leaves) {
    const auto found = read.find(leaf.path);
    if (found != read.end()) {
      for (WhyValue& one : found->second) made.values.push_back({leaf.path, std::move(one)});
      continue;
    }
    const std::string raw = raw_of(leaf.value);
    if (raw.empty()) continue;
    // A number is always a value; what is left is true, false or null: the model's choice.
    WhyValue chosen;
    chosen.raw = raw;
    if (leaf.value.is_string()) chosen = text_argument(raw, index);
    made.values.push_back({leaf.path, std::move(chosen)});
  }
}

// A text without a value in it is looked for as it stands, between token boundaries.
WhyValue Tracer::text_argument(std::string_view text, const evidence::ConversationIndex& index) {
  WhyValue made;
  made.raw = std::string(text);
  if (utf8::count(text) > kMaxText) return made;
  evidence::JudgeOptions options = every_value();
  options.shapes.push_back({"text", RE2::QuoteMeta(re2::StringPiece(text.data(), text.size()))});
  const evidence::Judge judge(index, options);
  for (const evidence::Value& one : judge.read(text).values) {
    if (one.raw != text) continue;
    evidence::JudgedValue judged;
    judged.value = one;
    judged.grounding = judge.ground(one);
    judged.level = judged.grounding.level;
    return value(judged, index);
  }
  return made;
}

}  // namespace agentfootprint::explain::internal
