// Opening a store by its URL.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <optional>

#include "agentfootprint/artifacts/file_store.hpp"
#include "agentfootprint/artifacts/internal/text.hpp"
#include "agentfootprint/artifacts/memory_store.hpp"
#include "agentfootprint/artifacts/sqlite_store.hpp"
#include "agentfootprint/artifacts/store.hpp"
#include "agentfootprint/artifacts/ticket.hpp"
#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(std::string_view url, std::string_view why) {
  throw Refusal("artifact-store-url", "store",
                fmt::format("store \"{}\" {}: use memory:, sqlite:FILE or file:DIR",
                            utf8::printable(url), why));
}

// `sync=full&busy_ms=5000`.
struct Settings {
  std::optional<std::string_view> sync;
  std::optional<std::int64_t> busy_ms;
};

Settings read_settings(std::string_view url, std::string_view rest,
                       std::initializer_list<std::string_view> syncs) {
  Settings out;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
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

std::shared_ptr<ArtifactStore> open_sqlite(std::string_view text, const ArtifactStoreUrl& url,
                                           const ArtifactStoreOptions& options, bool create) {
  using Sync = SqliteStoreSettings::Sync;
  const Settings read = read_settings(text, url.settings, {"off", "normal", "full"});
  SqliteStoreSettings settings;
  if (read.sync) {
    settings.sync = read.sync == "off"    ? Sync::off
                    : read.sync == "full" ? Sync::full
                                          : Sync::normal;
  }
  settings.busy_ms = read.busy_ms.value_or(settings.busy_ms);
  settings.create = create;
  return std::make_shared<SqliteArtifactStore>(url.path, options, settings);
}

// A folder of a scope: a writer's lock, or a ticket, lies in it.
bool is_scope_folder(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name == ".lock") return true;
    if (name.ends_with(".json") && is_artifact_ref(name.substr(0, name.size() - 5))) return true;
  }
  return false;
}

// Is there a folder of a scope `depth` levels below?
bool holds_scope(const fs::path& folder, int depth) {
  if (depth == 0) return is_scope_folder(folder);
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown;
    const bool real = !entry->is_symlink(unknown) && entry->is_directory(unknown);
    if (real && holds_scope(entry->path(), depth - 1)) return true;
  }
  return false;
}

// What looks after a store removes leftovers: a folder of something else must not be taken for one.
void check_holds_file_store(const std::string& folder) {
  std::error_code error;
  const bool empty = fs::is_empty(folder, error);
  const std::string shown = utf8::printable(utf8::clip(folder, 200));
  if (error) throw UnreadableArtifactStoreError(shown, "cannot-open", error.message());
  if (empty || holds_scope(folder, 3)) return;
  throw UnreadableArtifactStoreError(shown, "not-our-schema",
                                     "the folder holds no artifacts: name another folder");
}

std::shared_ptr<ArtifactStore> open_file(std::string_view text, const ArtifactStoreUrl& url,
                                         const ArtifactStoreOptions& options, bool create) {
  const Settings read = read_settings(text, url.settings, {"off", "full"});
  if (!create && !url.path.empty()) check_holds_file_store(url.path);
  FileStoreSettings settings;
  settings.sync = read.sync != "off";
  settings.busy_ms = read.busy_ms.value_or(settings.busy_ms);
  return std::make_shared<FileArtifactStore>(url.path, options, settings);
}

std::shared_ptr<ArtifactStore> open_store(std::string_view text,
                                          const ArtifactStoreOptions& options, bool create) {
  const ArtifactStoreUrl url = parse_artifact_store_url(text);
  if (url.scheme == "memory") return std::make_shared<MemoryArtifactStore>(options);
  std::error_code error;
  const fs::file_type found = fs::status(url.path, error).type();
  const bool there = found != fs::file_type::not_found && found != fs::file_type::none;
  if (!create && !there && !url.path.empty()) {
    throw Refusal("artifact-store-url", "store",
                  fmt::format("{} does not exist or cannot be reached: there is no store to look "
                              "into",
                              utf8::printable(utf8::clip(url.path, 200))));
  }
  if (url.scheme == "sqlite") return open_sqlite(text, url, options, create);
  if (there && found != fs::file_type::directory) {
    refuse(text, "names a file, and this store is a folder");
  }
  return open_file(text, url, options, create);
}

}  // namespace

ArtifactStoreUrl parse_artifact_store_url(std::string_view url) {
  ArtifactStoreUrl parts;
  if (url == "memory:" || url == "memory") {
    parts.scheme = "memory";
    return parts;
  }
  const std::size_t colon = url.find(':');
  parts.scheme = std::string(url.substr(0, colon));
  if (colon == std::string_view::npos || (parts.scheme != "sqlite" && parts.scheme != "file")) {
    refuse(url, "is not known");
  }
  const std::string_view rest = url.substr(colon + 1);
  const std::size_t question = rest.rfind('?');
  parts.path = std::string(rest.substr(0, question));
  if (question != std::string_view::npos) parts.settings = std::string(rest.substr(question + 1));
  return parts;
}

std::shared_ptr<ArtifactStore> open_artifact_store(std::string_view url,
                                                   const ArtifactStoreOptions& options) {
  return open_store(url, options, true);
}

std::shared_ptr<ArtifactStore> open_existing_artifact_store(std::string_view url,
                                                            const ArtifactStoreOptions& options) {
  return open_store(url, options, false);
}

}  // namespace agentfootprint
