// The mint's shared pieces.
#include "agentfootprint/semantics/internal/mint.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/semantics/internal/period_rules.hpp"
#include "agentfootprint/semantics/internal/rules.hpp"
#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics::internal {
namespace {

constexpr std::size_t kMaxShort = 80;  // code points

struct ItemRules {
  bool why_required = false;   // cannot_cover
  bool kind_allowed = true;    // not on checked
  bool count_allowed = false;  // in_progress, which knows no kind
};

bool is_plain_line(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const utf8::Decoded at = utf8::decode(text, i);
    const char32_t c = at.code_point;
    if (!at.valid || c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029)
      return false;
    i += at.length;
  }
  return true;
}

void mint_short(const json::Value& value, std::string_view what, const std::string& field,
                json::ObjectBuilder& item, Faults& faults) {
  const auto text = value.as_string();
  if (!text || is_blank(*text) || !is_plain_line(*text)) {
    faults.malformed(field, fmt::format("{} must be one plain line of text", field));
    return;
  }
  const std::string_view short_text = trimmed(*text);
  const std::size_t length = utf8::count(short_text);
  if (length > kMaxShort || length > utf8::count(what)) {
    faults.malformed(field,
                     fmt::format("{} has {} characters; it may have {} and no more than what it "
                                 "stands for",
                                 field, length, kMaxShort));
    return;
  }
  item.add("short", short_text);
}

void mint_kind(const json::Value& value, const ItemRules& rules, const std::string& field,
               json::ObjectBuilder& item, Faults& faults) {
  const auto text = value.as_string();
  if (!rules.kind_allowed) {
    faults.malformed(
        field, fmt::format("{} is refused: what was checked has no kind; leave it out", field));
  } else if (!text || (*text != "existence" && *text != "scope")) {
    faults.malformed(field, fmt::format("{} must be existence or scope", field));
  } else {
    item.add("kind", *text);
  }
}

void mint_count(const json::Value& value, const std::string& field, json::ObjectBuilder& item,
                Faults& faults) {
  constexpr std::int64_t kMaxSafe = 9'007'199'254'740'991;
  const auto count = value.as_int64();
  if (!count || *count < 1 || *count > kMaxSafe) {
    faults.malformed(field, fmt::format("{} must be a whole number, one or more", field));
    return;
  }
  item.add("count", *count);
}

void missing_why(const std::string& field, Faults& faults) {
  faults.malformed(
      field + ".why",
      fmt::format("{} needs a why: what can never be covered has a reason; write {{what, why}}, "
                  "or move it to the ground that was not checked",
                  field));
}

void mint_item_object(const json::Value& entry, const ItemRules& rules, const std::string& field,
                      json::ArrayBuilder& list, Faults& faults) {
  static constexpr std::string_view kKeys[] = {"what", "why", "short", "kind"};
  static constexpr std::string_view kCountKeys[] = {"what", "why", "short", "count"};
  if (!is_text(entry.find("what"))) {
    faults.malformed(field,
                     fmt::format("{} names no ground; write a text or {{what, why?}}", field));
    return;
  }
  const std::size_t before = faults.size();
  check_keys(entry, field,
             rules.count_allowed ? std::span<const std::string_view>(kCountKeys) : kKeys,
             Spelling::wire, faults);
  const std::string_view what = trimmed(*entry.at("what").as_string());
  json::ObjectBuilder item;
  item.add("what", what);
  const json::Value* why = entry.find("why");
  if (why == nullptr) {
    if (rules.why_required) missing_why(field, faults);
  } else if (!is_text(why)) {
    faults.malformed(field + ".why",
                     fmt::format("{}.why says nothing; give the reason or leave it out", field));
  } else {
    item.add("why", trimmed(*why->as_string()));
  }
  const auto optional_part = [&](std::string_view key) {
    const json::Value* part = entry.find(key);
    return part == nullptr || part->is_null() ? nullptr : part;
  };
  if (const json::Value* part = optional_part("short")) {
    mint_short(*part, what, field + ".short", item, faults);
  }
  if (const json::Value* part = optional_part("kind"); part != nullptr && !rules.count_allowed) {
    mint_kind(*part, rules, field + ".kind", item, faults);
  }
  if (const json::Value* part = optional_part("count"); part != nullptr && rules.count_allowed) {
    mint_count(*part, field + ".count", item, faults);
  }
  if (faults.size() == before) list.add(item.build());
}

std::optional<json::Value> mint_items(const json::Value& entries, const std::string& field,
                                      const ItemRules& rules, Faults& faults) {
  if (!entries.is_array()) {
    faults.malformed(field, fmt::format("{} must be an array; put a single entry into one", field));
    return std::nullopt;
  }
  json::ArrayBuilder list;
  const std::span<const json::Value> elements = entries.elements();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::string at = index_field(field, i);
    if (const auto text = elements[i].as_string()) {
      if (is_blank(*text)) {
        faults.malformed(at, fmt::format("{} names no ground; write it or leave it out", at));
      } else if (rules.why_required) {
        missing_why(at, faults);
      } else {
        json::ObjectBuilder item;
        item.add("what", trimmed(*text));
        list.add(item.build());
      }
    } else {
      mint_item_object(elements[i], rules, at, list, faults);
    }
  }
  if (list.empty()) return std::nullopt;
  return list.build();
}

}  // namespace

