// Recordings of runs as artifacts.
//
// What: the input of a put that parks the recording of one completed run, as JSON text.
//
// When to use: after the answer is final, in the run's scope; a failure never changes the answer.
//
// Not guaranteed: that the recording contains its own minting: it is frozen before.
//
// Example:
//   PutArtifactInput input = recording_put_input("{\"events\":[]}", "run-1", std::nullopt);
//   (void)input.label;   // "run run-1"
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agentfootprint/artifacts/artifact.hpp"
#include "agentfootprint/artifacts/errors.hpp"

namespace agentfootprint {

inline constexpr std::string_view kRecordingArtifactKind = "recording/run";
inline constexpr std::string_view kRecordingMediaType = "application/json";

// Throws UnserializableRecordingError when the text is empty or not UTF-8.
[[nodiscard]] PutArtifactInput recording_put_input(std::string json_text,
                                                   const std::optional<std::string>& run_id,
                                                   const std::optional<std::string>& label);

}  // namespace agentfootprint
