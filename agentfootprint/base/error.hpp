// Errors and refusals.
//
// What: `Error` is the root of everything the library throws; it carries a stable code from
// `error_codes.hpp`. `Refusal` is thrown where a declaration or a configuration is written that
// cannot work; it carries every fault found, each with the code, the field as its author spelled
// it, and a sentence that names the consequence and the fix. Outcomes that are part of normal life
// (a stopped run, an absent ticket, a check that failed) are values, never exceptions.
//
// When to use: throw `Refusal` at the call site of a bad declaration, with all issues at once.
// Throw `Error` for what went wrong outside the caller's control (a file, a store, a peer).
//
// Not guaranteed: the wording of messages. Match on codes.
//
// Example:
//   try {
//     throw Refusal({{"blank-field", "title", "title is blank: give the result a title"}});
//   } catch (const Refusal& refusal) {
//     (void)refusal.code();    // "blank-field"
//     (void)refusal.field();   // "title"
//     (void)refusal.what();    // "refused: title is blank: give the result a title"
//   }
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace agentfootprint {

class Error : public std::runtime_error {
 public:
  // `code` is one of the stable codes of error_codes.hpp; `message` is for people.
  Error(std::string_view code, const std::string& message)
      : std::runtime_error(message), code_(code) {}

  [[nodiscard]] const std::string& code() const noexcept { return code_; }

 private:
  std::string code_;
};

// One fault of a declaration.
struct Issue {
  std::string code;
  std::string field;    // as the author spelled it, "" when it is about the whole
  std::string message;  // names the thing, what follows, and what to do

  friend bool operator==(const Issue&, const Issue&) = default;
};

class Refusal : public Error {
 public:
  // `issues` must not be empty; the first gives `code()` and `field()`.
  explicit Refusal(std::vector<Issue> issues);
  Refusal(std::string_view code, std::string_view field, std::string_view message);

  [[nodiscard]] const std::string& field() const noexcept { return issues_.front().field; }
  [[nodiscard]] const std::vector<Issue>& issues() const noexcept { return issues_; }

 private:
  std::vector<Issue> issues_;
};

}  // namespace agentfootprint
