// The levels supplied to converted of one value.
#include "agentfootprint/evidence/internal/grounder.hpp"

#include <algorithm>
#include <unordered_map>

#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/merged.hpp"
#include "agentfootprint/evidence/internal/patterns.hpp"
#include "agentfootprint/evidence/internal/readings.hpp"

namespace agentfootprint::evidence::internal {
namespace {

constexpr std::uint64_t kCivilLow = std::uint64_t{static_cast<std::uint64_t>(KeyTag::civil)} << 60;
constexpr std::uint64_t kCivilHigh = kCivilLow | ((std::uint64_t{1} << 60) - 2);

bool stage_holds(Level level, Stage stage) noexcept {
  switch (stage) {
    case Stage::same:
      return level <= Level::part_of;
    case Stage::rounded:
      return level == Level::rounded;
    case Stage::converted:
      return level == Level::converted;
  }
  return false;
}

// Is there nothing better in the stage?
bool is_best(const Match& match, Stage stage) noexcept {
  return stage == Stage::same ? match.level == Level::exact : !match.cut;
}

bool better(const Match& a, const Match& b) noexcept {
  return a.level != b.level ? a.level < b.level : b.cut && !a.cut;
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

void Grounder::find_ranges(const Value& value, Stage stage) {
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
  queries_of(value, context, stage, ranges_);
}

void Grounder::find_candidates(const MergedIndex& merged) {
  places_.clear();
  for (const KeyRange& range : ranges_) {
    merged.visit(range.low, range.high, [&](std::uint32_t place) { places_.push_back(place); });
  }
  if (!std::is_sorted(places_.begin(), places_.end())) std::sort(places_.begin(), places_.end());
  places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
  candidates_.clear();
  candidates_.reserve(places_.size());
  std::uint32_t number = 0;
  std::uint32_t first = 1;
  std::uint32_t behind = 0;  // of the source the last place was in
  for (const std::uint32_t place : places_) {
    if (place < first || place >= behind) {
      number = merged.source_of(place);
      first = merged.source(number).first;
      behind = first + merged.source(number).size;
    }
    candidates_.push_back({number, place - first});
    __builtin_prefetch(merged.source(number).items + (place - first));
  }
}

// The match of one place, when it is one of the stage.
std::optional<Match> Grounder::compare(const MergedIndex::Source& source, ItemId id,
                                       const Value& value, Stage stage, MatchContext& context) {
  const Item& item = source.items[id];
  const std::string_view bytes = source.text.substr(item.begin, item.length);
  const bool same_bytes = item.length != 0xFFFF && bytes == value.raw;
  const auto kind = static_cast<ValueKind>(item.kind);
  const bool part = (item.flags & kPart) != 0;
  std::optional<Match> found;
  if (same_bytes && stage == Stage::same && kind == value.kind && kind == ValueKind::identifier &&
      (item.flags & kEscaped) == 0) {
    // The same bytes are the same identifier: nothing to read again.
    found = Match{Level::exact, false, {}};
  } else if ((item.flags & kJsonNumber) != 0 && item.length != 0xFFFF) {
    const Reading number = json_number(bytes);
    found = match(value, {&number, 1}, same_bytes && !value.year, context);
  } else {
    source.index->readings(id, carried_);
    const bool same = carried_.raw == value.raw && carried_.year == value.year;
    found = match(value, carried_.readings, same, context);
  }
  if ((!found || !stage_holds(found->level, stage)) && stage == Stage::converted &&
      kind == ValueKind::number) {
    context.carrier_unit = source.index->unit_hint(id);
    if (context.carrier_unit != 0) found = match(value, source.index->readings(id), context);
    context.carrier_unit = 0;
  }
  if (!found) return found;
  if (part && found->level <= Level::same_value) found->level = Level::part_of;
  if (!stage_holds(found->level, stage)) found.reset();
  return found;
}

// A value that fills a column is not compared a million times: behind `enough` places of a source,
// only what would change its level or the flag for echoes is looked for.
void Grounder::collect(const MergedIndex& merged, const Value& value, Stage stage,
                       MatchContext context, bool results, Hits& out) {
  find_candidates(merged);
  const std::size_t enough = 4 * options_.max_places;
  constexpr std::size_t kAhead = 6;
  const auto& entries = index_.results();
  std::uint32_t source = 0xFFFFFFFF;
  std::size_t count = 0;
  bool all_echo = true;
  out.reserve(std::min(candidates_.size(), enough));
  Match best;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (i + kAhead < candidates_.size()) {
      const Candidate& ahead = candidates_[i + kAhead];
      const MergedIndex::Source& there = merged.source(ahead.source);
      __builtin_prefetch(&there.text[there.items[ahead.item].begin]);
      if (results) __builtin_prefetch(&entries[ahead.source].failed);
    }
    const Candidate& at = candidates_[i];
    const MergedIndex::Source& here = merged.source(at.source);
    if (at.source != source) {
      source = at.source;
      count = 0;
      all_echo = true;
      best = Match{Level::unsupported, true, {}};
    }
    const bool echoes = results && entries[source].argument_leaves != nullptr;
    const bool full = count >= enough;
    if (full && is_best(best, stage) && (!echoes || !all_echo)) continue;
    if (full && (!echoes || !all_echo) && best.level == Level::same_value) {
      const Item& item = here.items[at.item];
      if (here.text.substr(item.begin, item.length) != value.raw) continue;
    }
    const auto found = compare(here, at.item, value, stage, context);
    if (!found) continue;
    if (full && !better(*found, best) && (!echoes || !all_echo)) continue;
    const bool echo = echoes && is_echo(source, at.item);
    if (full && echo && !better(*found, best)) continue;
    ++count;
    all_echo = all_echo && echo;
    if (better(*found, best)) best = *found;
    out.push_back({source, at.item, *found, echo});
  }
}

Grounder::Hits Grounder::in_results(const Value& value, Stage stage) {
  Hits hits;
  MatchContext context;
  context.units = &index_.units();
  collect(index_.merged_results(), value, stage, context, true, hits);
  keep_counting(hits);
  return hits;
}

Grounder::Hits Grounder::in_supplied(const Value& value, Stage stage) {
  Hits hits;
  MatchContext context;
  context.units = &index_.units();
  context.respelled = true;
  collect(index_.merged_supplied(), value, stage, context, false, hits);
  return hits;
}

// Echoes of failed results and of absences do not count at all.
void Grounder::keep_counting(Hits& hits) const {
  const auto& results = index_.results();
  std::erase_if(hits, [&](const Hit& hit) {
    if (!hit.echo) return false;
    const ResultEntry& entry = results[hit.source];
    return entry.failed || entry.absent;
  });
}

const std::vector<Grounder::ArgumentLeaf>& Grounder::argument_leaves(std::uint32_t result) {
  const auto [known, added] = arguments_.try_emplace(result);
  if (added) {
    ReadOptions read;
    read.units = &index_.units();
    read.answer = false;
    for (const std::string& leaf : *index_.results()[result].argument_leaves) {
      known->second.push_back({leaf, read_text(leaf, read)});
    }
  }
  return known->second;
}

// Does the place repeat a leaf of the call's own arguments: is it within the leaf's text, or the
// one value it is?
bool Grounder::is_echo(std::uint32_t source, ItemId item) {
  const ResultIndex& result = *index_.results()[source].index;
  result.readings(item, carried_);
  std::string around;
  std::size_t offset = 0;
  for (const ArgumentLeaf& leaf : argument_leaves(source)) {
    if (leaf.text.size() < carried_.raw.size() / 2) continue;
    const std::vector<Value>& values = leaf.values;
    if (values.empty()) continue;
    if (values.size() == 1 && values[0].span.begin == 0 && values[0].span.end == leaf.text.size()) {
      const auto found = match(values[0], carried_, MatchContext{&index_.units(), 0, false});
      if (found && found->level <= Level::same_value) return true;
      continue;
    }
    if (around.empty()) around = result.leaf_text(item, &offset);
    const std::size_t from = offset > leaf.text.size() ? offset - leaf.text.size() : 0;
    const std::string_view window =
        std::string_view(around).substr(from, carried_.raw.size() + 2 * leaf.text.size());
    for (const Span& span : folded_occurrences(window, leaf.text)) {
      if (from + span.begin <= offset && from + span.end >= offset + carried_.raw.size())
        return true;
    }
  }
  return false;
}

std::vector<Carrier> Grounder::carriers_of(const Hits& hits) const {
  std::vector<Carrier> out;
  const auto& results = index_.results();
  std::size_t count = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (i == 0 || hits[i].source != hits[i - 1].source) ++count;
  }
  out.reserve(count);
  for (std::size_t i = 0; i < hits.size();) {
    Carrier& carrier = out.emplace_back();
    carrier.result = hits[i].source;
    carrier.echo = true;
    carrier.level = Level::unsupported;
    std::size_t j = i;
    while (j < hits.size() && hits[j].source == hits[i].source) ++j;
    carrier.places.reserve(j - i);
    for (std::size_t k = i; k < j; ++k) {
      carrier.places.push_back({hits[k].item, hits[k].match.level, hits[k].echo});
      carrier.echo = carrier.echo && hits[k].echo;
    }
    // Best first: places that are no echo before those that are, then by level, then by place.
    const auto before = [](const Place& a, const Place& b) {
      if (a.echo != b.echo) return b.echo;
      return a.level < b.level;
    };
    if (!std::is_sorted(carrier.places.begin(), carrier.places.end(), before)) {
      std::stable_sort(carrier.places.begin(), carrier.places.end(), before);
    }
    carrier.level = carrier.places.front().level;
    carrier.places.cut_to(options_.max_places);
    const ResultEntry& entry = results[carrier.result];
    carrier.failed = entry.failed;
    carrier.partial = entry.index->partial();
    carrier.superseded = index_.superseded(carrier.result) && !entry.call.orphan;
    i = j;
  }
  return out;
}

void Grounder::take(const Hits& hits, Grounding& out) const {
  out.carriers = carriers_of(hits);
  for (const Carrier& carrier : out.carriers) out.level = std::min(out.level, carrier.level);
  out.cut = !hits.empty() && hits.front().match.cut;
  for (const Hit& hit : hits) {
    const std::string_view note = hit.match.note;
    if (note.empty() || out.notes.size() >= 4) continue;
    if (std::find(out.notes.begin(), out.notes.end(), note) == out.notes.end())
      out.notes.emplace_back(note);
  }
}

bool Grounder::from_supplied(const Value& value, Stage stage, Grounding& out) {
  const Hits hits = in_supplied(value, stage);
  if (hits.empty()) return false;
  SuppliedBy by = SuppliedBy::declared;
  for (const Hit& hit : hits) by = std::min(by, index_.supplied()[hit.source].by);
  out.level = Level::supplied;
  out.supplied_by = by;
  if (!hits.front().match.note.empty()) out.notes.emplace_back(hits.front().match.note);
  return true;
}

Grounder::Hits Grounder::ending_in_results(const Value& value) {
  Hits hits;
  const auto& results = index_.results();
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (const ItemId item : results[i].index->items_ending_in(value.raw)) {
      const auto source = static_cast<std::uint32_t>(i);
      const bool echo = results[i].argument_leaves != nullptr && is_echo(source, item);
      hits.push_back({source, item, Match{Level::part_of, false, "ending"}, echo});
    }
  }
  sort_hits(hits);
  keep_counting(hits);
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

// The members of a run, or of a token of several values: every one grounded, the weakest level
// counts.
Grounding Grounder::as_list(const Value& value) {
  Grounding all;
  const std::size_t fewest = value.kind == ValueKind::identifier ? 1 : 2;
  if (value.list.size() < fewest) return all;
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

Grounding Grounder::ground(const Value& value) {
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
  Grounding out;
  find_ranges(value, Stage::same);
  bool supplied = from_supplied(value, Stage::same, out);
  if (!supplied && value.ending) supplied = ending_supplied(value, out);
  Grounding carried;
  Hits hits = in_results(value, Stage::same);
  if (hits.empty() && value.ending) hits = ending_in_results(value);
  for (const Stage stage : {Stage::rounded, Stage::converted}) {
    if (!hits.empty()) break;
    find_ranges(value, stage);
    hits = in_results(value, stage);
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
    find_ranges(value, stage);
    if (from_supplied(value, stage, out)) return out;
  }
  if (Grounding added = with_year(value); added.level != Level::unsupported) return added;
  return carried;
}

// `May 20, 2024` where `May 20` was said and the year stands elsewhere.
Grounding Grounder::with_year(const Value& value) {
  const bool whole = value.kind == ValueKind::date && !value.readings.empty() &&
                     value.readings.front().date.complete();
  if (!whole) return Grounding();
  Value year = value;
  Value day = value;
  for (Reading& reading : year.readings) reading.date.month = reading.date.day = 0;
  for (Reading& reading : day.readings) reading.date.year = 0;
  const auto exact_day = [](Hits hits) {
    std::erase_if(hits, [](const Hit& hit) { return hit.match.level > Level::same_value; });
    return hits;
  };
  find_ranges(day, Stage::same);
  const Hits supplied = exact_day(in_supplied(day, Stage::same));
  const Hits hits = exact_day(in_results(day, Stage::same));
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

std::vector<Carrier> Grounder::at_any_level(const Value& value) {
  if (value.kind == ValueKind::shape) return ground(value).carriers;
  Hits all;
  for (const Stage stage : {Stage::same, Stage::rounded, Stage::converted}) {
    find_ranges(value, stage);
    Hits hits = in_results(value, stage);
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
