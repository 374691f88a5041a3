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
#include <iterator>

#include "agentfootprint/artifacts/errors.hpp"
#include "agentfootprint/artifacts/internal/text.hpp"
#include "agentfootprint/artifacts/ticket.hpp"
#include "agentfootprint/base/random.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

constexpr const char* kLogName = ".changes";
constexpr std::size_t kHeadSize = 21;  // "af1 ", 16 digits, the end of the line
// A log grows with its scope, so that the looks at every name behind its restarts stay rare.
constexpr std::uint64_t kMinLimit = std::uint64_t{1} << 20;
constexpr std::uint64_t kLimitPerTicket = 64;

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

// False for a line that is none of ours; `mark` is set by a mark alone.
bool read_line(std::string_view line, ChangeLog::Changes& changes,
               std::optional<std::int64_t>& mark) {
  if (line.size() < 3 || line[1] != ' ') return false;
  const std::string_view rest = line.substr(2);
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

// `from` is empty afterwards.
void add(std::vector<std::string>& to, std::vector<std::string>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  from.clear();
}

std::uint64_t size_of(int file) {
  struct stat status{};
  if (fstat(file, &status) != 0) throw_io("looking at the changes of a scope", errno);
  return static_cast<std::uint64_t>(status.st_size);
}

// What was read of a log, up to the end it had.
struct Tail {
  bool whole = false;  // it is the log of the position, and it ends with a whole line
  ChangeLog::Reading reading;
  std::uint64_t size = 0;
};

Tail read_tail(int file, const ChangeLog::Position& from) {
  Tail out;
  out.size = size_of(file);
  const std::string head = read_at(file, 0, std::min<std::uint64_t>(out.size, kHeadSize));
  if (head.size() != kHeadSize || !head.starts_with("af1 ")) return out;
  const std::string id = head.substr(4, 16);
  const bool all = from.id.empty();
  if (!all && (id != from.id || from.at > out.size)) return out;
  const ChangeLog::Position start = all ? ChangeLog::Position{id, kHeadSize, -1} : from;
  const std::string text = read_at(file, start.at, out.size);
  ChangeLog::Lines lines;
  lines.mark = start.mark;
  if (!ChangeLog::parse(text, lines)) return out;
  out.size = start.at + text.size();
  out.whole = lines.whole == text.size();
  ChangeLog::Reading& reading = out.reading;
  reading.continues = true;
  reading.made = std::move(lines.made);
  reading.announced = std::move(lines.announced);
  reading.to = {id, start.at + lines.marked, lines.mark};
  return out;
}

bool is_settled(const Tail& tail, const ScopeFolder& folder) {
  const ChangeLog::Position& to = tail.reading.to;
  return tail.whole && to.at == tail.size && to.mark == folder.changed_at();
}

}  // namespace

ChangeLog::ChangeLog(const ScopeFolder& folder)
    : folder_(folder), file_(folder.open_append(kLogName)) {}

std::optional<ChangeLog::Changes> ChangeLog::since(Position& from) {
  Tail tail = read_tail(file_.get(), from);
  const bool known = !from.id.empty() && tail.whole;
  // A line without its end is what somebody who died left.
  if (!known && !read_tail(file_.get(), {}).whole) restart();
  if (!known || !is_settled(tail, folder_)) {
    from = {};
    return std::nullopt;
  }
  from = std::move(tail.reading.to);
  return std::move(tail.reading.made);
}

ChangeLog::Reading ChangeLog::read(const ScopeFolder& folder, const Position& from) {
  const Descriptor file = folder.open_read(kLogName);
  if (!file.valid()) return {};
  Tail tail = read_tail(file.get(), from);
  Reading& reading = tail.reading;
  reading.settled = is_settled(tail, folder);
  return std::move(reading);
}

bool ChangeLog::parse(std::string_view text, Lines& lines) {
  for (;;) {
    const std::size_t end = text.find('\n', lines.whole);
    if (end == std::string_view::npos) return true;
    std::optional<std::int64_t> mark;
    if (!read_line(text.substr(lines.whole, end - lines.whole), lines.announced, mark))
      return false;
    lines.whole = end + 1;
    if (mark) {
      add(lines.made.tickets, lines.announced.tickets);
      add(lines.made.notes, lines.announced.notes);
      lines.mark = *mark;
      lines.marked = lines.whole;
    }
  }
}

void ChangeLog::trim(std::size_t tickets, Position& at) {
  const std::uint64_t limit = std::max(kMinLimit, kLimitPerTicket * tickets);
  if (at.at <= limit) return;
  restart();
  settle();
  at = read_tail(file_.get(), {}).reading.to;
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
