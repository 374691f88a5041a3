// Recordings of runs as artifacts.
#include "agentfootprint/artifacts/recording.hpp"

#include "agentfootprint/artifacts/internal/text.hpp"

namespace agentfootprint {

PutArtifactInput recording_put_input(std::string json_text,
                                     const std::optional<std::string>& run_id,
                                     const std::optional<std::string>& label) {
  if (artifacts_internal::is_blank(json_text)) throw UnserializableRecordingError("it is empty");
  PutArtifactInput input{std::string(kRecordingArtifactKind), std::string(kRecordingMediaType),
                         ArtifactPayload::text(std::move(json_text))};
  if (!input.payload->problem().empty()) {
    throw UnserializableRecordingError(input.payload->problem());
  }
  input.label = label ? *label : run_id ? "run " + *run_id : "run recording";
  input.origin.run_id = run_id;
  return input;
}

}  // namespace agentfootprint
