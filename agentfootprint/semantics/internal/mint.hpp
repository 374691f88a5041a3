// The mint's shared pieces: items, coverage lists, provenance, and parts of the C++ door.
#pragma once

#include <optional>
#include <string_view>

#include "agentfootprint/json/value.hpp"
#include "agentfootprint/semantics/declaration.hpp"
#include "agentfootprint/semantics/internal/faults.hpp"

namespace agentfootprint::semantics::internal {

// Refuses at once a declaration that is no object or is itself a minted envelope.
void require_declaration(const json::Value& declaration, std::string_view helper,
                         std::span<const std::string_view> known, Spelling spelling);

// One list, normalised to wire items; empty when there is none or nothing valid in it.
std::optional<json::Value> mint_list(const json::Value& declaration, std::string_view object_field,
                                     std::string_view wire_key, Spelling spelling, Faults& faults);

// The three lists under their wire keys. When no boundary is stated at all the fault is filed at
// `empty_field`.
json::Value mint_coverage_lists(const json::Value& declaration, std::string_view object_field,
                                std::string_view empty_field, Spelling spelling, Faults& faults);

std::optional<json::Value> mint_in_progress(const json::Value& declaration, Spelling spelling,
                                            Faults& faults);

// A period that is there and not null, judged, in wire form.
std::optional<json::Value> mint_period(const json::Value& declaration, Spelling spelling,
                                       Faults& faults);

// An object without the keys that are not known; anything else as it is.
[[nodiscard]] json::Value known_part(const json::Value& object,
                                     std::span<const std::string_view> known, Spelling spelling);
// Known keys in wire spelling, in the author's order.
[[nodiscard]] json::Value respelled(const json::Value& object,
                                    std::span<const std::string_view> known, Spelling spelling);

// Parts of the C++ door, in wire spelling.
[[nodiscard]] json::Value to_json(const Provenance& provenance);
[[nodiscard]] json::Value to_json(const Grain& grain);
[[nodiscard]] json::Value to_json(const Render& render);
[[nodiscard]] json::Value to_json(const Clarification& clarification);
// Adds the lists that are stated.
void add_lists(json::ObjectBuilder& object, const CoverageItems& checked,
               const CoverageItems& not_checked, const LimitItems& cannot_cover);

}  // namespace agentfootprint::semantics::internal
