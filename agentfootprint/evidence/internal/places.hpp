// Finding quotes, names and leaves around a place of JSON text. Not for direct use.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "agentfootprint/evidence/internal/items.hpp"
#include "agentfootprint/evidence/value.hpp"

namespace agentfootprint::evidence::internal {

// The unescaped quote before `at`; 0 when there is none.
[[nodiscard]] std::size_t opening_quote(std::string_view text, std::size_t at, char quote) noexcept;
// The unescaped quote from `at` on; the end when there is none.
[[nodiscard]] std::size_t closing_quote(std::string_view text, std::size_t at, char quote) noexcept;
// The name of the member whose value begins at `at`, without quotes; empty when there is none.
[[nodiscard]] Span name_before(std::string_view text, std::size_t at) noexcept;
[[nodiscard]] std::string decoded(std::string_view raw);
// The leaf an item stands in, without quotes.
// `run`: where the text behind the JSON values begins.
[[nodiscard]] Span leaf_span(std::string_view text, const Item& item, std::size_t run) noexcept;
[[nodiscard]] Span reading_span(std::string_view text, const Item& item, std::size_t run) noexcept;
// Elements of an array that end between two places of it which no container parts.
[[nodiscard]] std::uint32_t commas_between(std::string_view text, std::size_t from,
                                           std::size_t to) noexcept;
[[nodiscard]] inline bool is_blank_byte(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == 0x1E;
}

}  // namespace agentfootprint::evidence::internal
