// From a verdict to derivations and back.
#include "agentfootprint/evidence/derive.hpp"

#include <algorithm>
#include <map>

#include "agentfootprint/evidence/association.hpp"
#include "agentfootprint/evidence/internal/calendar.hpp"
#include "agentfootprint/evidence/internal/facts.hpp"
#include "agentfootprint/evidence/internal/keys.hpp"
#include "agentfootprint/evidence/internal/merged.hpp"
#include "agentfootprint/evidence/internal/trial.hpp"
#include "agentfootprint/evidence/internal/words.hpp"

namespace agentfootprint::evidence {
namespace {

constexpr int kMaxPasses = 4;  // derived values become operands of others

std::string dimension_of(const Unit& unit, const UnitTable& units) {
  if (unit.id == 0) return unit.written;
  const UnitTable::Entry& entry = units.row(unit.id);
  std::string name;
  if (entry.name == "%") {
    name = "%";
  } else if (entry.dimension == units.dimension("time")) {
    name = "time";
  } else if (!entry.offset.is_zero()) {
    name = entry.name;  // degrees do not add up across scales
  } else {
    name = "#" + std::to_string(entry.dimension);
  }
  if (unit.per != 0) name += "/" + std::to_string(unit.per);
  return name;
}

Amount clock_amount(const Reading& reading) {
  Amount amount;
  const bool instant = reading.kind == ValueKind::instant;
  amount.measure = instant ? Measure::instant : Measure::time;
  std::int64_t seconds = reading.time.second_of_day;
  if (instant) {
    seconds += internal::days_of_date(reading.date.year, reading.date.month, reading.date.day) *
               internal::kSecondsADay;
    if (reading.zone.written) seconds -= std::int64_t{reading.zone.minutes} * 60;
  }
  amount.number = Decimal(seconds);
  switch (reading.time.precision) {
    case ClockPrecision::hour:
      amount.resolution = 3600;
      break;
    case ClockPrecision::minute:
      amount.resolution = 60;
      break;
    case ClockPrecision::second:
    case ClockPrecision::fraction:
      break;
  }
  return amount;
}

}  // namespace

std::optional<Amount> amount_of(const Reading& reading, const UnitTable& units) {
  Amount amount;
  switch (reading.kind) {
    case ValueKind::identifier:
    case ValueKind::shape:
      return std::nullopt;
    case ValueKind::date:
      if (reading.date.month == 0 || reading.date.day == 0) return std::nullopt;
      if (reading.date.day > internal::days_in_month(2000, reading.date.month)) return std::nullopt;
      amount.measure = Measure::date;
      amount.yearless = reading.date.year == 0;
      amount.resolution = internal::kSecondsADay;
      amount.number = Decimal(internal::days_of_date(amount.yearless ? 2000 : reading.date.year,
                                                     reading.date.month, reading.date.day) *
                              internal::kSecondsADay);
      return amount;
    case ValueKind::time:
    case ValueKind::instant:
      if (reading.kind == ValueKind::instant && !reading.date.complete()) return std::nullopt;
      return clock_amount(reading);
    case ValueKind::duration:
      amount.number = reading.number;
      amount.decimals = reading.decimals;
      amount.dimension = "time";
      amount.measured = true;
      return amount;
    case ValueKind::number:
    case ValueKind::quantity:
      break;
  }
  amount.number = scaled_number(reading);
  amount.decimals = reading.decimals - reading.scale;
  if (reading.unit.stated()) {
    amount.dimension = dimension_of(reading.unit, units);
    amount.measured = reading.unit.id != 0;
    if (reading.unit.id != 0 && units.row(reading.unit.id).offset.is_zero()) {
      amount.factor = units.row(reading.unit.id).factor;
    }
    if (amount.dimension == "%") amount.factor = Decimal(1);
  }
  return amount;
}

namespace {

// One verdict's derivations.
class VerdictDeriver {
 public:
  VerdictDeriver(const Judge& judge, const AnswerText& answer, Verdict& verdict)
      : judge_(judge), answer_(answer), verdict_(verdict), units_(judge.index().units()) {}

  void run() {
    std::vector<std::size_t> open;  // positions in the verdict
    for (std::size_t i = 0; i < verdict_.values.size(); ++i) {
      if (verdict_.values[i].level == Level::unsupported) open.push_back(i);
    }
    if (open.empty()) return;
    const bool numeric = std::any_of(open.begin(), open.end(), [&](std::size_t i) {
      return !amounts_of(verdict_.values[i].value).empty();
    });
    if (numeric) derive(open);
  }

