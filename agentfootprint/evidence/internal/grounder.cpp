// The levels supplied to converted of one value.
#include "agentfootprint/evidence/internal/grounder.hpp"

#include <algorithm>
#include <unordered_map>

#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/merged.hpp"
#include "agentfootprint/evidence/internal/patterns.hpp"

namespace agentfootprint::evidence::internal {
namespace {

constexpr std::uint64_t kCivilLow = std::uint64_t{static_cast<std::uint64_t>(KeyTag::civil)} << 60;
constexpr std::uint64_t kCivilHigh = kCivilLow | ((std::uint64_t{1} << 60) - 2);

bool stage_holds(Level level, int stage) noexcept {
  switch (stage) {
    case 0:
      return level <= Level::part_of;
    case 1:
      return level == Level::rounded;
    default:
      return level == Level::converted;
  }
}

// Exact and same-value are one class.
Level class_of_level(Level level) noexcept {
  return level == Level::exact ? Level::same_value : level;
}

void sort_hits(std::vector<Hit>& hits) {
  std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
    if (a.source != b.source) return a.source < b.source;
    if (a.item != b.item) return a.item < b.item;
    return a.match.level < b.match.level;
  });
  hits.erase(std::unique(hits.begin(), hits.end(),
                         [](const Hit& a, const Hit& b) {
                           return a.source == b.source && a.item == b.item;
                         }),
             hits.end());
}

const std::vector<KeyRange>& ranges(const Queries& queries, int stage) noexcept {
  if (stage == 0) return queries.same;
  return stage == 1 ? queries.rounded : queries.converted;
}

// How many places of a result are enough: a value that fills a column is not read a million times.
class PlaceCounter {
 public:
  explicit PlaceCounter(std::size_t enough) : enough_(enough) {}
  [[nodiscard]] bool full(std::uint32_t source) const noexcept {
    return total_ >= enough_ && source < counts_.size() && counts_[source] >= enough_;
  }
  void add(std::uint32_t source) {
    ++total_;
    if (counts_.size() <= source) counts_.resize(source + std::size_t{1});
    ++counts_[source];
  }

 private:
  std::size_t enough_;
  std::size_t total_ = 0;
  std::vector<std::size_t> counts_;
};

// Places of one merged index that match, enough of each result.
template <class IndexOf>
void collect(const MergedIndex& merged, const IndexOf& index_of, const Value& value,
             const Queries& queries, int stage, MatchContext context, std::size_t enough,
             std::vector<Hit>& out) {
  PlaceCounter counter(enough);
  for (const KeyRange& range : ranges(queries, stage)) {
    merged.visit(range.low, range.high, [&](std::uint32_t source, ItemId item) {
      if (counter.full(source)) return;
      const ResultIndex& result = index_of(source);
      const Value carried = result.readings(item);
      context.carrier_unit = 0;
      auto found = match(value, carried, context);
      if ((!found || !stage_holds(found->level, stage)) && stage == 2 &&
          carried.kind == ValueKind::number) {
        context.carrier_unit = result.unit_hint(item);
        if (context.carrier_unit != 0) found = match(value, carried, context);
      }
      if (!found) return;
      if (result.is_part(item) && found->level <= Level::same_value) found->level = Level::part_of;
      if (!stage_holds(found->level, stage)) return;
      counter.add(source);
      out.push_back({source, item, std::move(*found), false});
    });
  }
  sort_hits(out);
}

// Keeps the best class of levels there is.
void keep_best(std::vector<Hit>& hits) {
  Level best = Level::unsupported;
  for (const Hit& hit : hits) best = std::min(best, class_of_level(hit.match.level));
  std::erase_if(hits, [best](const Hit& hit) { return class_of_level(hit.match.level) != best; });
  const bool whole =
      std::any_of(hits.begin(), hits.end(), [](const Hit& hit) { return !hit.match.cut; });
  if (whole && best == Level::rounded) {
    std::erase_if(hits, [](const Hit& hit) { return hit.match.cut; });
  }
}

}  // namespace