void require_declaration(const json::Value& declaration, std::string_view helper,
                         std::span<const std::string_view> known, Spelling spelling) {
  Faults faults;
  if (!declaration.is_object()) {
    std::string fields;
    for (const std::string_view key : known) {
      fields += (fields.empty() ? "" : ", ") + spelled(key, spelling);
    }
    faults.malformed("", fmt::format("{}() needs a declaration, an object of {}", helper, fields));
  } else if (const std::string_view marker = marker_of(declaration); !marker.empty()) {
    faults.malformed(
        marker, fmt::format("{}() was given what a helper has already minted ({}); one helper a "
                            "result: return that value as it is",
                            helper, marker));
  }
  std::move(faults).throw_if_any();
}

std::optional<json::Value> mint_list(const json::Value& declaration, std::string_view object_field,
                                     std::string_view wire_key, Spelling spelling, Faults& faults) {
  const std::string key = spelled(wire_key, spelling);
  const json::Value* entries = declaration.find(key);
  if (entries == nullptr) return std::nullopt;
  ItemRules rules;
  rules.why_required = wire_key == "cannot_cover";
  rules.kind_allowed = wire_key != "checked";
  return mint_items(*entries, join_field(object_field, key), rules, faults);
}

json::Value mint_coverage_lists(const json::Value& declaration, std::string_view object_field,
                                std::string_view empty_field, Spelling spelling, Faults& faults) {
  json::ObjectBuilder lists;
  const std::size_t before = faults.size();
  bool explained = false;
  for (const std::string_view key : kCoverageKeys) {
    explained = explained || faults.explained(join_field(object_field, spelled(key, spelling)));
    if (auto list = mint_list(declaration, object_field, key, spelling, faults)) {
      lists.add(key, std::move(*list));
    }
  }
  if (lists.empty() && !explained && faults.size() == before) {
    faults.malformed(empty_field,
                     "coverage states no boundary, so it would say nothing; name what was "
                     "checked, what was not, or what can never be");
  }
  return lists.build();
}

std::optional<json::Value> mint_in_progress(const json::Value& declaration, Spelling spelling,
                                            Faults& faults) {
  const std::string key = spelled("in_progress", spelling);
  const json::Value* entries = declaration.find(key);
  if (entries == nullptr || entries->is_null()) return std::nullopt;
  ItemRules rules;
  rules.count_allowed = true;
  return mint_items(*entries, key, rules, faults);
}

std::optional<json::Value> mint_period(const json::Value& declaration, Spelling spelling,
                                       Faults& faults) {
  const json::Value* period = declaration.find("period");
  if (period == nullptr || period->is_null()) return std::nullopt;
  return judge_period(*period, "period", spelling, faults);
}

json::Value known_part(const json::Value& object, std::span<const std::string_view> known,
                       Spelling spelling) {
  if (!object.is_object()) return object;
  const auto is_known = [&](const json::Member& member) {
    return std::any_of(known.begin(), known.end(), [&](std::string_view key) {
      return member.key() == spelled(key, spelling);
    });
  };
  if (std::all_of(object.members().begin(), object.members().end(), is_known)) return object;
  std::vector<json::Member> kept;
  for (const json::Member& member : object.members()) {
    if (is_known(member)) kept.push_back(member);
  }
  return json::object(std::move(kept));
}

json::Value respelled(const json::Value& object, std::span<const std::string_view> known,
                      Spelling spelling) {
  if (spelling == Spelling::wire || !object.is_object()) return object;
  json::ObjectBuilder wire;
  for (const json::Member& member : object.members()) {
    for (const std::string_view key : known) {
      if (member.key() == spelled(key, spelling)) wire.add(key, member.value);
    }
  }
  return wire.build();
}

json::Value to_json(const Provenance& provenance) {
  json::ObjectBuilder object;
  object.add("measured_at", provenance.measured_at.view());
  if (provenance.age_seconds) object.add("age_seconds", *provenance.age_seconds);
  object.add("source", provenance.source.view());
  if (provenance.source_export_date) {
    object.add("source_export_date", provenance.source_export_date->view());
  }
  return object.build();
}

json::Value to_json(const Grain& grain) {
  json::ObjectBuilder object;
  if (grain.interval) object.add("interval", grain.interval->view());
  if (grain.aggregation) object.add("aggregation", grain.aggregation->view());
  if (grain.is_counter) object.add("is_counter", *grain.is_counter);
  if (grain.collapsed) object.add("collapsed", grain.collapsed->view());
  return object.build();
}

json::Value to_json(const Render& render) {
  json::ObjectBuilder object;
  object.add("default", render.default_view.view());
  if (render.columns.stated()) object.add("columns", render.columns.to_json());
  if (render.sort) object.add("sort", render.sort->view());
  if (render.filter_note) object.add("filter_note", render.filter_note->view());
  if (render.chart_hint) object.add("chart_hint", render.chart_hint->view());
  return object.build();
}

json::Value to_json(const Clarification& clarification) {
  json::ObjectBuilder object;
  object.add("question", clarification.question.view());
  object.add("candidates", clarification.candidates.to_json());
  return object.build();
}

void add_lists(json::ObjectBuilder& object, const CoverageItems& checked,
               const CoverageItems& not_checked, const LimitItems& cannot_cover) {
  if (checked.stated()) object.add("checked", checked.to_json());
  if (not_checked.stated()) object.add("not_checked", not_checked.to_json());
  if (cannot_cover.stated()) object.add("cannot_cover", cannot_cover.to_json());
}

}  // namespace agentfootprint::semantics::internal
