// The conformance harness of the stores this library ships.
//
// What: a harness for a store URL whose stores are made fresh below a folder, with a clock that
// moves when told, payloads corrupted behind the store's back, and bounded stores.
//
// When to use: `agentfootprint artifacts conformance`, tests. A foreign store writes its own
// harness.
//
// Not guaranteed: that the folder is empty afterwards; it belongs to the caller.
//
// Example:
//   ConformanceHarness harness = shipped_store_harness("memory:", "unused");
//   ConformanceReport report = run_artifact_store_conformance(harness);
//   (void)report.ok();
#pragma once

#include <string>
#include <string_view>

#include "agentfootprint/artifacts/conformance.hpp"

namespace agentfootprint {

// `url`: `memory:`, `sqlite:…?settings` or `file:…?settings`; the name in it is replaced by fresh
// ones below `folder`. Throws Refusal "artifact-store-url".
[[nodiscard]] ConformanceHarness shipped_store_harness(std::string_view url,
                                                       const std::string& folder);

}  // namespace agentfootprint