Queries Grounder::queries(const Value& value) const {
  QueryContext context;
  context.units = &index_.units();
  context.hint_units = &index_.hint_units();
  const bool no_year =
      std::any_of(value.readings.begin(), value.readings.end(),
                  [](const Reading& r) { return r.kind == ValueKind::date && r.date.year == 0; });
  if (no_year) {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    constexpr int kMaxYears = 400;
    for (const MergedIndex* merged : {&index_.merged_results(), &index_.merged_supplied()}) {
      if (!merged->extremes(kCivilLow, kCivilHigh, first, last)) continue;
      const auto year = [](std::uint64_t key) {
        const std::int64_t seconds = seconds_of_key(key);
        return static_cast<int>(
            date_of_days((seconds >= 0 ? seconds : seconds - 86399) / 86400).year);
      };
      const bool fresh = context.last_year < context.first_year;
      context.first_year = fresh ? year(first) : std::min(context.first_year, year(first));
      context.last_year = fresh ? year(last) : std::max(context.last_year, year(last));
    }
    context.first_year = std::max(context.first_year, context.last_year - kMaxYears);
  }
  return queries_of(value, context);
}

Grounder::Hits Grounder::in_results(const Value& value, const Queries& queries, Stage stage) const {
  Hits hits;
  MatchContext context;
  context.units = &index_.units();
  const auto& results = index_.results();
  collect(
      index_.merged_results(),
      [&](std::uint32_t source) -> const ResultIndex& { return *results[source].index; }, value,
      queries, static_cast<int>(stage), context, 4 * options_.max_places, hits);
  keep_counting(hits, value);
  return hits;
}

Grounder::Hits Grounder::in_supplied(const Value& value, const Queries& queries,
                                     Stage stage) const {
  Hits hits;
  MatchContext context;
  context.units = &index_.units();
  context.respelled = true;
  const auto& supplied = index_.supplied();
  collect(
      index_.merged_supplied(),
      [&](std::uint32_t source) -> const ResultIndex& { return *supplied[source].index; }, value,
      queries, static_cast<int>(stage), context, 4 * options_.max_places, hits);
  return hits;
}

// Marks echoes; those of failed results and of absences do not count at all.
void Grounder::keep_counting(Hits& hits, const Value&) const {
  const auto& results = index_.results();
  for (Hit& hit : hits) {
    if (results[hit.source].argument_leaves) hit.echo = is_echo(hit.source, hit.item);
  }
  std::erase_if(hits, [&](const Hit& hit) {
    const ResultEntry& entry = results[hit.source];
    return hit.echo && (entry.failed || entry.absent);
  });
}

// Does the place repeat a leaf of the call's own arguments: is it within the leaf's text, or the
// one value it is?
bool Grounder::is_echo(std::uint32_t source, ItemId item) const {
  const ResultEntry& entry = index_.results()[source];
  const ResultIndex& result = *entry.index;
  const Value carried = result.readings(item);
  ReadOptions read;
  read.units = &index_.units();
  read.answer = false;
  std::string around;
  std::size_t offset = 0;
  for (const std::string& leaf : *entry.argument_leaves) {
    if (leaf.size() < carried.raw.size() / 2) continue;
    const std::vector<Value> values = read_text(leaf, read);
    if (values.empty()) continue;
    if (values.size() == 1 && values[0].span.begin == 0 && values[0].span.end == leaf.size()) {
      const auto found = match(values[0], carried, MatchContext{&index_.units(), 0, false});
      if (found && found->level <= Level::same_value) return true;
      continue;
    }
    if (around.empty()) around = result.leaf_text(item, &offset);
    const std::size_t from = offset > leaf.size() ? offset - leaf.size() : 0;
    const std::string_view window =
        std::string_view(around).substr(from, carried.raw.size() + 2 * leaf.size());
    for (const Span& span : folded_occurrences(window, leaf)) {
      if (from + span.begin <= offset && from + span.end >= offset + carried.raw.size())
        return true;
    }
  }
  return false;
}

std::vector<Carrier> Grounder::carriers_of(const Hits& hits) const {
  std::vector<Carrier> out;
  const auto& results = index_.results();
  for (std::size_t i = 0; i < hits.size();) {
    Carrier carrier;
    carrier.result = hits[i].source;
    carrier.echo = true;
    carrier.level = Level::unsupported;
    std::size_t j = i;
    for (; j < hits.size() && hits[j].source == hits[i].source; ++j) {
      carrier.places.push_back({hits[j].item, hits[j].match.level, hits[j].echo});
      carrier.echo = carrier.echo && hits[j].echo;
    }
    // Best first: places that are no echo before those that are, then by level, then by place.
    std::stable_sort(carrier.places.begin(), carrier.places.end(),
                     [](const Place& a, const Place& b) {
                       if (a.echo != b.echo) return b.echo;
                       return a.level < b.level;
                     });
    carrier.level = carrier.places.front().level;
    if (carrier.places.size() > options_.max_places) carrier.places.resize(options_.max_places);
    const ResultEntry& entry = results[carrier.result];
    carrier.failed = entry.failed;
    carrier.partial = entry.index->partial();
    carrier.superseded = index_.superseded(carrier.result) && !entry.call.orphan;
    out.push_back(std::move(carrier));
    i = j;
  }
  return out;
}

