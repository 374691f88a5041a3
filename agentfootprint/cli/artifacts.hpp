// The command `artifacts`: looking into a store of artifacts and keeping it.
//
// What: `ls head get rm rows query lineage` work on the tickets of one scope, `verify fsck du
// conformance` on a store. Each prints a table for people or, with `--json`, one JSON document.
//
// When to use: the program. Not guaranteed: the layout of the tables.
//
// Exit codes: 0 done, 1 a ticket that is not there or a fault found, 2 usage or a store that cannot
// be read.
//
// Example:
//   ArtifactScope scope = scope_argument("acme/alice/conv-a");
//   (void)scope.tenant;   // acme
#pragma once

#include <string>

#include "agentfootprint/artifacts/artifact.hpp"
#include "agentfootprint/cli/command.hpp"

namespace agentfootprint {

void add_artifacts_command(CommandLine& program);

// `tenant/principal/conversation`, or a conversation alone. `_` is a field that is not given;
// `%2F`, `%25` and `%5F` are a slash, a percent sign and a field that is `_`. Throws Refusal
// "artifact-scope".
[[nodiscard]] ArtifactScope scope_argument(const std::string& text);

}  // namespace agentfootprint
