// The conformance harness of the stores this library ships.
#include "agentfootprint/artifacts/shipped_harness.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "agentfootprint/artifacts/internal/private_files.hpp"
#include "agentfootprint/artifacts/internal/sqlite.hpp"
#include "agentfootprint/artifacts/scope.hpp"

namespace agentfootprint {
namespace {

using artifacts_internal::Connection;
using artifacts_internal::Descriptor;

// The stores of one run of the suite: a number for each, and what they share.
struct Making {
  std::string scheme;    // "memory", "sqlite", "file"
  std::string settings;  // "" or "?…"
  std::string folder;
  ManualClock clock{1'000'000'000};
  int number = 0;

  [[nodiscard]] std::string path() const { return fmt::format("{}/store-{}", folder, number); }
  std::shared_ptr<ArtifactStore> make(std::optional<std::uint64_t> max_bytes) {
    ++number;
    ArtifactStoreOptions options;
    options.clock = &clock;
    options.retention.max_bytes_per_scope = max_bytes;
    if (scheme == "memory") return open_artifact_store("memory:", options);
    return open_artifact_store(fmt::format("{}:{}{}", scheme, path(), settings), options);
  }
};

void corrupt_sqlite(const std::string& file, const std::string& ref) {
  Connection connection(file, SQLITE_OPEN_READWRITE, 5'000);
  connection.prepared("UPDATE af_artifacts SET payload = zeroblob(length(payload)) WHERE ref = ?1")
      .bind_text(1, ref)
      .run();
}

void corrupt_file(const std::string& root, const ArtifactScope& scope, const std::string& ref) {
  const std::string path = root + "/" + scope_key_prefix(scope) + ref + ".bin";
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) artifacts_internal::throw_io("opening a payload to change it", errno);
  artifacts_internal::write_all(file.get(), "#");
}

}  // namespace

ConformanceHarness shipped_store_harness(std::string_view url, const std::string& folder) {
  auto making = std::make_shared<Making>();
  const ArtifactStoreUrl parts = parse_artifact_store_url(url);
  making->scheme = parts.scheme;
  making->folder = folder;
  if (!parts.settings.empty()) making->settings = "?" + parts.settings;
  ConformanceHarness harness;
  harness.name = making->scheme;
  harness.create_store = [making] { return making->make(std::nullopt); };
  harness.dispose_store = [](ArtifactStore& store) { store.close(); };
  harness.advance_time = [making](std::int64_t ms) { making->clock.advance_ms(ms); };
  harness.bounded_store = [making](std::uint64_t max_bytes) { return making->make(max_bytes); };
  if (making->scheme == "memory") {
    harness.declared["get-refuses-bytes-that-are-not-the-digests"] =
        "nothing outside the process can reach its bytes";
  } else {
    harness.corrupt = [making](ArtifactStore&, const ArtifactScope& scope, const std::string& ref) {
      if (making->scheme == "sqlite") {
        corrupt_sqlite(making->path(), ref);
      } else {
        corrupt_file(making->path(), scope, ref);
      }
    };
  }
  return harness;
}

}  // namespace agentfootprint
