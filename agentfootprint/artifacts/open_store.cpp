// Opening a store by its URL.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "agentfootprint/artifacts/file_store.hpp"
#include "agentfootprint/artifacts/internal/text.hpp"
#include "agentfootprint/artifacts/memory_store.hpp"
#include "agentfootprint/artifacts/sqlite_store.hpp"
#include "agentfootprint/artifacts/store.hpp"
#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint {
namespace {

[[noreturn]] void refuse(std::string_view url, std::string_view why) {
  throw Refusal("artifact-store-url", "store",
                fmt::format("store \"{}\" {}: use memory:, sqlite:FILE or file:DIR",
                            utf8::printable(url), why));
}

// What stands behind the last `?` of a URL: `sync=full&busy_ms=5000`.
struct Settings {
  std::string name;  // before it
  std::optional<std::string_view> sync;
  std::optional<std::int64_t> busy_ms;
};

Settings read_settings(std::string_view url, std::string_view rest,
                       std::initializer_list<std::string_view> syncs) {
  Settings out;
  const std::size_t question = rest.rfind('?');
  out.name = rest.substr(0, question);
  if (question == std::string_view::npos) return out;
  std::string_view query = rest.substr(question + 1);
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    long long busy = 0;
    if (pair.starts_with("sync=") &&
        std::find(syncs.begin(), syncs.end(), pair.substr(5)) != syncs.end()) {
      out.sync = pair.substr(5);
    } else if (pair.starts_with("busy_ms=") &&
               artifacts_internal::parse_int64(pair.substr(8), busy) && busy >= 0) {
      out.busy_ms = busy;
    } else {
      refuse(url,
             fmt::format("has a setting that is not sync={} or busy_ms=N", fmt::join(syncs, "|")));
    }
  }
  return out;
}

std::shared_ptr<ArtifactStore> open_sqlite(std::string_view url, std::string_view rest,
                                           const ArtifactStoreOptions& options) {
  using Sync = SqliteStoreSettings::Sync;
  const Settings read = read_settings(url, rest, {"off", "normal", "full"});
  SqliteStoreSettings settings;
  if (read.sync) {
    settings.sync = read.sync == "off"    ? Sync::off
                    : read.sync == "full" ? Sync::full
                                          : Sync::normal;
  }
  settings.busy_ms = read.busy_ms.value_or(settings.busy_ms);
  return std::make_shared<SqliteArtifactStore>(read.name, options, settings);
}

std::shared_ptr<ArtifactStore> open_file(std::string_view url, std::string_view rest,
                                         const ArtifactStoreOptions& options) {
  const Settings read = read_settings(url, rest, {"off", "full"});
  FileStoreSettings settings;
  settings.sync = read.sync != "off";
  settings.busy_ms = read.busy_ms.value_or(settings.busy_ms);
  return std::make_shared<FileArtifactStore>(read.name, options, settings);
}

}  // namespace

std::shared_ptr<ArtifactStore> open_artifact_store(std::string_view url,
                                                   const ArtifactStoreOptions& options) {
  if (url == "memory:" || url == "memory") return std::make_shared<MemoryArtifactStore>(options);
  if (url.starts_with("sqlite:")) return open_sqlite(url, url.substr(7), options);
  if (url.starts_with("file:")) return open_file(url, url.substr(5), options);
  refuse(url, "is not known");
}

}  // namespace agentfootprint
