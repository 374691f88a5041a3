// The subcommands of `artifacts` that look after a store.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "agentfootprint/artifacts/internal/private_files.hpp"
#include "agentfootprint/artifacts/shipped_harness.hpp"
#include "agentfootprint/cli/artifacts_commands.hpp"
#include "agentfootprint/cli/artifacts_output.hpp"
#include "agentfootprint/cli/command.hpp"

namespace agentfootprint {
namespace {

namespace fs = std::filesystem;

// What reading one payload showed.
struct Verified {
  std::string ref;
  std::string status;  // ok, no-digest, mismatch, missing
  std::string detail;
};

Verified verify_one(ArtifactStore& store, const ArtifactScope& scope, const std::string& ref) {
  try {
    std::optional<ArtifactMeta> meta;
    std::uint64_t bytes = 0;
    if (store.can_get_stream()) {
      auto stream = store.get_stream(scope, ref);
      if (!stream) return {ref, "missing", "no live artifact has this ref"};
      std::string piece(std::size_t{1} << 20, '\0');
      while (const std::size_t got = stream->body->read(piece.data(), piece.size())) bytes += got;
      meta = std::move(stream->meta);
    } else {
      auto record = store.get(scope, ref);
      if (!record) return {ref, "missing", "no live artifact has this ref"};
      bytes = record->payload.bytes().size();
      meta = std::move(record->meta);
    }
    if (bytes != meta->bytes) {
      return {ref, "mismatch", fmt::format("{} of {} bytes are there", bytes, meta->bytes)};
    }
    if (!meta->digest) return {ref, "no-digest", "its length is right; no digest was asked for"};
    return {ref, "ok", ""};
  } catch (const Error& error) {
    return {ref, "mismatch", error.what()};
  }
}

std::vector<std::string> refs_of(ArtifactStore& store, const ArtifactScope& scope) {
  std::vector<std::string> refs;
  ArtifactListOptions options;
  options.limit = kMaxArtifactListLimit;
  for (;;) {
    const ArtifactListResult page = store.list(scope, options);
    for (const ArtifactMeta& meta : page.artifacts) refs.push_back(meta.ref);
    if (!page.cursor) return refs;
    options.cursor = page.cursor;
  }
}

StoreInspection& inspection_of(ArtifactStore& store) {
  StoreInspection* inspection = store.inspection();
  if (inspection == nullptr) {
    throw ArtifactStoreError("artifact-unsupported", "this store cannot be looked into as a whole");
  }
  return *inspection;
}

}  // namespace

namespace {

// What `verify` found, counted and as rows.
class Verification {
 public:
  void take(const Verified& one, const ArtifactScope& scope) {
    ++counts_[one.status];
    progress_(++done_);
    if (one.status == "ok" || one.status == "no-digest") return;
    table_.add({one.status, one.ref, scope_text(scope), one.detail});
    faults_.add(json::object({{"ref", one.ref},
                              {"scope", to_json(scope)},
                              {"status", one.status},
                              {"detail", one.detail}}));
  }
  int print(bool as_json) {
    const bool clean = faults_.empty();
    const std::size_t faults = faults_.size();
    if (as_json) {
      print_json(json::object({{"checked", done_},
                               {"ok", counts_["ok"]},
                               {"noDigest", counts_["no-digest"]},
                               {"faults", faults_.build()}}));
    } else {
      if (!clean) print_text(table_.to_text());
      print_text(
          fmt::format("{} checked, {} with the right digest, {} without a digest, {} faults\n",
                      done_, counts_["ok"], counts_["no-digest"], faults));
    }
    return clean ? kExitClean : kExitFindings;
  }

