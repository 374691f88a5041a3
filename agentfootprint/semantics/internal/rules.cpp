// The rule set of the envelope, in its stated order: keys, data, grain, provenance, period,
// coverage, question, display, and that something is declared at all.
#include "agentfootprint/semantics/internal/rules.hpp"

#include <fmt/format.h>

#include "agentfootprint/semantics/coverage_lists.hpp"
#include "agentfootprint/semantics/internal/period_rules.hpp"
#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics::internal {
namespace {

// Past this many faults in one list of rows the rest is counted in one more fault.
constexpr std::size_t kMaxRowFaults = 100;

constexpr std::string_view kCounterUnstated = "counter-aggregation-unstated";
constexpr std::string_view kSeriesWithoutGrain = "series-without-grain";
constexpr std::string_view kWithoutProvenance = "data-without-provenance";

class Judge {
 public:
  Judge(const json::Value& value, const RuleScope& scope, Faults& faults)
      : value_(value), scope_(scope), faults_(faults) {}

  void run();

 private:
  using RowRule = void (Judge::*)(const json::Value&, std::string_view, std::size_t);

  [[nodiscard]] const json::Value* part(std::string_view key) const { return value_.find(key); }
  [[nodiscard]] std::string name(std::string_view key) const {
    return spelled(key, scope_.spelling);
  }
  [[nodiscard]] std::string name(std::string_view object, std::string_view key) const {
    return join_field(object, name(key));
  }
  void keys_of(const json::Value& object, std::string_view field,
               std::span<const std::string_view> known) {
    if (!scope_.minting) check_keys(object, field, known, scope_.spelling, faults_);
  }
  // A part that may be left out, but not be blank.
  void optional_text(const json::Value& object, std::string_view object_field,
                     std::string_view key);

  void rows(std::string_view key, RowRule rule);
  void point(const json::Value& row, std::string_view list, std::size_t index);
  void fact(const json::Value& row, std::string_view list, std::size_t index);
  void edge(const json::Value& row, std::string_view list, std::size_t index);
  void grain();
  void counter(const json::Value& grain);
  void provenance();
  void period();
  void coverage();
  void not_covered();
  void clarify();
  void render();
  void columns(const json::Value& columns);
  void something_declared();

  const json::Value& value_;
  const RuleScope& scope_;
  Faults& faults_;
};

void Judge::run() {
  if (!value_.is_object()) {
    faults_.malformed(kSemanticsMarker,
                      "a described result must be an object marked with af_semantics");
    return;
  }
  const json::Value* marker = part(kSemanticsMarker);
  if (marker == nullptr || !marker->as_bool().value_or(false)) {
    faults_.malformed(kSemanticsMarker,
                      "af_semantics is not exactly true, so the value is ordinary data");
    return;
  }
  keys_of(value_, "", kEnvelopeKeys);
  rows("series", &Judge::point);
  rows("facts", &Judge::fact);
  rows("edges", &Judge::edge);
  grain();
  provenance();
  period();
  if (part("series") != nullptr && part("grain") == nullptr) {
    faults_.add(
        kSeriesWithoutGrain, "grain",
        "a series without grain cannot be read: say its interval, aggregation and whether it "
        "is a counter");
  }
  coverage();
  not_covered();
  clarify();
  render();
  if (const json::Value* note = part("note"); note != nullptr && !note->is_string()) {
    faults_.malformed("note", "note must be a text; leave it out for the standard one");
  }
  something_declared();
}

void Judge::optional_text(const json::Value& object, std::string_view object_field,
                          std::string_view key) {
  const json::Value* text = object.find(name(key));
  if (text == nullptr || is_text(text)) return;
  const std::string field = name(object_field, key);
  faults_.malformed(field, fmt::format("{} says nothing; give a text or leave it out", field));
}

void Judge::rows(std::string_view key, RowRule rule) {
  const json::Value* list = part(key);
  if (list == nullptr) return;
  if (!list->is_array()) {
    faults_.malformed(key, fmt::format("{} must be a non-empty array", key));
    return;
  }
  if (list->empty()) {
    faults_.malformed(key, fmt::format("{} must be a non-empty array; when nothing matched, return "
                                       "absent() instead",
                                       key));
    return;
  }
  const std::size_t before = faults_.size();
  const std::span<const json::Value> elements = list->elements();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    (this->*rule)(elements[i], key, i);
    if (faults_.size() - before >= kMaxRowFaults && i + 1 < elements.size()) {
      faults_.malformed(key, fmt::format("the {} rows of {} after row {} were not judged",
                                         elements.size() - i - 1, key, i));
      return;
    }
  }
}

