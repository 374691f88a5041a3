// Reading a dataset's time column into instants.
#include <algorithm>
#include <map>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/semantics/internal/zone.hpp"
#include "agentfootprint/semantics/time_axis.hpp"

namespace agentfootprint::semantics {
namespace {

using internal::WallReading;

struct Placed {
  std::size_t row = 0;
  Instant at;
};

// A wall time of the zone, in row order.
struct Wall {
  std::size_t row = 0;
  Instant wall;
  WallReading reading;
  [[nodiscard]] bool overlaps() const { return reading.kind == WallReading::Kind::overlap; }
  [[nodiscard]] std::int64_t day() const {
    return wall.seconds >= 0 ? wall.seconds / 86'400 : (wall.seconds - 86'399) / 86'400;
  }
};

// A decimal spelling scaled by 10^(9 - `unit_digits`) to nanoseconds: seconds are 0, milliseconds
// 3. An exponent, too many fraction digits or too many digits are unreadable.
std::optional<Instant> read_epoch(std::string_view text, int unit_digits) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string_view fraction = point == std::string_view::npos ? "" : text.substr(point + 1);
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  const std::size_t max_fraction = static_cast<std::size_t>(9 - unit_digits);
  if (whole.empty() || whole.size() > 15 || fraction.size() > max_fraction) return std::nullopt;
  std::int64_t units = 0;
  for (const char c : whole) {
    if (c < '0' || c > '9') return std::nullopt;
    units = units * 10 + (c - '0');
  }
  std::int64_t sub = 0;
  for (std::size_t i = 0; i < max_fraction; ++i) {
    const char c = i < fraction.size() ? fraction[i] : '0';
    if (c < '0' || c > '9') return std::nullopt;
    sub = sub * 10 + (c - '0');
  }
  const std::int64_t per_second = unit_digits == 0 ? 1 : 1000;
  const std::int64_t nanos_per_unit = 1'000'000'000 / per_second;
  Instant at{units / per_second,
             static_cast<std::int32_t>(units % per_second * nanos_per_unit + sub)};
  if (negative) {
    at.seconds = -at.seconds;
    if (at.nanos != 0) {
      at.seconds -= 1;
      at.nanos = 1'000'000'000 - at.nanos;
    }
  }
  if (!is_writable(at)) return std::nullopt;
  return at;
}

class Normaliser {
 public:
  Normaliser(const DatasetTimeAxis& axis, const NormaliseOptions& options)
      : axis_(axis), options_(options) {
    if (axis.zone && axis.unit == TimeUnit::iso) zone_.emplace(*axis.zone);
  }

  NormalisedInstants run(const json::Value& rows) {
    const std::span<const json::Value> elements = rows.elements();
    for (std::size_t i = 0; i < elements.size(); ++i) row(elements[i], i);
    place_walls();
    return finish();
  }

 private:
  void row(const json::Value& row, std::size_t index) {
    const json::Value* cell = row.is_object() ? row.find(axis_.column) : nullptr;
    if (cell == nullptr || cell->is_null()) {
      ++out_.counts.missing;
    } else if (axis_.unit == TimeUnit::iso) {
      iso(*cell, index);
    } else {
      epoch(*cell, index);
    }
  }

  void epoch(const json::Value& cell, std::size_t index) {
    const auto text = cell.number_text();
    const auto at =
        text ? read_epoch(*text, axis_.unit == TimeUnit::epoch_s ? 0 : 3) : std::nullopt;
    if (at) {
      placed_.push_back(Placed{index, *at});
    } else {
      ++out_.counts.unreadable;
    }
  }

  void iso(const json::Value& cell, std::size_t index) {
    const auto text = cell.as_string();
    const auto time = text ? parse_time(*text) : std::nullopt;
    if (!time) {
      ++out_.counts.unreadable;
    } else if (time->offset_minutes) {
      placed_.push_back(Placed{index, time->instant()});
    } else if (!zone_) {
      ++out_.counts.naive;
    } else {
      walls_.push_back(Wall{index, time->wall, zone_->read(time->wall.seconds)});
    }
  }

  void place(const Wall& wall, std::int64_t offset) {
    const Instant at{wall.wall.seconds - offset, wall.wall.nanos};
    if (is_writable(at)) {
      placed_.push_back(Placed{wall.row, at});
    } else {
      ++out_.counts.unreadable;
    }
  }

