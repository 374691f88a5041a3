// Which tickets a refusal can offer instead.
//
// What: a sentence that lists live tickets of a scope, of one kind or of any, for the refusals of
// `wants` and `present`. At most ten are named, from at most 200 rows.
//
// When to use: a model named a ticket that is not there. Not guaranteed: that a named ticket still
// lives when it is used.
//
// Example:
//   auto store = open_artifact_store("memory:", ArtifactStoreOptions());
//   std::string clause = live_refs_clause(*store, ArtifactScope("c"), "dataset/rows");
//   (void)clause;   // "no live artifact has kind dataset/rows: produce one first"
#pragma once

#include <optional>
#include <string>

#include "agentfootprint/artifacts/store.hpp"

namespace agentfootprint {

// Never throws: a store that fails gives a clause that says the list could not be read.
[[nodiscard]] std::string live_refs_clause(ArtifactStore& store, const ArtifactScope& scope,
                                           const std::optional<std::string>& kind);

}  // namespace agentfootprint
