// The errors of artifact stores, each with its stable code.
//
// What: refusals of a put (`InvalidArtifactError`, `UnknownParentRefError`), damage
// (`ArtifactIntegrityError`, `UnreadableArtifactFileError`, `UnreadableArtifactStoreError`) and
// failures of the machine below (`ArtifactStoreError`: busy, closed, input or output failed).
// Absence is none of these: a missing, expired, malformed or foreign ticket is an empty answer.
//
// When to use: catch by class inside one program; match on `code()` when the store may be foreign.
//
// Not guaranteed: messages. None of them quotes a payload, a tenant or a principal.
//
// Example:
//   try {
//     throw UnknownParentRefError({"art_AAAAAAAAAAAAAAAAAAAAAA"});
//   } catch (const UnknownParentRefError& error) {
//     (void)error.code();         // ERR_UNKNOWN_PARENT_REF
//     (void)error.unresolved();   // the refs that name nothing
//   }
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/base/error.hpp"

namespace agentfootprint {

// A put that cannot be: a blank kind, a payload that is no payload, more bytes than the budget.
class InvalidArtifactError : public Refusal {
 public:
  InvalidArtifactError(std::string_view field, std::string_view message)
      : Refusal("ERR_INVALID_ARTIFACT", field, message) {}
};

class UnknownParentRefError : public Refusal {
 public:
  explicit UnknownParentRefError(std::vector<std::string> unresolved);
  [[nodiscard]] const std::vector<std::string>& unresolved() const noexcept { return unresolved_; }

 private:
  std::vector<std::string> unresolved_;
};

// The bytes are not those the ticket's digest names, and `head` still answers; or the ticket's own
// record is not what the put wrote, and no verb but `remove` answers.
class ArtifactIntegrityError : public Error {
 public:
  ArtifactIntegrityError(std::string ref, std::string expected, std::string actual);
  // The record was changed.
  explicit ArtifactIntegrityError(std::string ref);
  [[nodiscard]] const std::string& ref() const noexcept { return ref_; }
  [[nodiscard]] const std::string& expected() const noexcept { return expected_; }
  [[nodiscard]] const std::string& actual() const noexcept { return actual_; }

 private:
  std::string ref_, expected_, actual_;
};

class UnreadableArtifactFileError : public Error {
 public:
  // `file` is a name without its folders: they spell the scope.
  UnreadableArtifactFileError(std::string file, const std::string& why);
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

 private:
  std::string file_;
};

class UnreadableArtifactStoreError : public Error {
 public:
  // `problem`: cannot-open, not-our-schema, newer-schema.
  UnreadableArtifactStoreError(std::string file, std::string problem, const std::string& why);
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

 private:
  std::string file_, problem_;
};

// The machine below failed: artifact-store-busy, artifact-store-closed, artifact-store-io,
// artifact-unsupported.
class ArtifactStoreError : public Error {
 public:
  using Error::Error;
};

class UnserializableRecordingError : public Error {
 public:
  explicit UnserializableRecordingError(const std::string& why)
      : Error("ERR_UNSERIALIZABLE_RECORDING", "the recording cannot be written as JSON: " + why) {}
};

}  // namespace agentfootprint
