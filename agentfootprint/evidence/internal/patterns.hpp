// Shapes and exemptions over an answer. Not for direct use.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/evidence/judge.hpp"

namespace agentfootprint::evidence::internal {

// A pattern matched between token boundaries, in the written and in the folded text.
class TokenPattern {
 public:
  // Refused with `code` and `field` when RE2 cannot compile it.
  TokenPattern(const std::string& pattern, std::string_view code, const std::string& field);
  // The longest match from each boundary on, left to right, not overlapping.
  [[nodiscard]] std::vector<Span> matches(std::string_view text) const;

 private:
  std::unique_ptr<re2::RE2> whole_;
  std::unique_ptr<re2::RE2> anywhere_;  // without its anchors: a quick test of the text
};

// Occurrences of a text in another, both folded, between token boundaries.
[[nodiscard]] std::vector<Span> folded_occurrences(std::string_view text, std::string_view wanted);

}  // namespace agentfootprint::evidence::internal
