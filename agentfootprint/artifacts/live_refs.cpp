// Which tickets a refusal can offer instead.
#include "agentfootprint/artifacts/live_refs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint {
namespace {

constexpr std::size_t kShown = 10;
constexpr std::size_t kScanned = 200;
constexpr int kPages = 50;

std::string shown(const ArtifactMeta& meta, bool with_kind) {
  std::string out = meta.ref + " [";
  if (with_kind) out += utf8::printable(utf8::clip(meta.kind, 64)) + ", ";
  out += fmt::format("{} bytes", meta.bytes);
  if (meta.label) out += fmt::format(", '{}'", utf8::printable(utf8::clip(*meta.label, 80)));
  return out + "]";
}

std::vector<std::string> live_refs(ArtifactStore& store, const ArtifactScope& scope,
                                   const std::optional<std::string>& kind) {
  std::vector<std::string> out;
  std::size_t scanned = 0;
  ArtifactListOptions options;
  for (int page = 0; page < kPages && scanned < kScanned; ++page) {
    const ArtifactListResult result = store.list(scope, options);
    for (const ArtifactMeta& meta : result.artifacts) {
      if (++scanned > kScanned || out.size() == kShown) return out;
      if (!kind || meta.kind == *kind) out.push_back(shown(meta, !kind));
    }
    if (!result.cursor || result.cursor == options.cursor) break;
    options.cursor = result.cursor;
  }
  return out;
}

}  // namespace

std::string live_refs_clause(ArtifactStore& store, const ArtifactScope& scope,
                             const std::optional<std::string>& kind) {
  try {
    const auto refs = live_refs(store, scope, kind);
    if (!refs.empty()) return fmt::format("live now: {}", fmt::join(refs, "; "));
  } catch (const std::exception&) {
    return "the live artifacts could not be listed";
  }
  if (!kind) return "no artifact is live here: produce one first";
  return fmt::format("no live artifact has kind {}: produce one first",
                     utf8::printable(utf8::clip(*kind, 64)));
}

}  // namespace agentfootprint
