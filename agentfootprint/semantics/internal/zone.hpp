// The system's time zone database, behind three questions.
#pragma once

#include <cstdint>
#include <string_view>

namespace agentfootprint::semantics::internal {

// An IANA name (Area/Location, UTC or GMT, at most 64 bytes) that the database knows.
[[nodiscard]] bool is_known_zone(std::string_view name);

struct WallReading {
  enum class Kind : std::uint8_t { unique, gap, overlap, unreadable };
  Kind kind = Kind::unreadable;
  std::int64_t earlier_offset = 0;  // seconds east of UTC; the only one when unique
  std::int64_t later_offset = 0;
};

class Zone {
 public:
  // The name must be known.
  explicit Zone(std::string_view name);
  // `wall_seconds`: the written fields read as if they were UTC.
  [[nodiscard]] WallReading read(std::int64_t wall_seconds) const;

 private:
  const void* zone_;  // owned by the database, which lives as long as the program
  bool saves_daylight_ = false;
};

}  // namespace agentfootprint::semantics::internal
