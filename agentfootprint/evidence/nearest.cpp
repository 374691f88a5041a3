// Neighbours of a value in the index.
#include "agentfootprint/evidence/nearest.hpp"

#include <algorithm>

#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/keys.hpp"
#include "agentfootprint/evidence/internal/merged.hpp"

namespace agentfootprint::evidence {
namespace {

constexpr std::size_t kNeighbours = 64;
constexpr std::size_t kMostIdentifiers = 200'000;
constexpr int kDaySeconds = 86'400;

Decimal moment_of(const Reading& reading) {
  return Decimal(internal::days_of(reading.date) * kDaySeconds +
                 (reading.kind == ValueKind::instant ? reading.time.second_of_day : 0));
}

bool is_number(ValueKind kind) {
  return kind == ValueKind::number || kind == ValueKind::quantity;
}
bool is_moment(ValueKind kind) {
  return kind == ValueKind::date || kind == ValueKind::instant;
}

class Search {
 public:
  Search(const ConversationIndex& index, const Value& value)
      : index_(index), merged_(index.merged_results()), value_(value) {}

  std::optional<NearestValue> run() {
    if (value_.readings.empty()) return std::nullopt;
    const Reading& said = value_.readings.front();
    if (is_number(said.kind)) {
      around(internal::number_key(internal::KeyTag::number, internal::near_double(said.number)));
    } else if (is_moment(said.kind) && said.date.complete()) {
      around(internal::seconds_key(internal::KeyTag::civil, *moment_of(said).to_int64()));
    } else if (said.kind == ValueKind::identifier) {
      one_character_off();
    }
    return std::move(best_);
  }

 private:
  void around(std::uint64_t key) {
    constexpr std::uint64_t kRest = (std::uint64_t{1} << 60) - 1;
    const std::uint64_t low = key & ~kRest;
    merged_.visit_around(key, low, low | kRest, kNeighbours,
                         [&](std::uint32_t place) { offer(place); });
  }

  [[nodiscard]] bool counts(std::uint32_t source) const {
    const ResultEntry& entry = index_.results()[source];
    return !entry.failed && !entry.absent;
  }

  // The distance of the nearest reading; empty when the two cannot be compared.
  [[nodiscard]] std::optional<Decimal> distance(const Value& carried) const {
    const Reading& said = value_.readings.front();
    std::optional<Decimal> least;
    for (const Reading& reading : carried.readings) {
      std::optional<Decimal> apart;
      if (is_number(said.kind)) {
        const bool units = !said.unit.stated() || !reading.unit.stated() ||
                           (said.unit == reading.unit && said.scale == reading.scale);
        if (!is_number(reading.kind) || !units) continue;
        apart = said.number.minus(reading.number);
      } else {
        if (!is_moment(reading.kind) || !reading.date.complete()) continue;
        apart = moment_of(said).minus(moment_of(reading));
      }
      if (apart && (!least || apart->abs() < *least)) least = apart->abs();
    }
    return least;
  }

  void offer(std::uint32_t place) {
    const std::uint32_t source = merged_.source_of(place);
    if (!counts(source)) return;
    const internal::MergedIndex::Source& from = merged_.source(source);
    const ItemId item = place - from.first;
    if (from.index->is_part(item)) return;
    Value carried = from.index->readings(item);
    const auto apart = distance(carried);
    if (!apart || apart->is_zero() || (least_ && !(*apart < *least_))) return;
    least_ = apart;
    best_ = NearestValue{std::move(carried.raw), source, from.index->pointer(item)};
  }

  void one_character_off() {
    std::size_t looked_at = 0;
    const std::size_t sources = index_.results().size();
    for (std::size_t source = 0; source < sources; ++source) {
      if (!counts(static_cast<std::uint32_t>(source))) continue;
      const ResultIndex& result = *index_.results()[source].index;
      for (ItemId item = 0; item < result.size(); ++item) {
        const internal::Item& at = result.items()[item];
        if (at.kind != static_cast<std::uint8_t>(ValueKind::identifier)) continue;
        if (++looked_at > kMostIdentifiers) return;
        if (at.length != value_.raw.size() || (at.flags & internal::kOmitted) != 0) continue;
        const std::string_view bytes = result.text().substr(at.begin, at.length);
        std::size_t apart = 0;
        for (std::size_t i = 0; i < bytes.size() && apart < 2; ++i) {
          apart += internal::lower(bytes[i]) != internal::lower(value_.raw[i]) ? 1 : 0;
        }
        if (apart != 1) continue;
        best_ = NearestValue{std::string(bytes), source, result.pointer(item)};
        return;
      }
    }
  }

  const ConversationIndex& index_;
  const internal::MergedIndex& merged_;
  const Value& value_;
  std::optional<Decimal> least_;
  std::optional<NearestValue> best_;
};

}  // namespace

std::optional<NearestValue> nearest_read(const ConversationIndex& index, const Value& value) {
  return Search(index, value).run();
}

}  // namespace agentfootprint::evidence