 private:
  // The last digits of something longer are no amount: nothing adds up to a card "ending in 7447".
  std::vector<Amount> amounts_of(const Value& value) const {
    std::vector<Amount> amounts;
    if (value.ending) return amounts;
    for (const Reading& reading : value.readings) {
      if (auto amount = amount_of(reading, units_)) amounts.push_back(std::move(*amount));
    }
    return amounts;
  }

  void derive(std::vector<std::size_t> open) {
    read_results();
    read_quoted(open);
    tie_moments(open);
    deriver_.emplace(answer_.text, quoted_, results_, judge_.index().turn(),
                     [this](std::string_view text, auto& out) { read_amounts(text, out); });
    for (int pass = 0; pass < kMaxPasses && !open.empty(); ++pass) {
      std::vector<std::size_t> left;
      for (const std::size_t i : open) {
        if (!derive_one(i)) left.push_back(i);
      }
      const bool same = left.size() == open.size();
      open = std::move(left);
      if (same) break;
    }
    move_dates(open);
  }

  // The person's own words count as written durations ("shift it to the next day"): a date that a
  // result carries, moved by one of them.
  void move_dates(const std::vector<std::size_t>& open) {
    const std::vector<internal::Shift> shifts = shifts_of_person();
    if (shifts.empty()) return;
    std::vector<internal::Term> dates;
    for (const std::size_t position : open) {
      for (const Amount& amount : amounts_of(verdict_.values[position].value)) {
        if (amount.measure != Measure::date || amount.yearless) continue;
        if (dates.empty()) dates = carried_dates();
        internal::Trial trial(amount);
        for (const internal::Term& date : dates) {
          for (const internal::Shift& shift : shifts) trial.shift(date, shift);
        }
        if (trial.found().empty()) continue;
        Derived derived;
        derived.formulas = std::move(trial.found());
        derived.chance = trial.chance();
        accept(position, std::move(derived));
        break;
      }
    }
  }

  std::vector<internal::Shift> shifts_of_person() const {
    constexpr std::size_t kTexts = 8;  // the newest
    constexpr std::size_t kBytes = 4'000;
    std::vector<internal::Shift> shifts;
    const auto& supplied = judge_.index().supplied();
    std::size_t seen = 0;
    for (std::size_t i = supplied.size(); i-- > 0 && seen < kTexts;) {
      if (supplied[i].by != SuppliedBy::person) continue;
      ++seen;
      const std::string_view text = supplied[i].index->text();
      if (text.size() > kBytes) continue;
      const internal::BlockWords words = internal::read_words(text);
      shifts.insert(shifts.end(), words.shifts.begin(), words.shifts.end());
    }
    return shifts;
  }

  // Every date of a result that did not fail, each once; none when there are more than 4,096
  // places.
  std::vector<internal::Term> carried_dates() const {
    constexpr std::size_t kPlaces = 4'096;
    constexpr auto kTag = static_cast<std::uint64_t>(internal::KeyTag::civil) << 60U;
    std::map<std::string, internal::Term> dates;
    std::size_t places = 0;
    const auto& entries = judge_.index().results();
    const internal::MergedIndex& merged = judge_.index().merged_results();
    merged.visit(kTag, kTag | ((std::uint64_t{1} << 60U) - 1), [&](std::uint32_t at) {
      if (++places > kPlaces) return;
      const std::uint32_t result = merged.source_of(at);
      if (entries[result].failed) return;
      const ItemId item = at - merged.source(result).first;
      const Value value = entries[result].index->value(item);
      for (const Reading& reading : value.readings) {
        auto amount = amount_of(reading, units_);
        if (!amount || amount->measure == Measure::number || amount->yearless) continue;
        if (amount->measure == Measure::time) continue;
        DerivedOperand about;
        about.raw = value.raw;
        about.results = {result};
        about.pointer = entries[result].index->pointer(item);
        dates.try_emplace(amount->number.to_string(), std::move(*amount), std::move(about));
      }
    });
    std::vector<internal::Term> out;
    if (places > kPlaces) return out;
    for (auto& [seconds, term] : dates) out.push_back(std::move(term));
    return out;
  }

