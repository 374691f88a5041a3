// Scope to address: two injective encodings of (tenant, principal, conversation).
//
// What: `identity_namespace` is one string for map keys and table columns; `scope_segments` are
// three names for folders and object keys, which also keep apart what a file system that folds case
// would merge. A field that is not given is `_`. Slashes, dots and control characters are data,
// never structure.
//
// When to use: inside stores. Nothing else should build an address from a scope.
//
// Not guaranteed: that `scope_segment` can be decoded: a segment above 200 bytes ends in a hash of
// the field. Different fields still give different segments.
//
// Example:
//   // acme%2Fhr/alice/c
//   std::string key = identity_namespace(ArtifactScope("acme/hr", "alice", "c"));
//   std::string name = scope_segment("..");                                         // %2E%2E
//   std::string upper = scope_segment("Acme");                                      // ~acme
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "agentfootprint/artifacts/artifact.hpp"

namespace agentfootprint {

[[nodiscard]] std::string identity_namespace(const ArtifactScope& scope);
// What `identity_namespace` was made from.
[[nodiscard]] ArtifactScope scope_of_namespace(std::string_view identity);

[[nodiscard]] std::string scope_segment(std::string_view field);
[[nodiscard]] std::array<std::string, 3> scope_segments(const ArtifactScope& scope);
// `[root/]tenant/principal/conversation/`; the last slash keeps scope `c` from listing `c2`.
[[nodiscard]] std::string scope_key_prefix(const ArtifactScope& scope, std::string_view root = {});
// A key root without slashes at its ends. Throws Refusal "artifact-key-root" for one that is blank,
// only slashes, or has a `..` component; `store` names the adapter in the message.
[[nodiscard]] std::string normalize_key_root(std::string_view store, std::string_view root);

}  // namespace agentfootprint
