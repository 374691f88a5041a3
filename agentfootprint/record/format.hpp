// The names and constants of the footprint file, format version 1.
//
// What: what writer, reader and docs/footprint-format.md share. When to use: when reading or
// writing lines by hand. Not guaranteed: later versions; a reader refuses a version it does not
// know.
//
// Example:
//   (void)(kFootprintFormat == "agentfootprint.footprint");   // true
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "agentfootprint/base/hash.hpp"

namespace agentfootprint {

inline constexpr std::string_view kFootprintFormat = "agentfootprint.footprint";
inline constexpr int kFootprintVersion = 1;
// The chain before the first block of a record.
inline constexpr Digest256 kFootprintZero{};

// The hash of a served view: h = zero; for each item h = SHA-256(h || the item's SHA-256).
// `from` goes on from the hash of a prefix.
[[nodiscard]] Digest256 view_hash(std::span<const Digest256> items,
                                  const Digest256& from = kFootprintZero);
// The chain hash of a block of lines: SHA-256(the chain before || the bytes, line feeds included).
[[nodiscard]] Digest256 chain_hash(const Digest256& before, std::string_view block);

}  // namespace agentfootprint
