// The verbs of the file store.
#include "agentfootprint/artifacts/file_store.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "agentfootprint/artifacts/internal/cursor.hpp"
#include "agentfootprint/artifacts/internal/file_core.hpp"
#include "agentfootprint/artifacts/internal/file_fsck.hpp"
#include "agentfootprint/artifacts/internal/stream_put.hpp"
#include "agentfootprint/artifacts/preview.hpp"
#include "agentfootprint/artifacts/scope.hpp"

namespace agentfootprint {

using artifacts_internal::Descriptor;
using artifacts_internal::FileCore;
using artifacts_internal::FileEnvelope;
using artifacts_internal::PreparedEntry;
using artifacts_internal::ScopeFolder;

namespace {

// The payload's file, if it is there and whole.
Descriptor open_payload(const ScopeFolder& folder, const ArtifactMeta& meta) {
  Descriptor file = folder.open_read(meta.ref + ".bin");
  if (!file.valid()) return file;
  struct stat status{};
  if (fstat(file.get(), &status) != 0) artifacts_internal::throw_io("looking at a payload", errno);
  if (static_cast<std::uint64_t>(status.st_size) != meta.bytes) {
    throw ArtifactIntegrityError(meta.ref, fmt::format("{} bytes", meta.bytes),
                                 fmt::format("{} bytes", status.st_size));
  }
  return file;
}

}  // namespace

struct FileArtifactStore::Impl {
  Impl(const std::string& directory, const ArtifactStoreOptions& options,
       const FileStoreSettings& settings)
      : core(directory, options, settings), inspection(core) {}

  struct Found {
    ScopeFolder folder;
    FileEnvelope envelope;
  };
  std::optional<Found> find(const ArtifactScope& scope, const std::string& ref,
                            std::string_view verb) {
    core.check_open(verb);
    auto folder = core.folder_of(scope);
    if (!folder) return std::nullopt;
    auto envelope = core.find(*folder, identity_namespace(scope), ref, core.now(), false);
    if (!envelope) return std::nullopt;
    return Found{std::move(*folder), std::move(*envelope)};
  }

  FileCore core;
  artifacts_internal::FileInspection inspection;
};

FileArtifactStore::FileArtifactStore(const std::string& directory,
                                     const ArtifactStoreOptions& options,
                                     const FileStoreSettings& settings)
    : impl_(std::make_unique<Impl>(directory, options, settings)) {}

FileArtifactStore::~FileArtifactStore() = default;

ArtifactPutResult FileArtifactStore::put(const ArtifactScope& scope,
                                         const PutArtifactInput& input) {
  return std::move(put_batch(scope, {ArtifactBatchEntry{input, {}}}).front());
}

std::vector<ArtifactPutResult> FileArtifactStore::put_batch(
    const ArtifactScope& scope, const std::vector<ArtifactBatchEntry>& entries) {
  FileCore& core = impl_->core;
  core.check_open("put");
  const std::int64_t now = core.now();
  auto prepared = artifacts_internal::prepare_batch(entries, now, core.options.previews);
  std::vector<FileCore::Incoming> incoming(prepared.size());
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    incoming[i].measured = std::move(prepared[i].measured);
  }
  return core.commit(scope, prepared, incoming, now);
}

std::optional<ArtifactMeta> FileArtifactStore::head(const ArtifactScope& scope,
                                                    const std::string& ref) {
  auto found = impl_->find(scope, ref, "head");
  // A ticket whose payload is lost is not there.
  if (!found || !found->folder.exists(ref + ".bin")) return std::nullopt;
  return std::move(found->envelope.meta);
}

std::optional<ArtifactRecord> FileArtifactStore::get(const ArtifactScope& scope,
                                                     const std::string& ref) {
  auto record = get_stream(scope, ref);
  if (!record) return std::nullopt;
  auto found = impl_->find(scope, ref, "get");
  if (!found) return std::nullopt;
  CollectedStream all = collect_stream(*record->body, record->meta.bytes);
  return ArtifactRecord{
      std::move(record->meta),
      ArtifactPayload::from_canonical(found->envelope.shape,
                                      std::make_shared<const std::string>(std::move(all.bytes)))};
}

void FileArtifactStore::remove(const ArtifactScope& scope, const std::string& ref) {
  try {
    if (!impl_->find(scope, ref, "remove")) return;
  } catch (const ArtifactIntegrityError&) {
    // A ticket whose record was changed can be removed all the same.
  }
  if (const auto folder = impl_->core.folder_of(scope)) impl_->core.remove(*folder, ref);
}

