// The subcommands of `artifacts` that look after a store.
#include <fmt/format.h>

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

int artifacts_verify(const ArtifactsArguments& arguments) {
  const auto store = open_existing_store(arguments);
  const auto progress = progress_line("verify");
  TextTable table({"status", "ref", "scope", "detail"});
  json::ArrayBuilder results;
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t done = 0;
  for (const ArtifactScope& scope : scopes_of(*store, arguments)) {
    const auto refs = arguments.refs.empty() ? refs_of(*store, scope) : arguments.refs;
    for (const std::string& ref : refs) {
      const Verified one = verify_one(*store, scope, ref);
      ++counts[one.status];
      progress(++done);
      if (one.status == "ok" || one.status == "no-digest") continue;
      table.add({one.status, one.ref, scope_text(scope), one.detail});
      results.add(json::object({{"ref", one.ref},
                                {"scope", to_json(scope)},
                                {"status", one.status},
                                {"detail", one.detail}}));
    }
  }
  const bool clean = results.empty();
  if (arguments.as_json) {
    print_json(json::object({{"checked", done},
                             {"ok", counts["ok"]},
                             {"noDigest", counts["no-digest"]},
                             {"faults", results.build()}}));
  } else {
    if (!clean) print_text(table.to_text());
    print_text(fmt::format("{} checked, {} with the right digest, {} without a digest, {} faults\n",
                           done, counts["ok"], counts["no-digest"],
                           counts["mismatch"] + counts["missing"]));
  }
  return clean ? kExitClean : kExitFindings;
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

int artifacts_conformance(const ArtifactsArguments& arguments) {
  const std::string& url = arguments.store;
  std::string folder = url.substr(std::min(url.find(':') + 1, url.size()));
  folder = folder.substr(0, folder.find('?')) + ".conformance";
  const bool on_disk = !url.starts_with("memory");
  if (on_disk) {
    if (fs::exists(folder)) {
      throw Refusal("artifact-store-url", "--store",
                    fmt::format("{} is in the way: an earlier run left it; remove it", folder));
    }
    artifacts_internal::make_private_folders(folder);
  }
  const ConformanceReport report =
      run_artifact_store_conformance(shipped_store_harness(url, folder));
  if (on_disk) fs::remove_all(folder);
  if (arguments.as_json) {
    print_json(to_json(report));
  } else {
    print_text(format_artifact_store_report(report));
  }
  return report.ok() ? kExitClean : kExitFindings;
}

}  // namespace agentfootprint
