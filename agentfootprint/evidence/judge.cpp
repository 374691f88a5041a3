// Reading an answer, marking what must be grounded, judging each value once.
#include "agentfootprint/evidence/judge.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/evidence/blocks.hpp"
#include "agentfootprint/evidence/derive.hpp"
#include "agentfootprint/evidence/internal/grounder.hpp"
#include "agentfootprint/evidence/internal/patterns.hpp"
#include "agentfootprint/evidence/match.hpp"

namespace agentfootprint::evidence {
namespace {

constexpr std::size_t kMaxValues = 20'000;      // of an answer
constexpr std::size_t kShortestIdentifier = 4;  // code points

constexpr int kMaxWordsOfName = 3;  // before a value, for an identifier spelled apart

bool is_sign(char c) noexcept {
  return c == '-' || c == '+';
}
bool is_ascii_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool overlaps(const Span& a, const Span& b) noexcept {
  return a.begin < b.end && b.begin < a.end;
}

bool covered(const Span& span, const std::vector<Span>& regions) noexcept {
  return std::any_of(regions.begin(), regions.end(),
                     [&](const Span& r) { return r.begin <= span.begin && span.end <= r.end; });
}

}  // namespace

std::string_view name_of(Level level) noexcept {
  static constexpr std::array<std::string_view, 8> kNames = {"supplied", "exact",      "same-value",
                                                             "part-of",  "rounded",    "converted",
                                                             "derived",  "unsupported"};
  return kNames[static_cast<std::size_t>(level)];
}

bool Grounding::echo_only() const noexcept {
  return !carriers.empty() && level != Level::supplied &&
         std::all_of(carriers.begin(), carriers.end(), [](const Carrier& c) { return c.echo; });
}

bool Grounding::failed_only() const noexcept {
  return !carriers.empty() && level != Level::supplied &&
         std::all_of(carriers.begin(), carriers.end(), [](const Carrier& c) { return c.failed; });
}

struct Judge::Patterns {
  struct NamedPattern {
    std::string name;
    internal::TokenPattern pattern;
  };
  std::vector<NamedPattern> shapes;
  std::vector<internal::TokenPattern> exempt;
  std::vector<Value> exempt_values;
};

Judge::Judge(const ConversationIndex& index, JudgeOptions options)
    : index_(index), options_(std::move(options)) {
  if (options_.min_digits < 1) {
    throw Refusal("evidence-min-digits", "minDigits",
                  "minDigits is below 1: every number would be judged; use thorough for that");
  }
  auto patterns = std::make_unique<Patterns>();
  for (const Shape& shape : options_.shapes) {
    if (shape.name.empty()) {
      throw Refusal("evidence-shape", "shapes.name",
                    "a shape has no name: its values could not be reported");
    }
    patterns->shapes.push_back(
        {shape.name, internal::TokenPattern(shape.match, "evidence-shape", "shapes.match")});
  }
  ReadOptions read;
  read.units = &index_.units();
  for (const Exemption& exemption : options_.exempt) {
    if (exemption.text.empty()) {
      throw Refusal("evidence-exempt", "exempt",
                    "an exemption is blank: name the text or the pattern");
    }
    if (exemption.regex) {
      patterns->exempt.emplace_back(exemption.text, "evidence-exempt", "exempt.regex");
      continue;
    }
    std::vector<Value> values = read_text(exemption.text, read);
    if (values.size() == 1) patterns->exempt_values.push_back(std::move(values.front()));
  }
  patterns_ = std::move(patterns);
}

Judge::~Judge() = default;

AnswerText Judge::read(std::string_view text) const {
  AnswerText answer;
  answer.text = std::string(text);
  std::vector<Span> exempt;
  for (const internal::TokenPattern& pattern : patterns_->exempt) {
    const auto found = pattern.matches(text);
    exempt.insert(exempt.end(), found.begin(), found.end());
  }
  for (const Exemption& exemption : options_.exempt) {
    if (exemption.regex) continue;
    const auto found = internal::folded_occurrences(text, exemption.text);
    exempt.insert(exempt.end(), found.begin(), found.end());
  }
  ReadOptions read;
  read.units = &index_.units();
  answer.values = read_text(text, read);
  std::vector<Span> taken;
  for (const auto& shape : patterns_->shapes) {
    for (const Span& span : shape.pattern.matches(text)) {
      if (std::any_of(taken.begin(), taken.end(), [&](const Span& t) { return overlaps(t, span); }))
        continue;
      taken.push_back(span);
      std::erase_if(answer.values, [&](const Value& v) { return overlaps(v.span, span); });
      Value value;
      value.span = span;
      value.raw = std::string(span.in(text));
      value.value = fold_text(value.raw);
      value.kind = ValueKind::shape;
      value.shape = shape.name;
      value.digits = static_cast<std::uint16_t>(std::min<std::ptrdiff_t>(
          0xFFFF, std::count_if(value.raw.begin(), value.raw.end(),
                                [](char c) { return c >= '0' && c <= '9'; })));
      Reading reading;
      reading.kind = ValueKind::shape;
      reading.text = value.value.starts_with("0x") && value.value.size() > 2 ? value.value.substr(2)
                                                                             : value.value;
      value.readings.push_back(std::move(reading));
      answer.values.push_back(std::move(value));
    }
  }
  if (!taken.empty()) {
    std::sort(answer.values.begin(), answer.values.end(),
              [](const Value& a, const Value& b) { return a.span.begin < b.span.begin; });
  }
  for (const Value& value : answer.values) {
    answer.candidate.push_back(is_candidate(value) && !numbers_item(text, value.span));
    const bool declared =
        covered(value.span, exempt) ||
        std::any_of(patterns_->exempt_values.begin(), patterns_->exempt_values.end(),
                    [&](const Value& e) {
                      const auto found = match(value, e, MatchContext{&index_.units(), 0, false});
                      return found && found->level <= Level::same_value;
                    });
    answer.exempt.push_back(declared);
  }
  return answer;
}

bool Judge::is_candidate(const Value& value) const {
  if (value.kind == ValueKind::shape) return true;
  if (value.ratio) return false;
  if (value.kind == ValueKind::identifier) {
    return value.digits > 0 && utf8::count(value.raw) >= kShortestIdentifier;
  }
  return options_.thorough || value.digits >= options_.min_digits;
}

Grounding Judge::ground(const Value& value) const {
  return internal::Grounder(index_, options_).ground(value);
}

std::vector<Carrier> Judge::carriers_at_any_level(const Value& value) const {
  return internal::Grounder(index_, options_).at_any_level(value);
}

namespace {

// One entry for two spellings: judged by the clearer one, whose places count as exact when either
// spelling stands there.
Grounding ground_spelled(internal::Grounder& grounder, const Value& first, const Value& clearest) {
  if (first.raw == clearest.raw) return grounder.ground(first);
  Value value = clearest;
  value.raw = first.raw;
  return grounder.ground(value);
}

}  // namespace

// `gift card 9957` for an identifier written gift_card_9957: the words before the value are of it.
std::optional<Grounding> Judge::ground_apart(internal::Grounder& grounder, std::string_view text,
                                             const Value& value) const {
  const bool plain = value.kind == ValueKind::number || value.kind == ValueKind::identifier;
  if (!plain || value.raw.empty() || is_sign(value.raw[0])) return std::nullopt;
  ReadOptions read;
  read.units = &index_.units();
  std::size_t begin = value.span.begin;
  std::string joined = fold_text(value.raw);
  for (int words = 0; words < kMaxWordsOfName; ++words) {
    // A space, or what Markdown puts between a label and its value: `**Gift Card:** 9957`.
    std::size_t end = begin;
    while (end > 0 && std::string_view(" *`:").find(text[end - 1]) != std::string_view::npos) --end;
    if (end == 0 || end == begin) return std::nullopt;
    std::size_t word = end;
    while (word > 0 && is_ascii_letter(text[word - 1])) --word;
    if (word == end || !is_token_boundary(text, word)) return std::nullopt;
    joined = fold_text(text.substr(word, end - word)) + "_" + joined;
    for (const char sign : {'_', '-', '\0'}) {
      std::string name = joined;
      if (sign != '\0') {
        std::replace(name.begin(), name.end(), '_', sign);
      } else if (words == 0) {
        std::erase(name, '_');  // `INC 0012345` for INC0012345
      } else {
        continue;
      }
      const std::vector<Value> found = read_text(name, read);
      if (found.size() != 1 || found[0].raw != name || found[0].kind != ValueKind::identifier)
        continue;
      Grounding grounding = grounder.ground(found[0]);
      if (grounding.level > Level::same_value) continue;
      if (grounding.level == Level::exact) grounding.level = Level::same_value;
      for (Carrier& carrier : grounding.carriers)
        carrier.level = std::max(carrier.level, Level::same_value);
      grounding.notes.emplace_back("spelled-apart");
      return grounding;
    }
    begin = word;
  }
  return std::nullopt;
}

Verdict Judge::check(std::string_view text) const {
  const AnswerText answer = read(text);
  Verdict verdict;
  verdict.truncated = index_.truncated();
  verdict.values.reserve(
      static_cast<std::size_t>(std::count(answer.candidate.begin(), answer.candidate.end(), true)));
  // Values of one spelling: the newest of them, and for each the one before it.
  std::unordered_map<std::string_view, std::size_t> known;
  std::vector<std::size_t> before;
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t>
      clearest;  // beside verdict.values: its spelling with the fewest readings
  std::size_t seen = 0;
  for (std::size_t i = 0; i < answer.values.size(); ++i) {
    const Value& value = answer.values[i];
    if (!answer.candidate[i]) continue;
    if (++seen > kMaxValues) {
      verdict.values_capped = true;
      break;
    }
    std::size_t& newest = known.try_emplace(value.value, kNone).first->second;
    std::size_t twin = newest;
    while (twin != kNone && !same_value(verdict.values[twin].value, value)) twin = before[twin];
    if (twin == kNone) {
      before.push_back(newest);
      newest = verdict.values.size();
      clearest.push_back(i);
      verdict.values.emplace_back();
      verdict.values.back().value = value;
      verdict.values.back().spans.push_back(value.span);
      continue;
    }
    verdict.values[twin].spans.push_back(value.span);
    std::size_t& best = clearest[twin];
    if (value.readings.size() < answer.values[best].readings.size()) best = i;
  }
  internal::Grounder grounder(index_, options_);
  for (std::size_t at = 0; at < verdict.values.size(); ++at) {
    JudgedValue& judged = verdict.values[at];
    judged.grounding = ground_spelled(grounder, judged.value, answer.values[clearest[at]]);
    if (judged.grounding.level == Level::unsupported) {
      if (auto whole = ground_apart(grounder, answer.text, judged.value))
        judged.grounding = std::move(*whole);
    }
    if (answer.exempt[clearest[at]]) {
      judged.grounding.level = Level::supplied;
      if (!judged.grounding.supplied_by) judged.grounding.supplied_by = SuppliedBy::declared;
    }
    judged.level = judged.grounding.level;
  }
  verdict.candidates = verdict.values.size();
  if (options_.derive) derive_values(*this, answer, verdict);
  verdict.unsupported.clear();
  if (verdict.truncated) return verdict;
  for (std::size_t i = 0; i < verdict.values.size(); ++i) {
    if (verdict.values[i].level == Level::unsupported) verdict.unsupported.push_back(i);
  }
  return verdict;
}

Verdict check_answer(std::string_view answer, const ConversationIndex& index,
                     const JudgeOptions& options) {
  return Judge(index, options).check(answer);
}

}  // namespace agentfootprint::evidence