void Judge::point(const json::Value& row, std::string_view list, std::size_t index) {
  const auto fault = [&](std::string_view part_name, std::string_view text) {
    const std::string field = index_field(list, index) + std::string(part_name);
    faults_.malformed(field, fmt::format("{} {}", field, text));
  };
  if (!row.is_object()) return fault("", "must be an object {t, entity, metric, value}");
  const json::Value* t = row.find("t");
  if (t == nullptr || (!t->is_string() && !t->is_number()))
    fault(".t", "must be a text or a number");
  if (!is_text(row.find("entity"))) fault(".entity", "does not say what was measured; name it");
  if (!is_text(row.find("metric"))) fault(".metric", "does not say what the value is; name it");
  const json::Value* value = row.find("value");
  if (value == nullptr) {
    fault(".value", "is missing; write null when there is no reading");
  } else if (value->is_array() || value->is_object()) {
    fault(".value", "must be one reading: a number, text, boolean or null");
  }
}

void Judge::fact(const json::Value& row, std::string_view list, std::size_t index) {
  if (is_text(row.find("entity"))) return;
  const std::string field = index_field(list, index) + ".entity";
  faults_.malformed(field, fmt::format("{} does not say what the row is about; name it", field));
}

void Judge::edge(const json::Value& row, std::string_view list, std::size_t index) {
  if (is_text(row.find("from")) && is_text(row.find("to")) && is_text(row.find("kind"))) return;
  const std::string field = index_field(list, index);
  faults_.malformed(field, fmt::format("{} must say from, to and kind", field));
}

void Judge::grain() {
  const json::Value* grain = part("grain");
  if (grain == nullptr) return;
  if (!grain->is_object()) {
    faults_.malformed("grain", "grain must be an object");
    return;
  }
  keys_of(*grain, "grain", kGrainKeys);
  for (const std::string_view key : {"interval", "aggregation", "collapsed"}) {
    optional_text(*grain, "grain", key);
  }
  const json::Value* is_counter = grain->find(name("is_counter"));
  if (is_counter != nullptr && !is_counter->is_bool()) {
    const std::string field = name("grain", "is_counter");
    faults_.malformed(field, fmt::format("{} must be true or false", field));
  }
  if (grain->empty() && !faults_.any_under("grain")) {
    faults_.malformed("grain",
                      "grain states nothing; give its interval or aggregation, or leave it out");
  }
  counter(*grain);
}

void Judge::counter(const json::Value& grain) {
  const json::Value* aggregation = grain.find("aggregation");
  const json::Value* is_counter = grain.find(name("is_counter"));
  if (aggregation == nullptr || (is_counter != nullptr && is_counter->is_bool())) return;
  const auto text = aggregation->as_string();
  if (!text || !is_counter_looking_aggregation(*text)) return;
  const std::string field = name("grain", "is_counter");
  faults_.add(
      kCounterUnstated, field,
      fmt::format("the aggregation {} may be an ever-growing counter, which must not be summed; "
                  "state {} as true or false",
                  quoted(*text), field));
}

