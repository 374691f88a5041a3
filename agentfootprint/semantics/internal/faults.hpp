// Collecting every fault of a declaration in order, and the checks on keys that all declarations
// share.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::semantics::internal {

inline constexpr std::string_view kMalformed = "malformed-semantics";

// How the author of a declaration spells keys: as they travel (snake_case, also the C++ door) or as
// the JSON door takes them.
enum class Spelling : std::uint8_t { wire, camel };
[[nodiscard]] std::string spelled(std::string_view wire_key, Spelling spelling);

// `a`, `a.b`, `[i]` put together.
[[nodiscard]] std::string join_field(std::string_view object, std::string_view key);
[[nodiscard]] std::string index_field(std::string_view list, std::size_t index);

class Faults {
 public:
  // The message is completed with ` (field: …)`. Nothing is added for a field that an unknown key
  // already explains.
  void add(std::string_view code, std::string_view field, std::string message);
  void malformed(std::string_view field, std::string message) {
    add(kMalformed, field, std::move(message));
  }
  // An unknown key was meant to be this one, so it is not missing.
  void explain(std::string field) { explained_.push_back(std::move(field)); }
  [[nodiscard]] bool explained(std::string_view field) const;
  // Is there a fault of this object or of a part of it?
  [[nodiscard]] bool any_under(std::string_view object) const;

  [[nodiscard]] bool empty() const noexcept { return issues_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return issues_.size(); }
  [[nodiscard]] std::vector<Issue> take() && { return std::move(issues_); }
  void throw_if_any() &&;

 private:
  std::vector<Issue> issues_;
  std::vector<std::string> explained_;
};

// One fault for each key of `object` that is not in `known` (wire spelling) or stands twice.
void check_keys(const json::Value& object, std::string_view object_field,
                std::span<const std::string_view> known, Spelling spelling, Faults& faults);

// The known key that `key` is another spelling of (`_`, `-` and case aside), or "".
[[nodiscard]] std::string_view known_spelling(std::string_view key,
                                              std::span<const std::string_view> known);

// A string that is not blank, else null.
[[nodiscard]] bool is_text(const json::Value* value) noexcept;

// Does the value carry a marker of this library (whatever else is wrong with it)? The marker, or
// "".
[[nodiscard]] std::string_view marker_of(const json::Value& value) noexcept;

// Is it an effects envelope: `content` and a list `effects`, at most a `status` beside them?
[[nodiscard]] bool is_effects_envelope(const json::Value& value) noexcept;

// Text that came from outside, quoted for a message: at most 60 code points, controls visible.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace agentfootprint::semantics::internal