  void read_results() {
    const auto& entries = judge_.index().results();
    results_.reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const ResultEntry& entry = entries[i];
      if (entry.failed || entry.absent || entry.index->absence()) continue;
      DerivationResult result;
      result.result = static_cast<std::uint32_t>(i);
      result.tool = entry.tool;
      result.turn = entry.turn;
      result.text = entry.index->text();
      result.slot = &entry.index->derivations();
      results_.push_back(result);
    }
  }

  // Only blocks with a value to explain are grounded value by value.
  void read_quoted(const std::vector<std::size_t>& open) {
    const Blocks blocks = Blocks::of(answer_.text);
    std::vector<bool> wanted(blocks.size() + 1, false);
    for (const std::size_t i : open) {
      for (const Span& span : verdict_.values[i].spans)
        wanted[blocks.place(span.begin).block] = true;
    }
    for (std::size_t i = 0; i < answer_.values.size(); ++i) {
      const Value& value = answer_.values[i];
      Quoted quoted;
      quoted.raw = value.raw;
      quoted.span = value.span;
      quoted.candidate = answer_.candidate[i];
      // The number of a list's item is said of nothing.
      const bool marker = numbers_item(answer_.text, value.span);
      const std::vector<Amount> amounts = marker ? std::vector<Amount>() : amounts_of(value);
      quoted.numeric = !amounts.empty();
      if (quoted.numeric) quoted.amount = amounts.front();
      groundings_.emplace_back();
      if (!marker && wanted[blocks.place(value.span.begin).block]) {
        groundings_.back() = judge_.ground(value);
        if (answer_.exempt[i]) groundings_.back().level = Level::supplied;
        ground(quoted, groundings_.back());
      }
      quoted_.push_back(std::move(quoted));
    }
    for (const JudgedValue& judged : verdict_.values) {
      std::vector<std::size_t> at;
      for (const Span& span : judged.spans) {
        for (std::size_t i = 0; i < answer_.values.size(); ++i) {
          if (answer_.values[i].span == span) at.push_back(i);
        }
      }
      quoted_of_.push_back(std::move(at));
    }
  }

  // A moment that the answer says of something by name is derived from that thing's records.
  void tie_moments(const std::vector<std::size_t>& open) {
    const auto is_moment = [&](std::size_t position) {
      const std::vector<Amount> amounts = amounts_of(verdict_.values[position].value);
      return std::any_of(amounts.begin(), amounts.end(),
                         [](const Amount& amount) { return amount.measure != Measure::number; });
    };
    if (std::none_of(open.begin(), open.end(), is_moment)) return;
    for (const SaidOf& said : said_of(answer_.text, verdict_)) {
      if (verdict_.values[said.value].level != Level::unsupported || !is_moment(said.value))
        continue;
      for (const std::size_t at : quoted_of_[said.value]) {
        if (quoted_[at].span == said.span) tie(quoted_[at], verdict_.values[said.entity]);
      }
    }
  }

  void tie(Quoted& quoted, const JudgedValue& entity) const {
    const auto& entries = judge_.index().results();
    for (const Carrier& carrier : entity.grounding.carriers) {
      const ResultEntry& entry = entries[carrier.result];
      if (entry.failed || entry.absent) continue;
      if (carrier.places.size() >= judge_.options().max_places) return quoted.of.clear();
      const ResultIndex& index = *entry.index;
      const internal::Tables& tables = *index.derivations().read(index.text()).tables;
      for (const Place& place : carrier.places) {
        const std::size_t byte = index.span(place.item).begin;
        if (!tables.record_at(byte)) continue;
        quoted.of.emplace_back(static_cast<std::uint32_t>(carrier.result), byte);
      }
    }
    if (quoted.of.empty()) return;
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      if (named_in_call(entries[i], entity.value)) quoted.asked.push_back(i);
    }
  }

  void ground(Quoted& quoted, const Grounding& grounding) {
    quoted.grounded = grounding.level != Level::unsupported;
    const auto& entries = judge_.index().results();
    for (const Carrier& carrier : grounding.carriers) {
      if (carrier.failed) continue;
      for (const Place& place : carrier.places) {
        quoted.places.emplace_back(static_cast<std::uint32_t>(carrier.result),
                                   entries[carrier.result].index->span(place.item).begin);
      }
    }
  }