void Judge::provenance() {
  const json::Value* provenance = part("provenance");
  if (provenance != nullptr) {
    judge_provenance(*provenance, scope_, faults_);
  } else if (part("series") != nullptr || part("facts") != nullptr) {
    faults_.add(
        kWithoutProvenance, "provenance",
        fmt::format("facts or series have no provenance, so nobody can tell how old they are; "
                    "give {} (when the world was measured) and source",
                    name("measured_at")));
  }
}

void Judge::period() {
  const json::Value* period = part("period");
  if (period == nullptr || period->is_null() || scope_.minting) return;
  judge_period(*period, "period", scope_.spelling, faults_);
}

void Judge::coverage() {
  const json::Value* coverage = part("coverage");
  if (coverage == nullptr || scope_.minting) return;
  if (!coverage->is_object()) {
    faults_.malformed("coverage", "coverage must be an object");
    return;
  }
  check_keys(*coverage, "coverage", kCoverageKeys, Spelling::wire, faults_);
  std::size_t valid = 0;
  for (const std::string_view key : kCoverageKeys) {
    const json::Value* list = coverage->find(key);
    if (list != nullptr) {
      valid += judge_wire_items(*list, join_field("coverage", key), key == "cannot_cover", faults_);
    }
  }
  if (valid == 0)
    faults_.malformed("coverage", "coverage states no boundary; name what was checked");
}

void Judge::not_covered() {
  if (scope_.minting) return;
  const json::Value* lines = part("not_covered");
  const json::Value* coverage = part("coverage");
  const std::vector<std::string> derived =
      coverage == nullptr ? std::vector<std::string>{}
                          : compose_not_covered(read_declared_coverage(*coverage));
  if (lines == nullptr) return;  // the view composes it
  const auto fault = [&](std::string_view text) {
    faults_.malformed("not_covered", fmt::format("not_covered {}", text));
  };
  if (coverage == nullptr) return fault("is derived from coverage, which is not there");
  if (!lines->is_array()) return fault("must be a list of texts");
  bool same = lines->size() == derived.size();
  for (std::size_t i = 0; i < lines->elements().size(); ++i) {
    const json::Value& line = lines->elements()[i];
    if (!is_text(&line)) return fault("must be a list of texts that are not blank");
    same = same && *line.as_string() == derived[i];
  }
  if (!same) fault("is not what follows from coverage; leave it to the mint");
}

void Judge::clarify() {
  const json::Value* clarify = part("clarify");
  if (clarify == nullptr || clarify->is_null()) return;
  if (!clarify->is_object()) {
    faults_.malformed("clarify", "clarify must be an object {question, candidates} or null");
    return;
  }
  keys_of(*clarify, "clarify", kClarifyKeys);
  if (!is_text(clarify->find("question"))) {
    faults_.malformed("clarify.question", "clarify.question asks nothing; write the question");
  }
  const json::Value* candidates = clarify->find("candidates");
  if (candidates == nullptr || !candidates->is_array()) {
    faults_.malformed("clarify.candidates", "clarify.candidates must be a list");
  }
}

void Judge::render() {
  const json::Value* render = part("render");
  if (render == nullptr) return;
  if (!render->is_object()) {
    faults_.malformed("render", "render must be an object");
    return;
  }
  keys_of(*render, "render", kRenderKeys);
  if (!is_text(render->find("default"))) {
    faults_.malformed("render.default",
                      "render.default does not say how to show the result; name a view");
  }
  if (const json::Value* list = render->find("columns")) columns(*list);
  for (const std::string_view key : {"sort", "filter_note", "chart_hint"}) {
    optional_text(*render, "render", key);
  }
}

void Judge::columns(const json::Value& columns) {
  bool good = columns.is_array() && !columns.empty();
  for (const json::Value& column : columns.elements()) good = good && is_text(&column);
  if (!good) {
    faults_.malformed("render.columns", "render.columns must be a non-empty list of column names");
  }
}

