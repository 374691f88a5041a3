// Matching declared patterns and texts between token boundaries.
#include "agentfootprint/evidence/internal/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/fold.hpp"
#include "agentfootprint/evidence/internal/lexeme.hpp"

namespace agentfootprint::evidence::internal {
namespace {

constexpr std::size_t kMaxMatch = 256;  // bytes
constexpr std::size_t kMaxEnds = 24;    // boundaries tried behind one start

re2::RE2::Options quiet() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return options;
}

bool is_blank(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

}  // namespace

TokenPattern::TokenPattern(const std::string& pattern, std::string_view code,
                           const std::string& field) {
  whole_ = std::make_unique<re2::RE2>(pattern, quiet());
  if (!whole_->ok()) {
    throw Refusal(
        code, field,
        fmt::format(
            "{} is no RE2 pattern ({}): nothing could be matched; write it without look-around "
            "and back-references",
            field, whole_->error()));
  }
  std::string bare = pattern;
  if (bare.starts_with('^')) bare.erase(0, 1);
  if (bare.ends_with('$') && !bare.ends_with("\\$")) bare.pop_back();
  auto anywhere = std::make_unique<re2::RE2>(bare, quiet());
  if (anywhere->ok() && bare.find_first_of("^$") == std::string::npos)
    anywhere_ = std::move(anywhere);
}

std::vector<Span> TokenPattern::matches(std::string_view text) const {
  std::vector<Span> out;
  const std::string folded = fold_text(text);
  if (anywhere_ &&
      !re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *anywhere_) &&
      !re2::RE2::PartialMatch(folded, *anywhere_)) {
    return out;
  }
  for (std::size_t begin = 0; begin < text.size();) {
    if (is_blank(text[begin]) || !is_token_boundary(text, begin)) {
      ++begin;
      continue;
    }
    Span best;
    std::size_t ends = 0;
    for (std::size_t end = begin + 1;
         end <= text.size() && end - begin <= kMaxMatch && ends < kMaxEnds; ++end) {
      if (is_blank(text[end - 1]) || !is_token_boundary(text, end)) continue;
      ++ends;
      const std::string_view piece = text.substr(begin, end - begin);
      if (re2::RE2::FullMatch(re2::StringPiece(piece.data(), piece.size()), *whole_) ||
          re2::RE2::FullMatch(fold_text(piece), *whole_)) {
        best = {begin, end};
      }
    }
    if (best.end != 0) {
      out.push_back(best);
      begin = best.end;
    } else {
      ++begin;
    }
  }
  return out;
}

std::vector<Span> folded_occurrences(std::string_view text, std::string_view wanted) {
  WorkText haystack;
  haystack.assign(text, false);
  WorkText needle;
  needle.assign(wanted, false);
  const auto lowered = [](std::string_view w) {
    std::string out(w);
    std::transform(out.begin(), out.end(), out.begin(), lower);
    return out;
  };
  const std::string in = lowered(haystack.text());
  const std::string what = lowered(needle.text());
  std::vector<Span> out;
  if (what.empty()) return out;
  const Scan scan{haystack.text()};
  for (std::size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) {
    const std::size_t end = at + what.size();
    const bool bounded = (scan.starts_at(at) || !is_word(what.front())) &&
                         (scan.ends_at(end) || !is_word(what.back()));
    if (bounded) out.push_back({haystack.original(at), haystack.original_end(end)});
  }
  return out;
}

}  // namespace agentfootprint::evidence::internal
