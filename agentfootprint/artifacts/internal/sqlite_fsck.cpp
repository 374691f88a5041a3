// Looking into an SQLite store across scopes.
#include "agentfootprint/artifacts/internal/sqlite_fsck.hpp"

#include <fmt/format.h>

#include "agentfootprint/artifacts/scope.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint::artifacts_internal {

std::vector<ScopeUsage> SqliteInspection::usage() {
  const std::lock_guard lock(core_.mutex);
  core_.check_open("du");
  std::vector<ScopeUsage> out;
  Statement& row = core_.db->prepared(
      "SELECT scope_ns, count, bytes FROM af_artifacts_scopes WHERE count > 0 ORDER BY scope_ns");
  const ResetAtEnd reset(row);
  while (row.step()) out.push_back({scope_of_namespace(row.bytes(0)), row.size(1), row.size(2)});
  return out;
}

void SqliteInspection::check_rows(std::vector<StoreProblem>& found,
                                  const std::function<void(std::uint64_t)>& progress) {
  Statement& row = core_.db->prepared(
      "SELECT s.scope_ns, a.ref, a.payload_shape, a.meta, a.meta_digest, a.expires_at, a.bytes, "
      "coalesce(length(a.payload), (SELECT sum(length(c.data)) FROM af_artifacts_chunks c WHERE "
      "c.place BETWEEN a.payload_id * 1048576 AND a.payload_id * 1048576 + 1048575), 0), a.scope "
      "FROM af_artifacts a JOIN af_artifacts_scopes s ON s.id = a.scope");
  const ResetAtEnd reset(row);
  std::uint64_t done = 0;
  const std::int64_t now = core_.now();
  while (row.step()) {
    if (progress && ++done % 1'000 == 0) progress(done);
    const ArtifactScope scope = scope_of_namespace(row.bytes(0));
    const std::string ref(row.bytes(1));
    const auto note = [&](std::string_view kind, std::string detail) {
      found.push_back({std::string(kind), scope, ref, std::move(detail), false});
    };
    const auto parsed = json::parse(row.bytes(3));
    const auto meta = parsed ? artifact_meta_from_json(*parsed) : std::nullopt;
    if (!meta || record_digest(row.bytes(0), row.bytes(2), row.bytes(3)) != row.bytes(4)) {
      note("record-mismatch", "the ticket's record was changed after the put");
      continue;
    }
    if (row.size(6) != row.size(7)) {
      note("lost-payload", fmt::format("{} of {} bytes are there", row.size(7), row.size(6)));
    }
    const auto expires = row.optional_int64(5);
    if (expires && *expires <= now) note("expired", "waits for the next put of its scope");
    for (const std::string& parent : meta->parent_refs) {
      if (!core_.find_id(row.int64(8), parent, INT64_MIN)) {
        note("dangling-parent", fmt::format("its parent {} is gone", parent));
      }
    }
  }
}

void SqliteInspection::check_stages(bool mend, std::vector<StoreProblem>& found) {
  std::vector<std::int64_t> orphans;
  {
    Statement& row = core_.db->prepared(
        "SELECT p.id, p.staged_at FROM af_artifacts_payloads p WHERE p.staged_at <= ?1 OR "
        "(p.staged_at IS NULL AND NOT EXISTS "
        "(SELECT 1 FROM af_artifacts a WHERE a.payload_id = p.id))");
    const ResetAtEnd reset(row);
    row.bind(1, core_.now() - std::int64_t{900'000});
    while (row.step()) orphans.push_back(row.int64(0));
  }
  for (const std::int64_t id : orphans) {
    if (mend) {
      WriteTransaction transaction(*core_.db);
      core_.drop_payload(id);
      transaction.commit();
    }
    found.push_back({"orphan-payload", ArtifactScope(), "",
                     fmt::format("payload {} belongs to no ticket", id), mend});
  }
}

std::vector<StoreProblem> SqliteInspection::fsck(
    bool mend, const std::function<void(std::uint64_t)>& progress) {
  const std::lock_guard lock(core_.mutex);
  core_.check_open("fsck");
  std::vector<StoreProblem> found;
  const auto damaged = [&](std::string detail) {
    found.push_back({"unreadable", ArtifactScope(), "", std::move(detail), false});
  };
  try {
    const std::string check = core_.db->text_of("PRAGMA quick_check(1)");
    if (check != "ok") damaged(check);
    check_rows(found, progress);
    check_stages(mend && check == "ok", found);  // nothing is written into a damaged file
  } catch (const ArtifactStoreError& error) {
    if (error.code() != "artifact-store-io") throw;
    damaged(error.what());  // what was found before it is told all the same
  }
  return found;
}

}  // namespace agentfootprint::artifacts_internal
