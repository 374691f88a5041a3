// Opening a store by its URL.
#include <fmt/format.h>

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

// `?sync=full&busy_ms=5000` behind the name of the file.
SqliteStoreSettings sqlite_settings(std::string_view url, std::string_view query) {
  SqliteStoreSettings settings;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    long long busy = 0;
    if (pair == "sync=off") {
      settings.sync = SqliteStoreSettings::Sync::off;
    } else if (pair == "sync=normal") {
      settings.sync = SqliteStoreSettings::Sync::normal;
    } else if (pair == "sync=full") {
      settings.sync = SqliteStoreSettings::Sync::full;
    } else if (pair.starts_with("busy_ms=") &&
               artifacts_internal::parse_int64(pair.substr(8), busy) && busy >= 0) {
      settings.busy_ms = busy;
    } else {
      refuse(url, "has a setting that is not sync=off|normal|full or busy_ms=N");
    }
  }
  return settings;
}

}  // namespace

std::shared_ptr<ArtifactStore> open_artifact_store(std::string_view url,
                                                   const ArtifactStoreOptions& options) {
  if (url == "memory:" || url == "memory") return std::make_shared<MemoryArtifactStore>(options);
  if (url.starts_with("sqlite:")) {
    const std::string_view rest = url.substr(7);
    const std::size_t question = rest.rfind('?');
    const std::string_view query =
        question == std::string_view::npos ? std::string_view() : rest.substr(question + 1);
    return std::make_shared<SqliteArtifactStore>(std::string(rest.substr(0, question)), options,
                                                 sqlite_settings(url, query));
  }
  if (url.starts_with("file:")) {
    std::string_view rest = url.substr(5);
    FileStoreSettings settings;
    if (rest.ends_with("?sync=off")) {
      settings.sync = false;
      rest.remove_suffix(9);
    }
    return std::make_shared<FileArtifactStore>(std::string(rest), options, settings);
  }
  refuse(url, "is not known");
}

}  // namespace agentfootprint
