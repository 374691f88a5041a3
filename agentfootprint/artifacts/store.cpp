// The optional members of the store port, answered slowly or refused.
#include "agentfootprint/artifacts/store.hpp"

#include <fmt/format.h>

#include "agentfootprint/artifacts/preview.hpp"

namespace agentfootprint {
namespace {

[[noreturn]] void unsupported(const ArtifactStore& store, std::string_view what) {
  throw ArtifactStoreError(
      "artifact-unsupported",
      fmt::format("the {} store has no {}: ask before calling it", store.name(), what));
}

}  // namespace

ArtifactPutResult ArtifactStore::put_stream(const ArtifactScope&, const ArtifactStreamPutInput&,
                                            ByteSource&) {
  unsupported(*this, "streamed put");
}

std::optional<ArtifactStreamRecord> ArtifactStore::get_stream(const ArtifactScope&,
                                                              const std::string&) {
  unsupported(*this, "streamed get");
}

std::vector<ArtifactPutResult> ArtifactStore::put_batch(const ArtifactScope&,
                                                        const std::vector<ArtifactBatchEntry>&) {
  unsupported(*this, "all-or-nothing batch");
}

std::optional<json::Value> ArtifactStore::preview(const ArtifactScope& scope,
                                                  const std::string& ref) {
  const auto record = get(scope, ref);
  if (!record) return std::nullopt;
  return preview_of(record->meta, record->payload);
}

std::optional<json::Value> ArtifactStore::row_index(const ArtifactScope&, const std::string&) {
  return std::nullopt;
}

std::optional<std::string> ArtifactStore::read_range(const ArtifactScope& scope,
                                                     const std::string& ref, std::uint64_t offset,
                                                     std::uint64_t size) {
  const auto record = get(scope, ref);
  if (!record) return std::nullopt;
  const std::string& bytes = record->payload.bytes();
  if (offset >= bytes.size()) return std::string();
  return bytes.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

std::vector<std::string> ArtifactStore::children(const ArtifactScope& scope,
                                                 const std::string& ref) {
  std::vector<std::string> out;
  ArtifactListOptions options;
  options.limit = kMaxArtifactListLimit;
  for (;;) {
    ArtifactListResult page = list(scope, options);
    for (const ArtifactMeta& meta : page.artifacts) {
      for (const std::string& parent : meta.parent_refs) {
        if (parent != ref) continue;
        out.push_back(meta.ref);
        break;
      }
    }
    if (!page.cursor || page.cursor == options.cursor) return out;
    options.cursor = page.cursor;
  }
}

}  // namespace agentfootprint