void Grounder::take(const Hits& hits, Grounding& out) const {
  out.carriers = carriers_of(hits);
  for (const Carrier& carrier : out.carriers) out.level = std::min(out.level, carrier.level);
  out.cut = !hits.empty() && hits.front().match.cut;
  for (const Hit& hit : hits) {
    const std::string& note = hit.match.note;
    if (note.empty() || out.notes.size() >= 4) continue;
    if (std::find(out.notes.begin(), out.notes.end(), note) == out.notes.end())
      out.notes.push_back(note);
  }
}

bool Grounder::from_supplied(const Value& value, const Queries& queries, Stage stage,
                             Grounding& out) const {
  const Hits hits = in_supplied(value, queries, stage);
  if (hits.empty()) return false;
  SuppliedBy by = SuppliedBy::declared;
  for (const Hit& hit : hits) by = std::min(by, index_.supplied()[hit.source].by);
  out.level = Level::supplied;
  out.supplied_by = by;
  if (!hits.front().match.note.empty()) out.notes.push_back(hits.front().match.note);
  return true;
}

Grounder::Hits Grounder::ending_in_results(const Value& value) const {
  Hits hits;
  const auto& results = index_.results();
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (const ItemId item : results[i].index->items_ending_in(value.raw)) {
      hits.push_back(
          {static_cast<std::uint32_t>(i), item, Match{Level::part_of, false, "ending"}, false});
    }
  }
  sort_hits(hits);
  keep_counting(hits, value);
  return hits;
}

bool Grounder::ending_supplied(const Value& value, Grounding& out) const {
  for (const SuppliedEntry& entry : index_.supplied()) {
    if (entry.index->items_ending_in(value.raw).empty()) continue;
    out.level = Level::supplied;
    out.supplied_by = entry.by;
    out.notes.push_back("ending");
    return true;
  }
  return false;
}

// The list reading of a comma run: every member grounded, the weakest level counts.
Grounding Grounder::as_list(const Value& value) const {
  Grounding all;
  if (value.list.size() < 2) return all;
  Level weakest = Level::supplied;
  std::unordered_map<std::size_t, std::size_t> counts;  // members a result carries
  for (const Value& member : value.list) {
    Grounding one = ground(member);
    if (one.level == Level::unsupported) return Grounding();
    weakest = std::max(weakest, one.level);
    if (!all.supplied_by) all.supplied_by = one.supplied_by;
    for (Carrier& carrier : one.carriers) {
      ++counts[carrier.result];
      const auto known = std::find_if(all.carriers.begin(), all.carriers.end(),
                                      [&](const Carrier& c) { return c.result == carrier.result; });
      if (known == all.carriers.end()) {
        all.carriers.push_back(std::move(carrier));
      } else {
        known->level = std::max(known->level, carrier.level);
        known->echo = known->echo && carrier.echo;
        for (const Place& place : carrier.places) {
          if (known->places.size() < options_.max_places) known->places.push_back(place);
        }
      }
    }
  }
  // What may be a grouped number is a list only where one result holds all of it.
  if (!value.readings.empty() && value.readings.front().note != ReadingNote::decimal_comma &&
      weakest != Level::supplied) {
    std::erase_if(all.carriers,
                  [&](const Carrier& c) { return counts[c.result] < value.list.size(); });
    if (all.carriers.empty()) return Grounding();
  }
  std::sort(all.carriers.begin(), all.carriers.end(),
            [](const Carrier& a, const Carrier& b) { return a.result < b.result; });
  all.level = weakest;
  if (weakest != Level::supplied) all.supplied_by.reset();
  all.notes = {"list"};
  return all;
}

