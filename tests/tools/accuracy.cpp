// The accuracy of the evidence engine on real transcripts, printed by one command.
//
//   build/release/bin/accuracy [FOLDER]          (default ../shared/data)
//
// For each set of transcripts: the share of each level among the values of assistant prose, every
// unsupported value with the words around it, and what becomes of answers that are wrong on
// purpose: one digit changed, two values swapped between what they are said of, the carrying
// results dropped, the carrying results marked failed; and how many random numbers the derivations
// would admit. Seeded: two runs print the same.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "agentfootprint/base/hash.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/evidence/association.hpp"
#include "agentfootprint/evidence/derivation.hpp"
#include "agentfootprint/evidence/judge.hpp"
#include "agentfootprint/transcript/transcript.hpp"

namespace agentfootprint {
namespace {

namespace fs = std::filesystem;
using evidence::ConversationIndex;
using evidence::Judge;
using evidence::JudgedValue;
using evidence::JudgeOptions;
using evidence::Level;
using evidence::Verdict;

// A small generator, the same everywhere. One for each value, so that what is drawn for it does not
// hang on what became of the values before it: two versions of the engine meet the same numbers.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t limit) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::uint32_t>(state_ >> 33U) % limit;
  }

 private:
  std::uint64_t state_;
};

struct Answer {
  std::string where;
  std::string text;
  std::uint32_t message = 0;
  Conversation before;  // what the model had read
};

struct Share {
  std::size_t hit = 0;
  std::size_t all = 0;
  void add(bool is_hit) {
    ++all;
    if (is_hit) ++hit;
  }
  [[nodiscard]] std::string text() const {
    return all == 0
               ? std::string("none")
               : fmt::format("{:.2f} % ({} of {})",
                             100.0 * static_cast<double>(hit) / static_cast<double>(all), hit, all);
  }
};

struct Tally {
  std::map<std::string, std::array<std::size_t, 8>> by_kind;
  std::array<std::size_t, 8> by_level{};
  std::size_t judged = 0;
  std::size_t weak = 0;
  std::size_t echo_only = 0;
  std::size_t failed_only = 0;
};

bool is_grounded(Level level) {
  return level >= Level::exact && level <= Level::converted;
}

bool is_weak(const JudgedValue& value) {
  return value.level == Level::derived && value.grounding.derivation &&
         value.grounding.derivation->chance > evidence::kWeakChance;
}

// Of the values in a stretch of the answer the one that stands on least.
const JudgedValue* value_in(const Verdict& verdict, const json::Span& where) {
  const JudgedValue* worst = nullptr;
  for (const JudgedValue& value : verdict.values) {
    for (const json::Span& span : value.spans) {
      if (span.end <= where.begin || where.end <= span.begin) continue;
      if (worst == nullptr || value.level > worst->level) worst = &value;
    }
  }
  return worst;
}

std::string around(const std::string& text, const json::Span& span) {
  const std::size_t begin = span.begin > 90 ? span.begin - 90 : 0;
  std::string out = text.substr(begin, span.begin - begin) + "[[" +
                    text.substr(span.begin, span.size()) + "]]" + text.substr(span.end, 60);
  return utf8::printable(utf8::sanitize(out));
}

std::string source_of(const evidence::Operand& operand) {
  if (operand.pointer.empty()) return "quoted";
  return operand.raw == operand.pointer || operand.raw == "count(" + operand.pointer + ")"
             ? "column"
             : "member";
}

// A formula with its operands told by where they come from: `quoted - member`.
std::string kind_of(const evidence::Derivation& derivation) {
  const std::string& formula = derivation.formula;
  const auto& operands = derivation.operands;
  if (operands.size() != 2 || formula.starts_with("mean(") || formula.starts_with("sum(")) {
    const std::size_t bracket = formula.find('(');
    return (bracket == std::string::npos ? "terms" : formula.substr(0, bracket)) + " of " +
           source_of(operands.front());
  }
  const std::string& a = operands[0].raw;
  const std::string& b = operands[1].raw;
  std::string sign = "?";
  for (const char* between : {" + ", " - ", " * ", " / "}) {
    if (formula == a + between + b) sign = between;
  }
  if (formula == "100 * " + a + " / " + b) sign = " % ";
  if (formula.starts_with("100 * (")) sign = " change % ";
  return source_of(operands[0]) + sign + source_of(operands[1]);
}

std::string told(const evidence::Derivation& derivation) {
  std::string text = derivation.formula;
  for (const evidence::Operand& operand : derivation.operands) {
    text += operand.pointer.empty() ? ", quoted" : ", " + operand.pointer;
  }
  return text;
}

