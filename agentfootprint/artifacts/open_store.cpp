// Opening a store by its URL.
#include <fmt/format.h>

#include "agentfootprint/artifacts/memory_store.hpp"
#include "agentfootprint/artifacts/store.hpp"
#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint {

std::shared_ptr<ArtifactStore> open_artifact_store(std::string_view url,
                                                   const ArtifactStoreOptions& options) {
  if (url == "memory:" || url == "memory") return std::make_shared<MemoryArtifactStore>(options);
  throw Refusal("artifact-store-url", "store",
                fmt::format("store \"{}\" is not known: use memory:, sqlite:FILE or file:DIR",
                            utf8::printable(url)));
}

}  // namespace agentfootprint