  // Rows where each day of overlap values has its one step back, by day; empty when some step back
  // stands elsewhere, so that row order says nothing.
  std::map<std::int64_t, std::size_t> single_steps() const {
    std::map<std::int64_t, std::vector<std::size_t>> steps;
    for (std::size_t i = 1; i < walls_.size(); ++i) {
      const Wall& before = walls_[i - 1];
      const Wall& here = walls_[i];
      if (here.wall > before.wall) continue;
      if (!before.overlaps() || !here.overlaps() || before.day() != here.day()) return {};
      steps[here.day()].push_back(here.row);
    }
    std::map<std::int64_t, std::size_t> single;
    for (const auto& [day, rows] : steps) {
      if (rows.size() == 1) single.emplace(day, rows.front());
    }
    return single;
  }

  void place_walls() {
    const std::map<std::int64_t, std::size_t> steps = single_steps();
    for (const Wall& wall : walls_) {
      switch (wall.reading.kind) {
        case WallReading::Kind::unique:
          place(wall, wall.reading.earlier_offset);
          break;
        case WallReading::Kind::gap:
          ++out_.counts.dst_gap;
          break;
        case WallReading::Kind::unreadable:
          ++out_.counts.unreadable;
          break;
        case WallReading::Kind::overlap:
          place_overlap(wall, steps);
          break;
      }
    }
  }

  void place_overlap(const Wall& wall, const std::map<std::int64_t, std::size_t>& steps) {
    const auto step = steps.find(wall.day());
    if (step == steps.end()) {
      ++out_.counts.dst_ambiguous;
      return;
    }
    const bool later = wall.row >= step->second;
    place(wall, later ? wall.reading.later_offset : wall.reading.earlier_offset);
    out_.notes.push_back(OverlapNote{wall.row, later});
  }

  NormalisedInstants finish() {
    out_.count = out_.counts.naive + out_.counts.dst_ambiguous;
    if (out_.count > 0) {
      out_.status = options_.refuse_naive ? NormalisedInstants::Status::refused
                                          : NormalisedInstants::Status::naive_values;
    }
    if (out_.status == NormalisedInstants::Status::refused) {
      out_.notes.clear();
      return std::move(out_);
    }
    std::sort(placed_.begin(), placed_.end(), [](const Placed& a, const Placed& b) {
      return a.at != b.at ? a.at < b.at : a.row < b.row;
    });
    for (const Placed& point : placed_) {
      out_.precision = std::max(out_.precision, precision_of(point.at));
    }
    out_.points.reserve(placed_.size());
    for (const Placed& point : placed_) {
      out_.points.push_back(InstantPoint{point.row, format_utc(point.at, out_.precision)});
    }
    return std::move(out_);
  }

  const DatasetTimeAxis& axis_;
  const NormaliseOptions& options_;
  std::optional<internal::Zone> zone_;
  std::vector<Placed> placed_;
  std::vector<Wall> walls_;
  NormalisedInstants out_;
};

json::Value counts_json(const InstantCounts& counts) {
  json::ObjectBuilder object;
  object.add("naive", counts.naive);
  object.add("dstAmbiguous", counts.dst_ambiguous);
  object.add("dstGap", counts.dst_gap);
  object.add("unreadable", counts.unreadable);
  object.add("missing", counts.missing);
  return object.build();
}

}  // namespace

NormalisedInstants normalise_instants(const json::Value& rows, const DatasetTimeAxis& axis,
                                      const NormaliseOptions& options) {
  if (!rows.is_array()) {
    throw Refusal("malformed-time-axis", "rows", "rows must be an array of objects");
  }
  std::vector<Issue> issues = time_axis_issues(to_json(axis));
  if (!issues.empty()) throw Refusal(std::move(issues));
  return Normaliser(axis, options).run(rows);
}

json::Value to_json(const NormalisedInstants& read) {
  json::ObjectBuilder object;
  if (read.status == NormalisedInstants::Status::refused) {
    object.add("status", "refused").add("reason", "naive-values").add("count", read.count);
    object.add("counts", counts_json(read.counts));
    return object.build();
  }
  const bool naive = read.status == NormalisedInstants::Status::naive_values;
  object.add("status", naive ? "naive-values" : "instants");
  if (naive) object.add("count", read.count);
  json::ArrayBuilder points;
  points.reserve(read.points.size());
  for (const InstantPoint& point : read.points) {
    json::ObjectBuilder row;
    row.add("row", point.row).add("at", point.at);
    points.add(row.build());
  }
  json::ArrayBuilder notes;
  for (const OverlapNote& note : read.notes) {
    json::ObjectBuilder row;
    row.add("kind", "dst-overlap").add("resolvedBy", "row-order").add("row", note.row);
    row.add("which", note.later ? "later" : "earlier");
    notes.add(row.build());
  }
  object.add("points", points.build()).add("precision", name_of(read.precision));
  object.add("notes", notes.build()).add("counts", counts_json(read.counts));
  return object.build();
}

}  // namespace agentfootprint::semantics