// A shape without a digit has no key: its text is looked for.
Grounding Grounder::ground_shape(const Value& value) const {
  Grounding out;
  const auto level_in = [&](std::string_view text) {
    Level best = Level::unsupported;
    for (const Span& span : folded_occurrences(text, value.raw)) {
      best = std::min(best, span.in(text) == value.raw ? Level::exact : Level::same_value);
    }
    return best;
  };
  for (const SuppliedEntry& entry : index_.supplied()) {
    if (level_in(entry.index->text()) == Level::unsupported) continue;
    out.supplied_by = std::min(out.supplied_by.value_or(SuppliedBy::declared), entry.by);
  }
  const auto& results = index_.results();
  Level best = Level::unsupported;
  for (std::size_t i = 0; i < results.size(); ++i) {
    Carrier carrier;
    carrier.result = i;
    carrier.level = level_in(results[i].index->text());
    if (carrier.level == Level::unsupported) continue;
    if (results[i].argument_leaves) {
      const std::string folded = fold_text(value.raw);
      carrier.echo =
          std::any_of(results[i].argument_leaves->begin(), results[i].argument_leaves->end(),
                      [&](const std::string& leaf) { return fold_text(leaf) == folded; });
    }
    carrier.failed = results[i].failed;
    if (carrier.echo && (carrier.failed || results[i].absent)) continue;
    carrier.partial = results[i].index->partial();
    carrier.superseded = index_.superseded(i) && !results[i].call.orphan;
    best = std::min(best, carrier.level);
    out.carriers.push_back(std::move(carrier));
  }
  out.level = out.supplied_by ? Level::supplied : best;
  return out;
}

Grounding Grounder::ground(const Value& value) const {
  if (value.kind == ValueKind::shape) {
    // Its text may also be one value of another kind, which the index knows.
    ReadOptions read;
    read.units = &index_.units();
    const std::vector<Value> inside = read_text(value.raw, read);
    if (inside.size() == 1 && inside[0].raw == value.raw && inside[0].kind != ValueKind::shape) {
      return ground(inside[0]);
    }
    return ground_shape(value);
  }
  const Queries where = queries(value);
  Grounding out;
  bool supplied = from_supplied(value, where, Stage::same, out);
  if (!supplied && value.ending) supplied = ending_supplied(value, out);
  Grounding carried;
  Hits hits = in_results(value, where, Stage::same);
  if (hits.empty() && value.ending) hits = ending_in_results(value);
  for (const Stage stage : {Stage::rounded, Stage::converted}) {
    if (hits.empty()) hits = in_results(value, where, stage);
  }
  keep_best(hits);
  take(hits, carried);
  if (supplied) {
    out.carriers = std::move(carried.carriers);
    return out;
  }
  if (!hits.empty()) return carried;
  if (Grounding list = as_list(value); list.level != Level::unsupported) return list;
  for (const Stage stage : {Stage::rounded, Stage::converted}) {
    if (from_supplied(value, where, stage, out)) return out;
  }
  if (Grounding added = with_year(value); added.level != Level::unsupported) return added;
  return carried;
}

// `May 20, 2024` where `May 20` was said and the year stands elsewhere.
Grounding Grounder::with_year(const Value& value) const {
  const bool whole = value.kind == ValueKind::date && !value.readings.empty() &&
                     value.readings.front().date.complete();
  if (!whole) return Grounding();
  Value year = value;
  Value day = value;
  for (Reading& reading : year.readings) reading.date.month = reading.date.day = 0;
  for (Reading& reading : day.readings) reading.date.year = 0;
  const Queries where = queries(day);
  const auto exact_day = [](Hits hits) {
    std::erase_if(hits, [](const Hit& hit) { return hit.match.level > Level::same_value; });
    return hits;
  };
  const Hits supplied = exact_day(in_supplied(day, where, Stage::same));
  const Hits hits = exact_day(in_results(day, where, Stage::same));
  if (supplied.empty() && hits.empty()) return Grounding();
  if (ground(year).level == Level::unsupported) return Grounding();
  Grounding out;
  out.carriers = carriers_of(hits);
  for (Carrier& carrier : out.carriers) carrier.level = Level::converted;
  out.level = Level::converted;
  if (!supplied.empty()) {
    SuppliedBy by = SuppliedBy::declared;
    for (const Hit& hit : supplied) by = std::min(by, index_.supplied()[hit.source].by);
    out.level = Level::supplied;
    out.supplied_by = by;
  }
  out.notes = {"year-in-view"};
  return out;
}

std::vector<Carrier> Grounder::at_any_level(const Value& value) const {
  if (value.kind == ValueKind::shape) return ground(value).carriers;
  const Queries where = queries(value);
  Hits all;
  for (const Stage stage : {Stage::same, Stage::rounded, Stage::converted}) {
    Hits hits = in_results(value, where, stage);
    all.insert(all.end(), std::make_move_iterator(hits.begin()),
               std::make_move_iterator(hits.end()));
  }
  if (value.ending) {
    Hits hits = ending_in_results(value);
    all.insert(all.end(), std::make_move_iterator(hits.begin()),
               std::make_move_iterator(hits.end()));
  }
  sort_hits(all);
  std::vector<Carrier> out = carriers_of(all);
  if (out.empty()) out = as_list(value).carriers;
  return out;
}

}  // namespace agentfootprint::evidence::internal