  // Tries each spelling and each reading of a value until one is explained.
  bool derive_one(std::size_t position) {
    JudgedValue& judged = verdict_.values[position];
    for (const std::size_t at : quoted_of_[position]) {
      for (const Amount& amount : amounts_of(judged.value)) {
        Derived derived = deriver_->derive(at, amount);
        for (const std::string& what : derived.clipped) note(judged, "not-tried: " + what);
        if (!derived.found()) continue;
        accept(position, std::move(derived));
        for (const std::size_t spelling : quoted_of_[position]) {
          deriver_->set_grounded(spelling, amount);
        }
        return true;
      }
    }
    return false;
  }

  void read_amounts(std::string_view text, std::vector<std::pair<Amount, std::string>>& out) const {
    ReadOptions options;
    options.units = &units_;
    options.answer = false;
    for (const Value& value : read_text(text, options)) {
      for (const Reading& reading : value.readings) {
        auto amount = amount_of(reading, units_);
        if (!amount) continue;
        out.emplace_back(std::move(*amount), value.raw);
        break;
      }
    }
  }

  static void note(JudgedValue& judged, std::string text) {
    auto& notes = judged.grounding.notes;
    if (std::find(notes.begin(), notes.end(), text) == notes.end())
      notes.push_back(std::move(text));
  }

  void accept(std::size_t position, Derived derived) {
    JudgedValue& judged = verdict_.values[position];
    judged.level = judged.grounding.level = Level::derived;
    for (std::size_t i = 0; i < derived.formulas.size(); ++i) {
      Derivation derivation;
      derivation.formula = derived.formulas[i].text;
      double sure = 1 - derived.chance;
      for (const DerivedOperand& term : derived.formulas[i].operands) {
        derivation.operands.push_back(operand_of(term));
        if (term.quoted) sure *= 1 - chance_of(*term.quoted);
      }
      derivation.chance = 1 - sure;
      if (i == 0) {
        judged.grounding.derivation = std::move(derivation);
      } else {
        judged.grounding.other_derivations.push_back(std::move(derivation));
      }
    }
    for (const std::size_t at : quoted_of_[position]) {
      groundings_[at] = judged.grounding;
      for (const Operand& operand : judged.grounding.derivation->operands) {
        for (const Carrier& carrier : operand.carriers) groundings_[at].carriers.push_back(carrier);
      }
    }
  }

  double chance_of(std::size_t quoted) const {
    const auto& derivation = groundings_[quoted].derivation;
    return derivation ? derivation->chance : 0;
  }

  Operand operand_of(const DerivedOperand& term) const {
    Operand operand;
    operand.raw = term.raw;
    operand.pointer = term.pointer;
    if (term.quoted) {
      operand.carriers = groundings_[*term.quoted].carriers;
    } else if (term.raw != term.pointer) {
      ReadOptions options;
      options.units = &units_;
      options.answer = false;
      const std::vector<Value> read = read_text(term.raw, options);
      if (read.size() == 1) operand.carriers = judge_.ground(read[0]).carriers;
    }
    for (const std::uint32_t result : term.results) add_carrier(operand, result);
    return operand;
  }

  void add_carrier(Operand& operand, std::size_t result) const {
    const auto at = std::lower_bound(
        operand.carriers.begin(), operand.carriers.end(), result,
        [](const Carrier& carrier, std::size_t number) { return carrier.result < number; });
    if (at != operand.carriers.end() && at->result == result) return;
    Carrier carrier;
    carrier.result = result;
    carrier.partial = judge_.index().results()[result].index->partial();
    carrier.superseded = judge_.index().superseded(result);
    operand.carriers.insert(at, std::move(carrier));
  }

  const Judge& judge_;
  const AnswerText& answer_;
  Verdict& verdict_;
  const UnitTable& units_;
  DerivationResults results_;
  std::vector<Quoted> quoted_;
  std::vector<Grounding> groundings_;                // beside `quoted_`
  std::vector<std::vector<std::size_t>> quoted_of_;  // of each value of the verdict
  std::optional<Deriver> deriver_;
};

}  // namespace

void derive_values(const Judge& judge, const AnswerText& answer, Verdict& verdict) {
  VerdictDeriver(judge, answer, verdict).run();
  verdict.unsupported.clear();
  if (verdict.truncated) return;
  for (std::size_t i = 0; i < verdict.values.size(); ++i) {
    if (verdict.values[i].level == Level::unsupported) verdict.unsupported.push_back(i);
  }
}

}  // namespace agentfootprint::evidence
