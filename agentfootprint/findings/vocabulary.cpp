// Names of the vocabularies, clipping and folding of lines.
#include "agentfootprint/findings/vocabulary.hpp"

#include <fmt/format.h>

#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint::findings {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}
bool is_break(char c) {
  return c == '\n' || c == '\r';
}

}  // namespace

std::string_view name_of(Standing standing) noexcept {
  switch (standing) {
    case Standing::fact:
      return "fact";
    case Standing::open:
      return "open";
    case Standing::noise:
      return "noise";
    case Standing::ruled_out:
      return "ruled-out";
  }
  return "";
}

std::string_view name_of(Basis basis) noexcept {
  return basis == Basis::direct ? "direct" : "exploratory";
}

std::string_view name_of(Expectation expectation) noexcept {
  switch (expectation) {
    case Expectation::low:
      return "low";
    case Expectation::medium:
      return "medium";
    case Expectation::high:
      return "high";
  }
  return "";
}

std::optional<Standing> parse_standing(std::string_view name) noexcept {
  for (const Standing standing : kStandings) {
    if (name == name_of(standing)) return standing;
  }
  return std::nullopt;
}

std::optional<Basis> parse_basis(std::string_view name) noexcept {
  if (name == "direct") return Basis::direct;
  if (name == "exploratory") return Basis::exploratory;
  return std::nullopt;
}

std::optional<Expectation> parse_expectation(std::string_view name) noexcept {
  if (name == "low") return Expectation::low;
  if (name == "medium") return Expectation::medium;
  if (name == "high") return Expectation::high;
  return std::nullopt;
}

std::string clip(std::string_view text, std::size_t max_chars) {
  const std::string_view head = utf8::clip(text, max_chars);
  if (head.size() == text.size()) return std::string(text);
  const std::size_t cut = utf8::count(text.substr(head.size()));
  return fmt::format("{} …[clipped {} chars]", head, cut);
}

std::string fold_lines(std::string_view text) {
  std::string folded;
  folded.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_break(text[at]) && !is_blank(text[at])) {
      folded += text[at++];
      continue;
    }
    std::size_t end = at;
    bool broken = false;
    while (end < text.size() && (is_break(text[end]) || is_blank(text[end]))) {
      broken = broken || is_break(text[end]);
      ++end;
    }
    if (broken) {
      folded += ' ';
    } else {
      folded += text.substr(at, end - at);
    }
    at = end;
  }
  return folded;
}

}  // namespace agentfootprint::findings
