// The words of a block that derivations understand: counts, moves in time, falls, and texts that
// may be the key of a group or the name of a record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/evidence/internal/trial.hpp"

namespace agentfootprint::evidence::internal {

struct BlockWords {
  std::vector<std::pair<std::int64_t, std::string>> counts;  // two to twelve, with the word
  std::vector<Shift> shifts;                                 // `next day`, `two weeks later`
  bool falls = false;                                        // fell, loss, below, …
  // Hashes of runs of one to six words, sorted, each once (see text_hash).
  std::vector<std::uint64_t> phrases;
};

[[nodiscard]] BlockWords read_words(std::string_view block);

}  // namespace agentfootprint::evidence::internal
