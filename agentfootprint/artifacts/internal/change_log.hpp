// What the holders of a scope's lock changed in its folder, for the next holder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/artifacts/internal/scope_folder.hpp"

namespace agentfootprint::artifacts_internal {

// A hint, never the truth: with it a writer looks again at the names that changed since its last
// look and not at every name of the folder. A holder announces names before it touches them and
// marks the folder's time of change when it is done. A holder that died in between, a folder that
// was changed by anybody else and a log that is not whole all mean a look at every name. Only live
// processes read it, so it is not flushed.
//
// All of it with the folder's lock held.
class ChangeLog {
 public:
  // How far somebody has read.
  struct Position {
    std::string id;        // of the log; empty before the first look
    std::uint64_t at = 0;  // bytes
    std::int64_t mark = -1;
  };
  struct Changes {
    std::vector<std::string> tickets;  // refs whose ticket came or went
    std::vector<std::string> notes;    // refs whose note of a sweep came or went
  };

  explicit ChangeLog(const ScopeFolder& folder);
  // Adds whole lines to `changes`; `mark` is the time the last one states, -1 when it states none.
  // False for anything that is no line of ours.
  [[nodiscard]] static bool read(std::string_view lines, Changes& changes, std::int64_t& mark);

  // What changed since `from`, which moves to the end; empty when only a look at every name tells.
  [[nodiscard]] std::optional<Changes> since(Position& from);
  void announce(const Changes& changes);
  // The announced changes are made.
  void settle();

 private:
  void restart();
  void append(std::string_view lines);

  const ScopeFolder& folder_;
  Descriptor file_;
  bool broken_ = false;
};

}  // namespace agentfootprint::artifacts_internal
