// The cases of the conformance suite, by what they are about.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "agentfootprint/artifacts/conformance.hpp"

namespace agentfootprint::artifacts_internal {

[[nodiscard]] std::vector<ConformanceCase> ticket_cases();
[[nodiscard]] std::vector<ConformanceCase> scope_cases();
[[nodiscard]] std::vector<ConformanceCase> put_cases();
[[nodiscard]] std::vector<ConformanceCase> stream_cases();

inline void expect(bool holds, std::string_view what) {
  if (!holds) throw std::runtime_error(std::string(what));
}

inline PutArtifactInput text_input(std::string_view text, std::string_view kind = "note") {
  return {std::string(kind), "text/plain", ArtifactPayload::text(std::string(text))};
}

inline std::string put_text(ArtifactStore& store, const ArtifactScope& scope,
                            std::string_view text) {
  return store.put(scope, text_input(text)).meta.ref;
}

// Runs `work` and gives the code of the Error it throws; fails when it throws none.
template <class Work>
std::string code_of_refusal(std::string_view what, Work&& work, std::string* message = nullptr) {
  try {
    work();
  } catch (const Error& error) {
    if (message != nullptr) *message = error.what();
    return error.code();
  }
  throw std::runtime_error(fmt::format("{} was not refused", what));
}

inline std::vector<ArtifactMeta> list_all(ArtifactStore& store, const ArtifactScope& scope) {
  ArtifactListOptions options;
  options.limit = 1'000;
  return store.list(scope, options).artifacts;
}

// A stored artifact reads back as exactly this payload.
inline void expect_payload(ArtifactStore& store, const ArtifactScope& scope, const std::string& ref,
                           const ArtifactPayload& payload, std::string_view what) {
  const auto record = store.get(scope, ref);
  expect(record.has_value(), fmt::format("{}: get finds nothing", what));
  expect(record->payload.shape() == payload.shape(), fmt::format("{}: another shape", what));
  expect(record->payload.bytes() == payload.bytes(), fmt::format("{}: other bytes", what));
}

}  // namespace agentfootprint::artifacts_internal
