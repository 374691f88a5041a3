// Tickets: the short opaque names of artifacts.
//
// What: a ticket (ref) is `art_` and 22 letters or digits, 26 in all, about 131 bits of randomness.
// It is minted, never derived from the payload: two puts of the same bytes give two tickets that
// live and die apart. `is_artifact_ref` is the only recogniser; every store asks it before a ref
// touches a path or a query.
//
// When to use: stores mint; everything else only passes tickets on. A text that is no ticket is not
// an error anywhere: it names nothing.
//
// Not guaranteed: that a well-formed ticket names something. Two tickets do not collide in
// practice; that is not checked.
//
// Example:
//   SystemRandom random;
//   std::string ref = mint_artifact_ref(random);   // "art_9fK2…"
//   bool yes = is_artifact_ref(ref);
//   bool no = is_artifact_ref("../etc/passwd");
//   (void)yes; (void)no;
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "agentfootprint/base/random.hpp"

namespace agentfootprint {

inline constexpr std::string_view kArtifactRefPrefix = "art_";
inline constexpr std::size_t kArtifactRefLength = 26;

[[nodiscard]] bool is_artifact_ref(std::string_view text) noexcept;

// Uniform over the 62 letters and digits.
[[nodiscard]] std::string mint_artifact_ref(Random& random);

}  // namespace agentfootprint