constexpr int kRandomNumbers = 60;    // in the place of one value
constexpr std::size_t kExamples = 2;  // of admitted ones, a kind

// What the derivations admit of random numbers of one length.
struct Space {
  Share strong;
  Share weak;
  std::map<std::string, std::size_t> by_kind;  // of the strong ones
  std::vector<std::string> examples;
};

class Measurement {
 public:
  Measurement(std::string name, bool thorough) : name_(std::move(name)) {
    options_.thorough = thorough;
  }

  void add(const Transcript& transcript, const std::string& file) {
    Conversation so_far;
    const Conversation& all = transcript.conversation;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      const Message& message = all[i];
      if (message.role == Role::assistant) {
        std::string text = message.text();
        if (!text.empty())
          measure({fmt::format("{}{} message {}", file, transcript.label, i), text, i, so_far});
      }
      so_far.append(message);
    }
    ++conversations_;
  }

  void print() const {
    fmt::print("\n== {}{}: {} conversations, {} answers, {} judged values\n", name_,
               options_.thorough ? " (thorough)" : "", conversations_, answers_, tally_.judged);
    print_levels();
    fmt::print(
        "digit changed, values grounded at exact to converted: flagged {}; left out because the "
        "new value is carried or supplied: {}; reached by a derivation: {} ({} of them weak)\n",
        digit_.text(), digit_landed_, digit_derived_, digit_weak_);
    fmt::print("digit changed, derived values: flagged {}; left out: {}\n", derived_digit_.text(),
               derived_landed_);
    fmt::print(
        "two values said of two entities swapped: noted as not associated {}\n"
        "values said of an entity: {}; notes on the answers as they are: {}\n",
        swap_.text(), pairs_, notes_.size());
    for (const std::string& line : notes_) fmt::print("  {}\n", line);
    fmt::print("carrying results dropped: flagged {}; derived instead: {}\n", drop_.text(),
               drop_derived_);
    fmt::print(
        "carrying results failed instead: told as read only in a failed call, or flagged {}\n",
        failed_.text());
    for (const auto& [digits, space] : space_) print_space(digits, space);
    fmt::print("unsupported ({}):\n", unsupported_.size());
    for (const std::string& line : unsupported_) fmt::print("  {}\n", line);
  }

 private:
  void print_levels() const {
    for (std::size_t level = 0; level < tally_.by_level.size(); ++level) {
      const double share = tally_.judged == 0
                               ? 0
                               : 100.0 * static_cast<double>(tally_.by_level[level]) /
                                     static_cast<double>(tally_.judged);
      fmt::print("  {:<12} {:>6}  {:6.2f} %", evidence::name_of(static_cast<Level>(level)),
                 tally_.by_level[level], share);
      for (const auto& [kind, counts] : tally_.by_kind) {
        if (counts[level] > 0) fmt::print("  {} {}", kind, counts[level]);
      }
      fmt::print("\n");
    }
    fmt::print("  of them derived (weak) {}, echo-only {}, read only in a failed call {}\n",
               tally_.weak, tally_.echo_only, tally_.failed_only);
  }

  static void print_space(int digits, const Space& space) {
    fmt::print("number space admitted by derivations, {} digits: {}; weak {}\n", digits,
               space.strong.text(), space.weak.text());
    for (const auto& [kind, count] : space.by_kind) {
      fmt::print("  {:<36} {:>4}  {:.2f} %\n", kind, count,
                 100.0 * static_cast<double>(count) / static_cast<double>(space.strong.all));
    }
    for (const std::string& line : space.examples) fmt::print("  {}\n", line);
  }

  void measure(const Answer& answer) {
    ++answers_;
    const auto index = ConversationIndex::of(answer.before);
    const Judge judge(index, options_);
    const Verdict verdict = judge.check(answer.text);
    for (const JudgedValue& value : verdict.values) {
      const auto level = static_cast<std::size_t>(value.level);
      ++tally_.judged;
      ++tally_.by_level[level];
      ++tally_.by_kind[std::string(evidence::name_of(value.value.kind))][level];
      if (is_weak(value)) ++tally_.weak;
      if (value.level != Level::supplied && value.grounding.echo_only()) ++tally_.echo_only;
      if (value.level != Level::supplied && value.grounding.failed_only()) ++tally_.failed_only;
      if (value.level == Level::unsupported) {
        unsupported_.push_back(fmt::format("{} {} `{}`: {}", answer.where,
                                           evidence::name_of(value.value.kind), value.value.raw,
                                           around(answer.text, value.spans.front())));
      }
      change_digit(answer, judge, value);
      admit_random(answer, judge, value);
      if (is_grounded(value.level)) without_results(answer, index, value);
    }
    note_true_answer(answer, judge, verdict);
    swap_values(answer, judge, verdict);
  }

  static Dice dice_for(const Answer& answer, const JudgedValue& value) {
    return Dice(hash64(answer.where, value.spans.front().begin));
  }

  // One digit of the value becomes another, in every spelling of it.
  void change_digit(const Answer& answer, const Judge& judge, const JudgedValue& value) {
    const bool derived = value.level == Level::derived;
    if (!derived && !is_grounded(value.level)) return;
    std::vector<std::size_t> digits;
    const std::string& raw = value.value.raw;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] >= '0' && raw[i] <= '9') digits.push_back(i);
    }
    if (digits.empty() || value.spans.size() != 1) return;
    Dice dice = dice_for(answer, value);
    const std::size_t at = digits[dice.below(static_cast<std::uint32_t>(digits.size()))];
    std::string text = answer.text;
    char& digit = text[value.spans[0].begin + at];
    digit = static_cast<char>('0' + (digit - '0' + 1 + static_cast<int>(dice.below(9))) % 10);
    const Verdict changed = judge.check(text);
    const JudgedValue* now = value_in(changed, value.spans[0]);
    const bool landed = now != nullptr && now->level < Level::derived;
    if (landed) {
      ++(derived ? derived_landed_ : digit_landed_);
      return;
    }
    const bool flagged = now != nullptr && now->level == Level::unsupported;
    if (derived) return derived_digit_.add(flagged);
    if (now != nullptr && now->level == Level::derived) {
      ++digit_derived_;
      if (is_weak(*now)) ++digit_weak_;
      return;
    }
    digit_.add(flagged);
    if (!flagged) {
      fmt::print("not flagged: {} `{}` changed: {}\n", answer.where, raw,
                 around(text, value.spans[0]));
    }
  }

  // Random numbers of the same length in the value's place: would a derivation admit them?
  void admit_random(const Answer& answer, const Judge& judge, const JudgedValue& value) {
    if (value.value.kind != evidence::ValueKind::number &&
        value.value.kind != evidence::ValueKind::quantity) {
      return;
    }
    if (value.spans.size() != 1 || value.value.digits > 7 || value.value.digits < 3) return;
    Dice dice = dice_for(answer, value);
    for (int times = 0; times < kRandomNumbers; ++times) {
      std::string text = answer.text;
      bool first = true;
      for (std::size_t i = value.spans[0].begin; i < value.spans[0].end; ++i) {
        if (text[i] < '0' || text[i] > '9') continue;
        text[i] = static_cast<char>(first ? '1' + static_cast<int>(dice.below(9))
                                          : '0' + static_cast<int>(dice.below(10)));
        first = false;
      }
      const Verdict changed = judge.check(text);
      const JudgedValue* now = value_in(changed, value.spans[0]);
      if (now == nullptr || now->level < Level::derived) continue;
      Space& space = space_[value.value.digits];
      const bool strong = now->level == Level::derived && !is_weak(*now);
      space.strong.add(strong);
      space.weak.add(is_weak(*now));
      if (!strong) continue;
      const evidence::Derivation& derivation = *now->grounding.derivation;
      if (++space.by_kind[kind_of(derivation)] > kExamples) continue;
      space.examples.push_back(fmt::format("{} `{}` = {} (chance {:.3f}): {}", answer.where,
                                           now->value.raw, told(derivation), derivation.chance,
                                           around(text, value.spans[0])));
    }
  }

  // The same conversation with the carrying results emptied, and with them failed.
  void without_results(const Answer& answer, const ConversationIndex& index,
                       const JudgedValue& value) {
    std::set<std::uint32_t> carrying;
    for (const evidence::Carrier& carrier : value.grounding.carriers) {
      carrying.insert(index.results()[carrier.result].message);
    }
    Conversation dropped;
    Conversation failed;
    for (std::uint32_t i = 0; i < answer.before.size(); ++i) {
      Message message = answer.before[i];
      if (carrying.contains(i)) {
        Message empty = message;
        empty.content = json::Value("");
        dropped.append(empty);
        message.status = ResultStatus::failed;
        failed.append(message);
      } else {
        dropped.append(message);
        failed.append(message);
      }
    }
    const auto without = ConversationIndex::of(dropped);
    const Verdict left = Judge(without, options_).check(answer.text);
    const JudgedValue* now = value_in(left, value.spans[0]);
    if (now != nullptr && now->level == Level::derived) {
      ++drop_derived_;
    } else {
      drop_.add(now != nullptr && now->level == Level::unsupported);
    }
    const auto as_failed = ConversationIndex::of(failed);
    const Verdict told = Judge(as_failed, options_).check(answer.text);
    now = value_in(told, value.spans[0]);
    failed_.add(now != nullptr && (now->level == Level::unsupported ||
                                   now->grounding.failed_only() || now->level == Level::derived));
  }

  // The notes that the answer as it is gets.
  void note_true_answer(const Answer& answer, const Judge& judge, const Verdict& verdict) {
    pairs_ += evidence::said_of(answer.text, verdict).size();
    for (const evidence::AssociationNote& note :
         evidence::associations(judge, answer.text, verdict)) {
      const JudgedValue& value = verdict.values[note.value];
      notes_.push_back(fmt::format("{} `{}` is not of `{}`: {}", answer.where, value.value.raw,
                                   verdict.values[note.entity].value.raw,
                                   around(answer.text, value.spans.front())));
    }
  }

  // Two values of one kind that are said of different entities change places in the answer.
  void swap_values(const Answer& answer, const Judge& judge, const Verdict& verdict) {
    std::vector<evidence::SaidOf> movable;
    for (const evidence::SaidOf& said : evidence::said_of(answer.text, verdict)) {
      if (is_grounded(verdict.values[said.value].level)) movable.push_back(said);
    }
    std::set<std::size_t> moved;
    for (std::size_t i = 0; i < movable.size(); ++i) {
      for (std::size_t k = i + 1; k < movable.size() && !moved.contains(i); ++k) {
        if (moved.contains(k) || movable[i].entity == movable[k].entity) continue;
        const evidence::Value& first = verdict.values[movable[i].value].value;
        const evidence::Value& second = verdict.values[movable[k].value].value;
        if (first.kind != second.kind || movable[i].value == movable[k].value) continue;
        moved.insert(i);
        moved.insert(k);
        swap(answer, judge, movable[i], movable[k]);
      }
    }
  }

  void swap(const Answer& answer, const Judge& judge, evidence::SaidOf a, evidence::SaidOf b) {
    if (a.span.begin > b.span.begin) std::swap(a, b);
    const std::string& text = answer.text;
    const std::string changed = text.substr(0, a.span.begin) + std::string(b.span.in(text)) +
                                text.substr(a.span.end, b.span.begin - a.span.end) +
                                std::string(a.span.in(text)) + text.substr(b.span.end);
    const Verdict swapped = judge.check(changed);
    bool noted = false;
    for (const evidence::AssociationNote& note : evidence::associations(judge, changed, swapped)) {
      for (const json::Span& span : swapped.values[note.value].spans) {
        const bool first = span.begin == a.span.begin;
        const bool second = span.end == b.span.end;
        noted = noted || first || second;
      }
    }
    swap_.add(noted);
  }

  std::string name_;
  JudgeOptions options_;
  std::size_t conversations_ = 0;
  std::size_t answers_ = 0;
  Tally tally_;
  Share digit_;
  Share derived_digit_;
  Share swap_;
  Share drop_;
  Share failed_;
  std::size_t digit_landed_ = 0;
  std::size_t derived_landed_ = 0;
  std::size_t digit_derived_ = 0;
  std::size_t digit_weak_ = 0;
  std::size_t drop_derived_ = 0;
  std::map<int, Space> space_;
  std::vector<std::string> unsupported_;
  std::vector<std::string> notes_;
  std::size_t pairs_ = 0;
};

void measure_set(const fs::path& folder, const std::string& name) {
  if (!fs::is_directory(folder / name)) {
    fmt::print("\n== {}: not here, not measured\n", name);
    return;
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder / name)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const bool thorough : {false, true}) {
    Measurement measurement(name, thorough);
    for (const fs::path& file : files) {
      try {
        TranscriptReader reader = TranscriptReader::open(file.string());
        while (auto transcript = reader.next()) {
          measurement.add(*transcript, file.filename().string());
        }
      } catch (const Error& error) {
        fmt::print("{}: {}\n", file.filename().string(), error.what());
      }
    }
    measurement.print();
  }
}

}  // namespace
}  // namespace agentfootprint

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "../shared/data";
  for (const char* name : {"tau-bench", "swe-agent", "claude-code"}) {
    agentfootprint::measure_set(folder, name);
  }
  return 0;
}
