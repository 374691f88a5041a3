// Messages of the store errors.
#include "agentfootprint/artifacts/errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint {
namespace {

std::vector<std::string> shown(const std::vector<std::string>& refs) {
  std::vector<std::string> out;
  for (const std::string& ref : refs) out.push_back(utf8::printable(utf8::clip(ref, 64)));
  return out;
}

std::string unknown_parents(const std::vector<std::string>& refs) {
  return fmt::format(
      "put: parentRefs names {}, which is not live in this scope: a parent must exist unexpired "
      "in the same scope; store the parent first or drop it",
      fmt::join(shown(refs), ", "));
}

}  // namespace

UnknownParentRefError::UnknownParentRefError(std::vector<std::string> unresolved)
    : Refusal("ERR_UNKNOWN_PARENT_REF", "parentRefs", unknown_parents(unresolved)),
      unresolved_(std::move(unresolved)) {}

ArtifactIntegrityError::ArtifactIntegrityError(std::string ref, std::string expected,
                                               std::string actual)
    : Error("ERR_ARTIFACT_INTEGRITY",
            fmt::format("{}: what is stored has {} and its ticket says {}: the bytes changed after "
                        "the put; head still answers, create the artifact again",
                        ref, actual, expected)),
      ref_(std::move(ref)),
      expected_(std::move(expected)),
      actual_(std::move(actual)) {}

ArtifactIntegrityError::ArtifactIntegrityError(std::string ref)
    : Error("ERR_ARTIFACT_INTEGRITY",
            fmt::format("{}: its record was changed after the put, so nothing in it can be relied "
                        "on; create the artifact again",
                        ref)),
      ref_(std::move(ref)),
      expected_("its record's digest"),
      actual_("a record that was changed") {}

UnreadableArtifactFileError::UnreadableArtifactFileError(std::string file, const std::string& why)
    : Error("ERR_UNREADABLE_ARTIFACT_FILE",
            fmt::format("{} cannot be read as an artifact: {}; it was put aside and the rest of "
                        "its scope is unharmed",
                        file, why)),
      file_(std::move(file)) {}

UnreadableArtifactStoreError::UnreadableArtifactStoreError(std::string file, std::string problem,
                                                           const std::string& why)
    : Error("ERR_UNREADABLE_ARTIFACT_STORE", fmt::format("{}: {} ({})", file, why, problem)),
      file_(std::move(file)),
      problem_(std::move(problem)) {}

}  // namespace agentfootprint
