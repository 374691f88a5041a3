// What a process knows of one scope's folder of the file store.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "agentfootprint/artifacts/internal/change_log.hpp"
#include "agentfootprint/artifacts/internal/cursor.hpp"
#include "agentfootprint/artifacts/internal/file_envelope.hpp"
#include "agentfootprint/artifacts/internal/scope_folder.hpp"

namespace agentfootprint::artifacts_internal {

// Rows are read once, since tickets are never written twice. A look at every name is long in a
// large scope; it is made without the folder's lock and without `mutex`, so that neither writers
// nor readers wait for it.
class FolderIndex {
 public:
  // For readers: the tickets as the last writer who is done left them. By the log where it tells
  // all, else by every name, and by every name once every one or two minutes, which finds what was
  // changed by hand.
  void look(const ScopeFolder& folder);
  void look_at_every_name(const ScopeFolder& folder);
  // With the folder's lock held, by the log. False when only a look at every name tells.
  [[nodiscard]] bool follow(const ScopeFolder& folder, ChangeLog& changes);
  // True for the first put and then every one or two minutes, each process at times of its own.
  [[nodiscard]] bool leftovers_are_due();
  [[nodiscard]] std::size_t size();

  std::mutex mutex;  // of everything below

  std::map<std::string, FileEnvelope> rows;                     // by ref; without `measured`
  std::set<ListPosition, NewestFirst> newest_first;             // of all rows
  std::set<std::pair<std::int64_t, std::string>> oldest_first;  // by order of minting, then ref
  std::map<std::string, SweptArtifact> notes;  // sweeps that wait to be reported, by ref
  std::uint64_t bytes = 0;                     // of all rows
  std::int64_t next_order = 0;                 // above every row's that was ever seen
  std::int64_t first_expiry = std::numeric_limits<std::int64_t>::max();  // or earlier than it
  ChangeLog::Position log;                                               // how far it was read

  // Looks for the earliest expiry again: rows that have expired are being swept.
  void find_first_expiry(std::int64_t after);

 private:
  struct Listing;
  [[nodiscard]] Listing list(const ScopeFolder& folder);
  // False when the log no longer tells what the listing is missing.
  [[nodiscard]] bool take(const ScopeFolder& folder, Listing& listing);
  // False when only a look at every name tells.
  [[nodiscard]] bool catch_up(const ScopeFolder& folder);
  [[nodiscard]] ChangeLog::Position position();
  void add(FileEnvelope envelope);
  void apply(const ScopeFolder& folder, const ChangeLog::Changes& changes);
  using Row = std::map<std::string, FileEnvelope>::iterator;
  Row erase(Row row);

  std::int64_t seen_change_ = -1;   // the folder's, behind which every name was looked at
  std::int64_t look_due_ = 0;       // steady time of the next look at every name
  std::int64_t leftovers_due_ = 0;  // of the next look for leftovers
};

// Names of files: `<ref>.json`, `<ref>.bin`; empty unless `name` ends so and starts with a ticket.
[[nodiscard]] std::string ref_of_file(std::string_view name, std::string_view ending);

}  // namespace agentfootprint::artifacts_internal
