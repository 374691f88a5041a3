// The documented list of stable error and refusal codes.
//
// What: one row a code: where it comes from and what it means. A test holds every code that the sources
// spell against this list; docs/errors.md is written from it. Codes are kebab-case, except those that a
// wire format or the upstream system already fixes.
//
// When to use: add a row in the same change that first uses a code. Never reuse or rename one.
//
// Not guaranteed: that every code can be reached from every command.
//
// Example:
//   for (const ErrorCode& row : kErrorCodes) { (void)row.code; (void)row.meaning; }
#pragma once

#include <string_view>

namespace agentfootprint {

struct ErrorCode {
  std::string_view code;
  std::string_view area;  // the folder it belongs to
  std::string_view meaning;
};

inline constexpr ErrorCode kErrorCodes[] = {
    // base
    {"random-source", "base", "the operating system gave no random bytes"},
    {"hash-unavailable", "base", "OpenSSL offers no SHA-256"},
    {"cancelled", "base", "the work was cancelled; the message is the reason given"},
    {"deadline", "base", "the work had not ended when its deadline passed"},
    {"task-stuck", "base", "a task waits for something that neither runs nor sleeps on its loop"},
    // json
    {"json-syntax", "json", "the text is not JSON at the named line, column and byte"},
    {"json-cut", "json", "the text ends inside a JSON value"},
    {"json-depth", "json", "the value nests deeper than the stated limit"},
    {"json-size", "json", "the text is larger than the stated limit"},
    {"json-type", "json", "a value has another type than the one asked for, at the named path"},
    {"json-missing", "json", "a member that is needed is not there, at the named path"},
    {"json-number", "json", "a text is not a JSON number, or does not fit the type asked for"},
    // cli
    {"eval-input", "cli", "a line given to `eval` lacks a required member or has one of a wrong type"},
    {"eval-failed", "cli", "an eval function failed for another reason than its input's shape"},
};

}  // namespace agentfootprint
