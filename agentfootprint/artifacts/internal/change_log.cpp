// What the holders of a scope's lock changed in its folder, for the next holder.
//
// Lines: `af1 ID` once at the top; `t REF` a ticket, `n REF` a note; `= TIME` the folder's time of
// change when all changes above were made.
#include "agentfootprint/artifacts/internal/change_log.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "agentfootprint/artifacts/errors.hpp"
#include "agentfootprint/artifacts/internal/text.hpp"
#include "agentfootprint/artifacts/ticket.hpp"
#include "agentfootprint/base/random.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

constexpr const char* kLogName = ".changes";
constexpr std::size_t kHeadSize = 21;  // "af1 ", 16 digits, the end of the line
constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 20;

std::string read_at(int file, std::uint64_t from, std::uint64_t to) {
  std::string out(to - from, '\0');
  std::size_t filled = 0;
  while (filled < out.size()) {
    const ssize_t got =
        ::pread(file, out.data() + filled, out.size() - filled, static_cast<off_t>(from + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  out.resize(filled);
  return out;
}

// False for a line that is none of ours.
bool read_line(std::string_view line, ChangeLog::Changes& changes, std::int64_t& mark) {
  if (line.size() < 3 || line[1] != ' ') return false;
  const std::string_view rest = line.substr(2);
  mark = -1;
  if (line[0] == '=') {
    long long time = 0;
    if (!parse_int64(rest, time)) return false;
    mark = time;
    return true;
  }
  if (!is_artifact_ref(rest) || (line[0] != 't' && line[0] != 'n')) return false;
  (line[0] == 't' ? changes.tickets : changes.notes).emplace_back(rest);
  return true;
}

}  // namespace

ChangeLog::ChangeLog(const ScopeFolder& folder)
    : folder_(folder), file_(folder.open_append(kLogName)) {}

std::optional<ChangeLog::Changes> ChangeLog::since(Position& from) {
  struct stat status{};
  if (fstat(file_.get(), &status) != 0) throw_io("looking at the changes of a scope", errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const std::string head = read_at(file_.get(), 0, std::min<std::uint64_t>(size, kHeadSize));
  const auto start_again = [&] {
    restart();
    from = Position();
    return std::nullopt;
  };
  if (head.size() != kHeadSize || !head.starts_with("af1 ") || size > kMaxSize) {
    return start_again();
  }
  const std::string id = head.substr(4, 16);
  const bool known = id == from.id && from.at <= size;
  if (!known) from = {id, kHeadSize, -1};
  const std::string lines = read_at(file_.get(), from.at, size);
  Changes changes;
  if (lines.size() != size - from.at || !read(lines, changes, from.mark)) return start_again();
  from.at = size;
  if (!known || from.mark != folder_.changed_at()) return std::nullopt;
  return changes;
}

// A line without its end is what somebody who died left.
bool ChangeLog::read(std::string_view lines, Changes& changes, std::int64_t& mark) {
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    if (end == std::string_view::npos || !read_line(lines.substr(0, end), changes, mark)) {
      return false;
    }
    lines.remove_prefix(end + 1);
  }
  return true;
}

void ChangeLog::announce(const Changes& changes) {
  std::string lines;
  for (const std::string& ref : changes.tickets) lines += "t " + ref + "\n";
  for (const std::string& ref : changes.notes) lines += "n " + ref + "\n";
  append(lines);
}

void ChangeLog::settle() {
  if (!broken_) append(fmt::format("= {}\n", folder_.changed_at()));
}

void ChangeLog::restart() {
  if (ftruncate(file_.get(), 0) != 0) throw_io("starting the changes of a scope", errno);
  append(fmt::format("af1 {:016x}\n", SystemRandom().next()));
}

// A log that cannot take a line (the disk is full) tells nobody anything: the others look for
// themselves.
void ChangeLog::append(std::string_view lines) {
  try {
    write_all(file_.get(), lines);
  } catch (const ArtifactStoreError&) {
    broken_ = true;
    if (ftruncate(file_.get(), 0) != 0) throw;
  }
}

}  // namespace agentfootprint::artifacts_internal
