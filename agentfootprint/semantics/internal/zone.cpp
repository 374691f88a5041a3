// Time zones through Howard Hinnant's date library on the system's database.
#include "agentfootprint/semantics/internal/zone.hpp"

#include <date/tz.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace agentfootprint::semantics::internal {
namespace {

constexpr std::int64_t kDatabaseEnd = 2'145'916'800;  // 2038-01-01T00:00:00Z

bool looks_like_zone(std::string_view name) {
  if (name == "UTC" || name == "GMT") return true;
  if (name.empty() || name.size() > 64) return false;
  const auto slash = name.find('/');
  if (slash == std::string_view::npos || slash == 0 || name.back() == '/') return false;
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '_' || c == '-' || c == '+';
  };
  return std::all_of(name.begin(), name.end(), allowed) &&
         name.find("//") == std::string_view::npos;
}

const date::time_zone* find_zone(std::string_view name) {
  try {
    return date::locate_zone(std::string(name));
  } catch (const std::runtime_error&) {
    return nullptr;
  }
}

std::chrono::seconds offset_at(const date::time_zone& zone, date::sys_days day) {
  return zone.get_info(date::sys_seconds(day)).offset;
}

}  // namespace

bool is_known_zone(std::string_view name) {
  return looks_like_zone(name) && find_zone(name) != nullptr;
}

Zone::Zone(std::string_view name) : zone_(find_zone(name)) {
  if (zone_ == nullptr) throw std::invalid_argument("unknown time zone");
  const auto& zone = *static_cast<const date::time_zone*>(zone_);
  const auto january = offset_at(zone, date::year(2037) / date::January / 1);
  const auto july = offset_at(zone, date::year(2037) / date::July / 1);
  saves_daylight_ = january != july;
}

WallReading Zone::read(std::int64_t wall_seconds) const {
  WallReading reading;
  if (saves_daylight_ && wall_seconds >= kDatabaseEnd) return reading;
  const auto& zone = *static_cast<const date::time_zone*>(zone_);
  const date::local_info info =
      zone.get_info(date::local_seconds(std::chrono::seconds(wall_seconds)));
  reading.earlier_offset = info.first.offset.count();
  reading.later_offset = info.second.offset.count();
  switch (info.result) {
    case date::local_info::unique:
      reading.kind = WallReading::Kind::unique;
      break;
    case date::local_info::nonexistent:
      reading.kind = WallReading::Kind::gap;
      break;
    default:
      reading.kind = WallReading::Kind::overlap;
      break;
  }
  return reading;
}

}  // namespace agentfootprint::semantics::internal
