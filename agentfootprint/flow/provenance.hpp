// Provenance of one key: where each element of an array came from, and the key's history.
//
// What: `element_births` says for every element of an array which row brought it, and how that is
// known: *append* (the step appended it), *prefix* (the step wrote a whole array whose beginning
// was the one before) or *whole* (the step wrote the whole array anew). `key_timeline` lists every
// read and write of a key in order; a read stands before a write of the same row.
//
// When to use: when a slice names the array and the question is about one element of it.
//
// Not guaranteed: births through a value copied under another key; follow the slice of that write.
//
// Example (file scope):
//   inline std::size_t births(const agentfootprint::flow::Log& log) {
//     const agentfootprint::flow::Path history("history");
//     return agentfootprint::flow::element_births(log, history).births.size();
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/flow/log.hpp"

namespace agentfootprint::flow {

enum class BirthBasis : std::uint8_t { append, prefix, whole };
[[nodiscard]] std::string_view name_of(BirthBasis basis) noexcept;

struct ElementBirth {
  std::size_t index = 0;
  std::optional<std::size_t> row;  // empty: there before the first row
  BirthBasis basis = BirthBasis::whole;
  json::Value value;  // a placeholder when the key is redacted
};

struct ArrayProvenance {
  std::vector<ElementBirth> births;
  // Why there are none: "empty-log", "never-written", "not-an-array".
  std::optional<std::string> missing;
};

// As the run's own state stood behind row `at` (none: at the end).
[[nodiscard]] ArrayProvenance element_births(const Log& log, const Path& path,
                                             std::optional<std::size_t> at = std::nullopt);

struct Moment {
  std::size_t row = 0;
  bool write = false;
  Verb verb = Verb::set;  // of a write
  std::optional<std::size_t>
      writer;       // of a read: the row it saw; empty: none, or before the first row
  std::string key;  // the path itself, or one above or below it
};

// Every read and write of the path, of one above it and of those below it, in the run's own state
// and in those of mounts.
[[nodiscard]] std::vector<Moment> key_timeline(const Log& log, const Path& path);

}  // namespace agentfootprint::flow
