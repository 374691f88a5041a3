// The time axis of a dataset, and reading its rows' instants.
//
// What: `DatasetTimeAxis` declares which column holds time, in what unit, in which zone wall times
// are written, and how rows were aggregated. `normalise_instants` reads the column of rows into
// exact instants, all spelled in UTC at one precision, and says what could not be placed and why.
//
// When to use: on a ticket's declaration, and before rows of several datasets are put on one axis.
//
// Not guaranteed: a time for a wall time without a zone: it is never taken for UTC. The hour that a
// clock repeats is resolved only by the order of rows, and only where exactly one step back shows
// it.
//
// Limits: the years 0000 to 9999; nanoseconds. Zones come from the system's database, loaded on
// first use and shared by all threads; where it ends (2037), wall times of a zone with daylight
// saving count as unreadable.
//
// Example:
//   json::Value declared = json::object({{"column", "ts"}, {"unit", "epoch-s"}});
//   semantics::DatasetTimeAxis axis = semantics::checked_time_axis(declared);
//   json::Value rows = json::array({json::object({{"ts", 1726300800}})});
//   semantics::NormalisedInstants read = semantics::normalise_instants(rows, axis);
//   (void)read.points.front().at;   // 2024-09-14T08:00:00Z
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/value.hpp"
#include "agentfootprint/semantics/instant.hpp"

namespace agentfootprint::semantics {

enum class TimeUnit : std::uint8_t { iso, epoch_s, epoch_ms };
inline constexpr std::string_view kTimeAxisUnits[] = {"iso", "epoch-s", "epoch-ms"};
inline constexpr std::string_view kTimeAxisAggregates[] = {"avg", "min",   "max",
                                                           "sum", "count", "last"};

struct DatasetTimeAxis {
  std::string column;
  TimeUnit unit = TimeUnit::iso;
  std::optional<std::string> zone = std::nullopt;
  std::optional<std::string> interval = std::nullopt;
  // "raw" or one aggregate of all measures; empty when `measures` says it, or nothing was said.
  std::optional<std::string> aggregate = std::nullopt;
  std::vector<std::pair<std::string, std::string>> measures = {};  // measure and its aggregate
};

// Every fault of a declaration `{column, unit, zone?, interval?, aggregate?}`,
// "malformed-time-axis". Never throws and never repairs.
[[nodiscard]] std::vector<Issue> time_axis_issues(const json::Value& declared);
// Empty when there is a fault.
[[nodiscard]] std::optional<DatasetTimeAxis> parse_time_axis(const json::Value& declared);
// Throws a Refusal with every fault.
[[nodiscard]] DatasetTimeAxis checked_time_axis(const json::Value& declared);
[[nodiscard]] json::Value to_json(const DatasetTimeAxis& axis);

struct TimeAxisReading {
  enum class Status : std::uint8_t { absent, declared, malformed };
  Status status = Status::absent;
  std::optional<DatasetTimeAxis> axis;
  std::vector<Issue> issues;
};
// The member `timeAxis` of an artifact's meta.
[[nodiscard]] TimeAxisReading read_time_axis(const json::Value& meta);

// "hourly avg and max", "raw samples every 5 minutes"; empty when no aggregate was declared.
[[nodiscard]] std::optional<std::string> describe_time_axis(const DatasetTimeAxis& axis);

struct NormaliseOptions {
  bool refuse_naive = false;  // false: place what can be placed and flag the rest
};

struct InstantPoint {
  std::size_t row = 0;
  std::string at;  // UTC
};

// A wall time of a repeated hour, placed by the order of rows.
struct OverlapNote {
  std::size_t row = 0;
  bool later = false;
};

struct InstantCounts {
  std::size_t naive = 0;          // wall times and no zone
  std::size_t dst_ambiguous = 0;  // in a repeated hour that the rows do not resolve
  std::size_t dst_gap = 0;        // in an hour that the clock skipped
  std::size_t unreadable = 0;
  std::size_t missing = 0;
};

struct NormalisedInstants {
  enum class Status : std::uint8_t { instants, naive_values, refused };
  Status status = Status::instants;
  std::size_t count = 0;             // naive + dst_ambiguous
  std::vector<InstantPoint> points;  // by time, then row; none when refused
  Precision precision = Precision::second;
  std::vector<OverlapNote> notes;
  InstantCounts counts;
};

// `rows` is an array of objects (another kind throws a Refusal "malformed-time-axis").
[[nodiscard]] NormalisedInstants normalise_instants(const json::Value& rows,
                                                    const DatasetTimeAxis& axis,
                                                    const NormaliseOptions& options = {});
[[nodiscard]] json::Value to_json(const NormalisedInstants& read);

}  // namespace agentfootprint::semantics