 private:
  std::function<void(std::uint64_t)> progress_ = progress_line("verify");
  TextTable table_{{"status", "ref", "scope", "detail"}};
  json::ArrayBuilder faults_;
  std::map<std::string, std::uint64_t> counts_;
  std::uint64_t done_ = 0;
};

// A ticket named without its scope is looked for in each.
void verify_ref(ArtifactStore& store, const std::vector<ArtifactScope>& scopes,
                const std::string& ref, Verification& out) {
  for (const ArtifactScope& scope : scopes) {
    const Verified one = verify_one(store, scope, ref);
    if (one.status == "missing" && scopes.size() > 1) continue;
    out.take(one, scope);
    return;
  }
  out.take({ref, "missing", "no live artifact has this ref"}, ArtifactScope());
}

// Tickets that no listing names, because their record cannot be trusted.
void verify_records(ArtifactStore& store, const std::vector<ArtifactScope>& scopes,
                    Verification& out) {
  StoreInspection* inspection = store.inspection();
  if (inspection == nullptr) return;
  for (const StoreProblem& problem : inspection->fsck(false, nullptr)) {
    const bool unlisted = problem.kind == "record-mismatch" || problem.kind == "unreadable" ||
                          problem.kind == "quarantined";
    const bool asked = std::find(scopes.begin(), scopes.end(), problem.scope) != scopes.end();
    if (unlisted && asked) out.take({problem.ref, problem.kind, problem.detail}, problem.scope);
  }
}

}  // namespace

int artifacts_verify(const ArtifactsArguments& arguments) {
  const auto store = open_existing_store(arguments);
  const auto scopes = scopes_of(*store, arguments);
  Verification out;
  if (!arguments.refs.empty()) {
    for (const std::string& ref : arguments.refs) verify_ref(*store, scopes, ref, out);
    return out.print(arguments.as_json);
  }
  for (const ArtifactScope& scope : scopes) {
    for (const std::string& ref : refs_of(*store, scope)) {
      out.take(verify_one(*store, scope, ref), scope);
    }
  }
  verify_records(*store, scopes, out);
  return out.print(arguments.as_json);
}

int artifacts_fsck(const ArtifactsArguments& arguments) {
  const auto store = open_existing_store(arguments);
  const auto found = inspection_of(*store).fsck(arguments.mend, progress_line("fsck"));
  TextTable table({"kind", "ref", "scope", "detail", "mended"});
  json::ArrayBuilder problems;
  bool clean = true;
  for (const StoreProblem& problem : found) {
    // An expired row that waits is in order.
    clean = clean && (problem.mended || problem.kind == "expired");
    table.add({problem.kind, problem.ref, scope_text(problem.scope), problem.detail,
               problem.mended ? "yes" : ""});
    problems.add(json::object({{"kind", problem.kind},
                               {"ref", problem.ref},
                               {"scope", to_json(problem.scope)},
                               {"detail", problem.detail},
                               {"mended", problem.mended}}));
  }
  if (arguments.as_json) {
    print_json(json::object({{"problems", problems.build()}}));
  } else {
    if (!found.empty()) print_text(table.to_text());
    print_text(fmt::format("{} found\n", found.size()));
  }
  return clean ? kExitClean : kExitFindings;
}

int artifacts_du(const ArtifactsArguments& arguments) {
  const auto store = open_existing_store(arguments);
  TextTable table({"artifacts", "bytes", "scope"});
  json::ArrayBuilder scopes;
  std::uint64_t count = 0, bytes = 0;
  for (const ScopeUsage& usage : inspection_of(*store).usage()) {
    count += usage.count;
    bytes += usage.bytes;
    table.add({std::to_string(usage.count), std::to_string(usage.bytes), scope_text(usage.scope)});
    scopes.add(json::object(
        {{"scope", to_json(usage.scope)}, {"artifacts", usage.count}, {"bytes", usage.bytes}}));
  }
  if (arguments.as_json) {
    print_json(json::object({{"scopes", scopes.build()}, {"artifacts", count}, {"bytes", bytes}}));
  } else {
    table.add({std::to_string(count), std::to_string(bytes), "in all"});
    print_text(table.to_text());
  }
  return kExitClean;
}

namespace {

// The place of the suite's stores, taken away however the run ends.
class ConformanceFolder {
 public:
  explicit ConformanceFolder(const ArtifactStoreUrl& url) {
    if (url.scheme == "memory") return;
    if (url.path.empty()) {
      throw Refusal("artifact-store-url", "--store", "name a place for the suite's stores");
    }
    path_ = url.path + ".conformance";
    std::error_code error;
    if (fs::exists(path_, error)) {
      throw Refusal("artifact-store-url", "--store",
                    fmt::format("{} is in the way: an earlier run left it; remove it", path_));
    }
    artifacts_internal::make_private_folders(path_);
  }
  ConformanceFolder(const ConformanceFolder&) = delete;
  ConformanceFolder& operator=(const ConformanceFolder&) = delete;
  ~ConformanceFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

int artifacts_conformance(const ArtifactsArguments& arguments) {
  const ConformanceFolder folder(parse_artifact_store_url(arguments.store));
  const ConformanceReport report =
      run_artifact_store_conformance(shipped_store_harness(arguments.store, folder.path()));
  if (arguments.as_json) {
    print_json(to_json(report));
  } else {
    print_text(format_artifact_store_report(report));
  }
  return report.ok() ? kExitClean : kExitFindings;
}

}  // namespace agentfootprint
