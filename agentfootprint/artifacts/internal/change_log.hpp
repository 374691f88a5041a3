// What the holders of a scope's lock changed in its folder, for everybody else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/artifacts/internal/scope_folder.hpp"

namespace agentfootprint::artifacts_internal {

// A hint, never the truth: with it a process looks again at the names that changed since its last
// look and not at every name of the folder. A holder announces names before it touches them and
// marks the folder's time of change when it is done. A holder that died in between, a folder that
// was changed by anybody else and a log that is not whole all mean a look at every name. Only live
// processes read it, so it is not flushed.
class ChangeLog {
 public:
  // How far somebody has read. Everything announced before it had been made when it was read.
  struct Position {
    std::string id;        // of the log; empty before the first look
    std::uint64_t at = 0;  // bytes
    std::int64_t mark = -1;
  };
  struct Changes {
    std::vector<std::string> tickets;  // refs whose ticket came or went
    std::vector<std::string> notes;    // refs whose note of a sweep came or went
  };
  struct Reading {
    bool continues = false;  // it is the log of the position, and every line since is ours
    Changes made;            // since the position, up to the last mark
    Changes announced;       // behind the last mark: a holder is at work, or died at work
    bool settled = false;    // nothing is announced, and the folder is as the last mark left it
    Position to;             // behind the last mark
  };

  // With the folder's lock held.
  explicit ChangeLog(const ScopeFolder& folder);
  // What changed since `from`, which moves to the end; empty when only a look at every name tells,
  // and then `from` is no place any more.
  [[nodiscard]] std::optional<Changes> since(Position& from);
  // Behind `since`: starts the log again when it is large beside a scope of `tickets`. `at`, which
  // stands at its end, goes to the end of the new one.
  void trim(std::size_t tickets, Position& at);
  void announce(const Changes& changes);
  // The announced changes are made.
  void settle();

  // Without the lock, so a writer may be at work. From a position without an id: all of the log.
  [[nodiscard]] static Reading read(const ScopeFolder& folder, const Position& from);

  struct Lines {
    Changes made;            // up to the last mark
    Changes announced;       // behind it
    std::int64_t mark = -1;  // the last one
    std::size_t marked = 0;  // bytes up to the end of the last mark
    std::size_t whole = 0;   // bytes up to the end of the last whole line
  };
  // False at a whole line that is none of ours.
  [[nodiscard]] static bool parse(std::string_view text, Lines& lines);

 private:
  void restart();
  void append(std::string_view lines);

  const ScopeFolder& folder_;
  Descriptor file_;
  bool broken_ = false;
};

}  // namespace agentfootprint::artifacts_internal
