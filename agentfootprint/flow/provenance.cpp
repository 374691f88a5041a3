// Walks the writes of one key.
#include "agentfootprint/flow/provenance.hpp"

#include <algorithm>

#include "agentfootprint/flow/internal/log_data.hpp"
#include "agentfootprint/flow/internal/view.hpp"

namespace agentfootprint::flow {

using internal::kNever;
using internal::kNone;
using internal::kNoPath;
using internal::kRootPath;
using internal::kStagedBit;
using internal::Lane;
using internal::LogData;
using internal::PathId;
using internal::Read;
using internal::Row;
using internal::Seen;
using internal::View;
using internal::Write;
using internal::WriteRef;

std::string_view name_of(BirthBasis basis) noexcept {
  static constexpr std::string_view kNames[] = {"append", "prefix", "whole"};
  return kNames[static_cast<std::size_t>(basis)];
}

namespace {

PathId find_path(const LogData& log, const Path& path) {
  PathId id = kRootPath;
  for (const std::string& token : path.tokens()) {
    id = log.paths.find_child(id, token);
    if (id == kNoPath) return kNoPath;
  }
  return id;
}

json::Value array_of(const LogData& log, const Write& write) {
  if (write.verb == Verb::erase) return json::Value();
  if (write.lane == kNone) return write.value;
  return internal::whole_of(log.lanes[write.lane], write.length, false);
}

bool is_strict_prefix(const json::Value& prefix, const json::Value& whole) {
  if (!prefix.is_array() || !whole.is_array() || prefix.empty() || prefix.size() >= whole.size()) {
    return false;
  }
  return std::equal(prefix.elements().begin(), prefix.elements().end(), whole.elements().begin());
}

std::optional<std::size_t> row_of(const Write& write) {
  return write.row == kNone ? std::nullopt : std::optional<std::size_t>(write.row);
}

// Fills births from the newest write down: each explains the elements the one before it did not
// have.
void fill_births(const LogData& log, WriteRef from, std::vector<ElementBirth>& births) {
  std::size_t left = births.size();
  while (left > 0) {
    const Write& write = log.writes[from - 1];
    if (write.lane != kNone) {
      const Lane& lane = log.lanes[write.lane];
      std::size_t base = left;
      while (base > 0 && log.writes[lane.births[base - 1] - 1].verb == Verb::append) --base;
      for (std::size_t i = base; i < left; ++i) {
        births[i].row = row_of(log.writes[lane.births[i] - 1]);
        births[i].basis = BirthBasis::append;
      }
      left = base;
      if (left > 0) from = lane.births[left - 1];
      continue;
    }
    const Write* before = write.before != kNever ? &log.writes[write.before - 1] : nullptr;
    const bool same_path = before != nullptr && before->path == write.path;
    const json::Value old = same_path ? array_of(log, *before) : json::Value();
    const bool grew = is_strict_prefix(old, write.value);
    const std::size_t begin = grew ? std::min(old.size(), left) : 0;
    for (std::size_t i = begin; i < left; ++i) {
      births[i].row = row_of(write);
      births[i].basis = grew ? BirthBasis::prefix : BirthBasis::whole;
    }
    left = begin;
    from = write.before;
  }
}

}  // namespace

ArrayProvenance element_births(const Log& log, const Path& path, std::optional<std::size_t> at) {
  ArrayProvenance out;
  const LogData& data = log.data();
  std::size_t row = at ? std::min(*at + 1, data.rows.size()) : data.rows.size();
  while (row > 0 && data.rows[row - 1].instance != 0) --row;
  const PathId id = find_path(data, path);
  if (data.rows.empty()) out.missing = "empty-log";
  if (id == kNoPath && !out.missing) out.missing = "never-written";
  if (out.missing) return out;
  const View view{data, row > 0 ? data.rows[row - 1].root : data.base, nullptr};
  std::vector<Seen> seen;
  const auto value = view.read(id, &seen);
  if (!value || !value->is_array()) {
    out.missing = value ? "not-an-array" : "never-written";
    return out;
  }
  const bool redacted = data.paths.is_redacted(id);
  for (std::size_t i = 0; i < value->size(); ++i) {
    ElementBirth birth;
    birth.index = i;
    birth.value = redacted ? json::Value("REDACTED") : value->elements()[i];
    out.births.push_back(std::move(birth));
  }
  const Seen& top = seen.front();
  if (top.path == id) {
    fill_births(data, top.writer, out.births);
  } else {
    // It came inside a value written above it.
    for (ElementBirth& birth : out.births) birth.row = row_of(data.writes[top.writer - 1]);
  }
  for (std::size_t i = 1; i < seen.size(); ++i) {
    // An element, or something in it, was written by itself.
    PathId element = seen[i].path;
    while (data.paths[element].parent != id) element = data.paths[element].parent;
    const std::uint32_t index = internal::index_of_token(data.paths[element].token);
    if (index >= out.births.size()) continue;
    out.births[index].row = row_of(data.writes[seen[i].writer - 1]);
    out.births[index].basis = BirthBasis::whole;
  }
  return out;
}

std::vector<Moment> key_timeline(const Log& log, const Path& path) {
  std::vector<Moment> out;
  const LogData& data = log.data();
  const PathId id = find_path(data, path);
  if (id == kNoPath) return out;
  const auto concerns = [&](PathId other) {
    return data.paths.is_ancestor(id, other) || data.paths.is_ancestor(other, id);
  };
  for (std::size_t r = 0; r < data.rows.size(); ++r) {
    const Row& row = data.rows[r];
    for (std::uint32_t i = 0; i < row.read_count; ++i) {
      const Read& read = data.reads[row.first_read + i];
      if (!concerns(read.path)) continue;
      Moment moment;
      moment.row = r;
      moment.key = data.paths.pointer(read.path);
      if (read.writer != kNever && read.writer != kStagedBit) {
        moment.writer = row_of(data.writes[read.writer - 1]);
      }
      out.push_back(std::move(moment));
    }
    for (std::uint32_t i = 0; i < row.write_count; ++i) {
      const Write& write = data.writes[row.first_write + i];
      if (!concerns(write.path)) continue;
      Moment moment;
      moment.row = r;
      moment.write = true;
      moment.verb = write.verb;
      moment.key = data.paths.pointer(row.prefix) + data.paths.pointer(write.path);
      out.push_back(std::move(moment));
    }
  }
  return out;
}

}  // namespace agentfootprint::flow