ArtifactListResult FileArtifactStore::list(const ArtifactScope& scope,
                                           const ArtifactListOptions& options) {
  FileCore& core = impl_->core;
  core.check_open("list");
  ArtifactListResult out;
  const auto from = artifacts_internal::decode_cursor(options.cursor);
  const std::size_t limit = artifacts_internal::list_limit(options);
  // One row more than the page: it says whether there is a next one.
  out.artifacts = core.newest(scope, identity_namespace(scope), core.now(), from, limit + 1);
  if (out.artifacts.size() > limit) {
    out.artifacts.pop_back();
    const ArtifactMeta& last = out.artifacts.back();
    out.cursor = artifacts_internal::encode_cursor({last.created_at, last.ref});
  }
  return out;
}

ArtifactPutResult FileArtifactStore::put_stream(const ArtifactScope& scope,
                                                const ArtifactStreamPutInput& input,
                                                ByteSource& body) {
  FileCore& core = impl_->core;
  core.check_open("put");
  const std::int64_t now = core.now();
  std::vector<PreparedEntry> entries;
  entries.push_back({PutPreparation(input, now), {}, {}});
  const PutPreparation& preparation = entries.front().preparation;
  preparation.check_parents(
      [&](const std::string& ref) { return impl_->find(scope, ref, "put").has_value(); });
  preparation.check_payload();
  artifacts_internal::check_sizes(entries, core.options.retention);

  const auto folder = ScopeFolder::open(core.root, scope, true, core.settings.sync);
  std::vector<FileCore::Incoming> incoming(1);
  incoming.front().staged_payload = core.temporary_name();
  const std::string& staged = incoming.front().staged_payload;
  try {
    const Descriptor file = folder->create(staged);
    artifacts_internal::StreamIntake intake(input, preparation, body, core.options.previews);
    for (std::string piece; intake.next(piece, std::size_t{1} << 20);) {
      artifacts_internal::write_all(file.get(), piece);
      artifacts_internal::step(core.options, "chunk written");
    }
    intake.finish();
    if (core.settings.sync) artifacts_internal::sync_file(file.get());
    incoming.front().digest = intake.digest();
    incoming.front().measured = intake.measured();
    // The file stays open, and so nobody's leftover, until the ticket is there.
    return std::move(core.commit(scope, entries, incoming, now).front());
  } catch (...) {
    folder->remove(staged);
    throw;
  }
}

std::optional<ArtifactStreamRecord> FileArtifactStore::get_stream(const ArtifactScope& scope,
                                                                  const std::string& ref) {
  auto found = impl_->find(scope, ref, "get");
  if (!found) return std::nullopt;
  Descriptor file = open_payload(found->folder, found->envelope.meta);
  if (!file.valid()) return std::nullopt;
  ArtifactStreamRecord record;
  record.meta = std::move(found->envelope.meta);
  record.body = std::make_unique<FileSource>(file.release());
  if (record.meta.digest) {
    record.body = std::make_unique<CheckedSource>(std::move(record.body), ref, *record.meta.digest);
  }
  return record;
}

std::optional<json::Value> FileArtifactStore::preview(const ArtifactScope& scope,
                                                      const std::string& ref) {
  const auto found = impl_->find(scope, ref, "preview");
  if (!found) return std::nullopt;
  return shown_preview(found->envelope.meta, found->envelope.measured);
}

std::optional<json::Value> FileArtifactStore::row_index(const ArtifactScope& scope,
                                                        const std::string& ref) {
  const auto found = impl_->find(scope, ref, "rows");
  if (!found || !found->envelope.measured) return std::nullopt;
  const json::Value* index = found->envelope.measured->find("rowIndex");
  return index == nullptr ? std::nullopt : std::optional<json::Value>(*index);
}

std::optional<std::string> FileArtifactStore::read_range(const ArtifactScope& scope,
                                                         const std::string& ref,
                                                         std::uint64_t offset, std::uint64_t size) {
  const auto found = impl_->find(scope, ref, "rows");
  if (!found) return std::nullopt;
  const ArtifactMeta& meta = found->envelope.meta;
  const Descriptor file = open_payload(found->folder, meta);
  if (!file.valid()) return std::nullopt;
  std::string out;
  if (offset >= meta.bytes) return out;
  out.resize(std::min(size, meta.bytes - offset));
  std::size_t filled = 0;
  while (filled < out.size()) {
    const ssize_t got = ::pread(file.get(), out.data() + filled, out.size() - filled,
                                static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) artifacts_internal::throw_io("reading a payload", errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  out.resize(filled);
  return out;
}

StoreInspection* FileArtifactStore::inspection() {
  return &impl_->inspection;
}

void FileArtifactStore::close() {
  impl_->core.closed = true;
}

}  // namespace agentfootprint
