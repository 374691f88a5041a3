// Judging, reading and describing a declared time axis.
#include "agentfootprint/semantics/time_axis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "agentfootprint/semantics/internal/faults.hpp"
#include "agentfootprint/semantics/internal/zone.hpp"
#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics {
namespace {

constexpr std::string_view kKeys[] = {"column", "unit", "zone", "interval", "aggregate"};
constexpr std::string_view kRaw = "raw";

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A whole number without leading zeros and one of s, m, h, d, w.
bool is_interval(std::string_view text) {
  if (text.size() < 2 || text.front() == '0') return false;
  if (std::string_view("smhdw").find(text.back()) == std::string_view::npos) return false;
  text.remove_suffix(1);
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

struct AxisJudge {
  const json::Value& axis;
  std::vector<Issue> issues = {};

  void add(std::string field, std::string message) {
    message += fmt::format(" (field: {})", field);
    issues.push_back(Issue{"malformed-time-axis", std::move(field), std::move(message)});
  }
  [[nodiscard]] std::optional<std::string_view> text(std::string_view key) const {
    const json::Value* value = axis.find(key);
    return value == nullptr ? std::nullopt : value->as_string();
  }

  void keys() {
    for (const json::Member& member : axis.members()) {
      if (is_one_of(member.key(), kKeys)) continue;
      add(std::string(member.key()),
          fmt::format("{} is not a known field; a time axis takes column, unit, "
                      "zone, interval and aggregate",
                      internal::quoted(member.key())));
    }
  }
  void column_and_unit() {
    if (!internal::is_text(axis.find("column"))) {
      add("column", "column does not name the column that holds time");
    }
    const auto unit = text("unit");
    if (!unit || !is_one_of(*unit, kTimeAxisUnits))
      add("unit", "unit must be iso, epoch-s or epoch-ms");
  }
  void zone() {
    const json::Value* value = axis.find("zone");
    if (value == nullptr) return;
    const auto name = value->as_string();
    if (!name || !internal::is_known_zone(*name)) {
      add("zone",
          "zone must be a name of the tz database such as Europe/London, or UTC; abbreviations and "
          "offsets do not say when the clock changes");
      return;
    }
    const auto unit = text("unit");
    if (unit && *unit != "iso" && is_one_of(*unit, kTimeAxisUnits)) {
      add("zone", "an epoch has no zone, so the zone would change nothing; leave it out");
    }
  }
  void interval() {
    const json::Value* value = axis.find("interval");
    if (value == nullptr) return;
    const auto interval = value->as_string();
    if (!interval || !is_interval(*interval)) {
      add("interval", "interval must be a whole number and one of s, m, h, d, w, such as 5m");
    }
    if (!axis.contains("aggregate")) {
      add("interval",
          "interval says nothing without aggregate: say raw, or how rows were aggregated");
    }
  }
  void aggregate() {
    const json::Value* value = axis.find("aggregate");
    if (value == nullptr) return;
    bool aggregated = true;
    if (const auto word = value->as_string()) {
      aggregated = *word != kRaw;
      if (aggregated && !is_one_of(*word, kTimeAxisAggregates)) {
        add("aggregate",
            fmt::format("{} is no aggregate; use raw, avg, min, max, sum, count or last",
                        internal::quoted(*word)));
      }
    } else if (value->is_object()) {
      measures(*value);
    } else {
      add("aggregate", "aggregate must be a word, or an object of measures and their aggregates");
    }
    if (aggregated && !axis.contains("interval")) {
      add("aggregate", "an aggregate needs the interval it was taken over");
    }
  }
  void measures(const json::Value& map) {
    if (map.empty()) add("aggregate", "aggregate names no measure");
    const auto column = text("column");
    for (const json::Member& measure : map.members()) {
      const std::string field = internal::join_field("aggregate", measure.key());
      if (is_blank(measure.key())) add(field, "a measure of aggregate has no name");
      if (column && measure.key() == *column) {
        add(field, fmt::format("{} is the time column and has no aggregate", field));
      }
      const auto word = measure.value.as_string();
      if (!word || !is_one_of(*word, kTimeAxisAggregates)) {
        add(field, fmt::format("{} must be avg, min, max, sum, count or last", field));
      }
    }
  }
};

std::string_view unit_word(char unit) {
  switch (unit) {
    case 's':
      return "second";
    case 'm':
      return "minute";
    case 'h':
      return "hour";
    case 'd':
      return "day";
    default:
      return "week";
  }
}

std::string adjective(std::string_view interval) {
  const std::string_view number = interval.substr(0, interval.size() - 1);
  if (number != "1") return fmt::format("{}-{}", number, unit_word(interval.back()));
  switch (interval.back()) {
    case 's':
      return "per-second";
    case 'm':
      return "per-minute";
    case 'h':
      return "hourly";
    case 'd':
      return "daily";
    default:
      return "weekly";
  }
}

std::string noun(std::string_view interval) {
  const std::string_view number = interval.substr(0, interval.size() - 1);
  const std::string_view word = unit_word(interval.back());
  return number == "1" ? std::string(word) : fmt::format("{} {}s", number, word);
}

}  // namespace

std::vector<Issue> time_axis_issues(const json::Value& declared) {
  AxisJudge judge{declared};
  if (!declared.is_object()) {
    judge.add("", "a time axis must be an object {column, unit, zone?, interval?, aggregate?}");
    return std::move(judge.issues);
  }
  judge.keys();
  judge.column_and_unit();
  judge.zone();
  judge.interval();
  judge.aggregate();
  return std::move(judge.issues);
}

std::optional<DatasetTimeAxis> parse_time_axis(const json::Value& declared) {
  if (!time_axis_issues(declared).empty()) return std::nullopt;
  DatasetTimeAxis axis;
  axis.column = std::string(*declared.at("column").as_string());
  const std::string_view unit = *declared.at("unit").as_string();
  axis.unit = unit == "iso"       ? TimeUnit::iso
              : unit == "epoch-s" ? TimeUnit::epoch_s
                                  : TimeUnit::epoch_ms;
  const auto text = [&](std::string_view key) -> std::optional<std::string> {
    const json::Value* value = declared.find(key);
    if (value == nullptr || !value->is_string()) return std::nullopt;
    return std::string(*value->as_string());
  };
  axis.zone = text("zone");
  axis.interval = text("interval");
  axis.aggregate = text("aggregate");
  if (const json::Value* map = declared.find("aggregate")) {
    for (const json::Member& measure : map->members()) {
      axis.measures.emplace_back(std::string(measure.key()),
                                 std::string(*measure.value.as_string()));
    }
  }
  return axis;
}

DatasetTimeAxis checked_time_axis(const json::Value& declared) {
  std::vector<Issue> issues = time_axis_issues(declared);
  if (!issues.empty()) throw Refusal(std::move(issues));
  return *parse_time_axis(declared);
}

json::Value to_json(const DatasetTimeAxis& axis) {
  json::ObjectBuilder object;
  object.add("column", axis.column);
  object.add("unit", kTimeAxisUnits[static_cast<std::size_t>(axis.unit)]);
  object.add_if("zone", axis.zone);
  object.add_if("interval", axis.interval);
  object.add_if("aggregate", axis.aggregate);
  if (!axis.measures.empty()) {
    json::ObjectBuilder map;
    for (const auto& [measure, aggregate] : axis.measures) map.add(measure, aggregate);
    object.add("aggregate", map.build());
  }
  return object.build();
}

TimeAxisReading read_time_axis(const json::Value& meta) {
  TimeAxisReading reading;
  const json::Value* declared = meta.find("timeAxis");
  if (declared == nullptr) return reading;
  reading.issues = time_axis_issues(*declared);
  if (!reading.issues.empty()) {
    reading.status = TimeAxisReading::Status::malformed;
    return reading;
  }
  reading.status = TimeAxisReading::Status::declared;
  reading.axis = parse_time_axis(*declared);
  return reading;
}

std::optional<std::string> describe_time_axis(const DatasetTimeAxis& axis) {
  std::vector<std::string> words;
  if (axis.aggregate == kRaw) {
    return axis.interval ? fmt::format("raw samples every {}", noun(*axis.interval))
                         : "raw samples";
  }
  if (axis.aggregate) words.push_back(*axis.aggregate);
  for (const auto& [measure, aggregate] : axis.measures) {
    if (std::find(words.begin(), words.end(), aggregate) == words.end()) words.push_back(aggregate);
  }
  if (words.empty() || !axis.interval) return std::nullopt;
  std::string list = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) {
    list += (i + 1 == words.size() ? " and " : ", ") + words[i];
  }
  return fmt::format("{} {}", adjective(*axis.interval), list);
}

}  // namespace agentfootprint::semantics