void Judge::something_declared() {
  const json::Value* clarify = part("clarify");
  if (part("series") != nullptr || part("facts") != nullptr || part("edges") != nullptr) return;
  if (clarify != nullptr && !clarify->is_null()) return;
  for (const std::string_view key : {"series", "facts", "edges", "clarify"}) {
    if (faults_.explained(key)) return;
  }
  faults_.malformed(kSemanticsMarker,
                    "the result declares nothing; give series, facts, edges or a question");
}

}  // namespace

void judge_provenance(const json::Value& provenance, const RuleScope& scope, Faults& faults) {
  if (!provenance.is_object()) {
    faults.malformed("provenance", "provenance must be an object");
    return;
  }
  if (!scope.minting) check_keys(provenance, "provenance", kProvenanceKeys, scope.spelling, faults);
  const auto field = [&](std::string_view key) {
    return join_field("provenance", spelled(key, scope.spelling));
  };
  const auto part = [&](std::string_view key) {
    return provenance.find(spelled(key, scope.spelling));
  };
  if (!is_text(part("measured_at"))) {
    faults.add(kWithoutProvenance, field("measured_at"),
               fmt::format("{} does not say when the world was measured; take it from the data",
                           field("measured_at")));
  }
  if (!is_text(part("source"))) {
    faults.add(kWithoutProvenance, "provenance.source",
               "provenance.source does not say where the data came from; name it");
  }
  if (const json::Value* age = part("age_seconds")) {
    const auto seconds = age->as_double();
    if (!age->is_number() || !seconds || !(*seconds >= 0) || *seconds > 1e300) {
      faults.malformed(
          field("age_seconds"),
          fmt::format("{} must be a number of seconds, zero or more", field("age_seconds")));
    }
  }
  const json::Value* exported = part("source_export_date");
  if (exported != nullptr && !is_text(exported)) {
    faults.malformed(
        field("source_export_date"),
        fmt::format("{} says nothing; give it or leave it out", field("source_export_date")));
  }
}

namespace {

// A model never reads them, but a record does.
void judge_record_only(const json::Value& item, const std::string& at, Faults& faults) {
  const json::Value* short_text = item.find("short");
  if (short_text != nullptr && !is_text(short_text)) {
    faults.malformed(at + ".short", fmt::format("{}.short must be one plain line of text", at));
  }
  const json::Value* kind = item.find("kind");
  if (kind == nullptr) return;
  const auto word = kind->as_string();
  if (!word || (*word != "existence" && *word != "scope")) {
    faults.malformed(at + ".kind", fmt::format("{}.kind must be existence or scope", at));
  }
}

}  // namespace

std::size_t judge_wire_items(const json::Value& list, std::string_view field, bool why_required,
                             Faults& faults) {
  static constexpr std::string_view kKeys[] = {"what", "why", "short", "kind"};
  if (!list.is_array()) {
    faults.malformed(field, fmt::format("{} must be a list", field));
    return 0;
  }
  std::size_t valid = 0;
  for (std::size_t i = 0; i < list.elements().size(); ++i) {
    const json::Value& item = list.elements()[i];
    const std::string at = index_field(field, i);
    if (!is_text(item.find("what"))) {
      faults.malformed(at, fmt::format("{} names no ground; write {{what, why?}}", at));
      continue;
    }
    const std::size_t before = faults.size();
    check_keys(item, at, kKeys, Spelling::wire, faults);
    const json::Value* why = item.find("why");
    if (why != nullptr && !is_text(why)) {
      faults.malformed(at + ".why", fmt::format("{}.why says nothing; give the reason", at));
    } else if (why == nullptr && why_required) {
      faults.malformed(at + ".why",
                       fmt::format("{} needs a why: what cannot be covered has a reason", at));
    }
    judge_record_only(item, at, faults);
    if (faults.size() == before) ++valid;
  }
  return valid;
}

void judge_semantics(const json::Value& value, const RuleScope& scope, Faults& faults) {
  Judge(value, scope, faults).run();
}

}  // namespace agentfootprint::semantics::internal
