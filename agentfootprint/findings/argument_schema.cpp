// The planted schema and its offer.
#include "agentfootprint/findings/argument_schema.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace agentfootprint::findings {
namespace {

// The description opens with this sentence; it recognises a copy of the decoration.
constexpr std::string_view kMarkerSentence =
    "Findings v1: what you make of results you already have.";

json::Value text_schema(std::string_view description) {
  return json::object({{"type", "string"}, {"description", description}});
}

json::Value word_schema(json::Value words, std::string_view description) {
  return json::object(
      {{"type", "string"}, {"enum", std::move(words)}, {"description", description}});
}

json::Value call_id_schema() {
  return text_schema("The id of the call whose result you judge, copied exactly.");
}

json::Value assertion_schema() {
  const json::Value subject = json::object(
      {{"type", "object"},
       {"properties", json::object({{"kind", text_schema("What sort of thing it is, e.g. port.")},
                                    {"id", text_schema("Which one, e.g. fc1/7.")}})},
       {"required", json::array({"kind", "id"})}});
  return json::object(
      {{"type", "object"},
       {"properties", json::object({{"subject", subject},
                                    {"predicate", text_schema("What is said of it, e.g. state.")},
                                    {"value", json::object(std::vector<json::Member>{})}})},
       {"required", json::array({"subject", "predicate", "value"})}});
}

json::Value entry_schema() {
  const json::Value standing = word_schema(
      json::array({"fact", "open", "noise", "ruled-out"}),
      "fact: you stand on it. open: not settled yet. noise: of no use here. ruled-out: it shows a "
      "way that leads nowhere.");
  return json::object(
      {{"type", "object"},
       {"properties",
        json::object(
            {{"toolCallId", call_id_schema()},
             {"standing", standing},
             {"sought", json::object({{"type", "boolean"},
                                      {"description", "Is it what you were looking for?"}})},
             {"assertions", json::object({{"type", "array"},
                                          {"items", assertion_schema()},
                                          {"description",
                                           "For a fact: what you take from it, value by value."}})},
             {"settles", text_schema("For an open result: what would settle it.")},
             {"line", text_schema("For a ruled-out result: the line that ends here.")}})},
       {"required", json::array({"toolCallId", "standing"})}});
}

json::Value previous_schema() {
  return json::object(
      {{"type", "array"},
       {"items", entry_schema()},
       {"description",
        "One entry for each earlier result you can judge now. Leave out the ones you cannot."}});
}

json::Value full_members() {
  return json::object(
      {{"basis", word_schema(json::array({"direct", "exploratory"}),
                             "direct: an established fact calls for this. exploratory: you try "
                             "something out.")},
       {"expect", word_schema(json::array({"low", "medium", "high"}),
                              "How likely this call gives what you look for.")},
       {"proposition", text_schema("What this call tests. Recommended for exploratory calls.")},
       {"predicts", text_schema("What the result will be if the proposition holds.")},
       {"previous", previous_schema()}});
}

json::Value make_planted(Declarations declarations) {
  const std::string description =
      fmt::format("{} It is kept beside the call and never reaches the tool.", kMarkerSentence);
  json::ObjectBuilder schema;
  schema.add("type", "object");
  schema.add("description", description);
  if (declarations == Declarations::full) {
    schema.add("properties", full_members());
    schema.add("required", json::array({"basis"}));
  } else {
    schema.add("properties", json::object({{"previous", previous_schema()}}));
  }
  return schema.build();
}

std::string listed_note(std::size_t offered) {
  if (offered <= kOfferCap) return "";
  const std::size_t older = offered - kOfferCap;
  return fmt::format(" The {} newest are listed; {} older {} not (cap {}).", kOfferCap, older,
                     older == 1 ? "is" : "are", kOfferCap);
}

json::Value offered_id_schema(const std::vector<std::string>& offer, std::size_t offered) {
  json::ArrayBuilder ids;
  for (std::size_t at = 0; at < std::min(offer.size(), kOfferCap); ++at) ids.add(offer[at]);
  return word_schema(
      ids.build(),
      fmt::format("The id of the call whose result you judge. Only a listed id may be named.{}",
                  listed_note(std::max(offer.size(), offered))));
}

json::Value with_offer(const json::Value& planted, const std::vector<std::string>& offer,
                       std::size_t offered) {
  const json::Value& properties = planted.at("properties");
  const json::Value& previous = properties.at("previous");
  const json::Value& items = previous.at("items");
  const json::Value entry =
      json::with_member(items.at("properties"), "toolCallId", offered_id_schema(offer, offered));
  const json::Value new_items = json::with_member(items, "properties", entry);
  const json::Value new_previous = json::with_member(previous, "items", new_items);
  return json::with_member(planted, "properties",
                           json::with_member(properties, "previous", new_previous));
}

const json::Value* properties_of(const json::Value& schema) noexcept {
  const json::Value* properties = schema.is_object() ? schema.find("properties") : nullptr;
  return properties != nullptr && properties->is_object() ? properties : nullptr;
}

bool is_ours(const json::Value& property) noexcept {
  if (!property.is_object()) return false;
  const json::Value* description = property.find("description");
  if (description == nullptr) return false;
  const auto text = description->as_string();
  return text && text->substr(0, kMarkerSentence.size()) == kMarkerSentence;
}

}  // namespace

const json::Value& planted_schema(Declarations declarations) {
  static const json::Value standings = make_planted(Declarations::standings);
  static const json::Value full = make_planted(Declarations::full);
  return declarations == Declarations::full ? full : standings;
}

bool declares_findings(const json::Value& schema) noexcept {
  const json::Value* properties = properties_of(schema);
  return properties != nullptr && properties->contains(kReservedKey);
}

bool owns_findings_name(const json::Value& schema) noexcept {
  const json::Value* properties = properties_of(schema);
  const json::Value* property = properties == nullptr ? nullptr : properties->find(kReservedKey);
  return property != nullptr && !is_ours(*property);
}

json::Value with_findings_argument(const json::Value& schema, Declarations declarations,
                                   const std::vector<std::string>& offer, std::size_t offered) {
  if (declares_findings(schema)) return schema;
  const json::Value& planted = planted_schema(declarations);
  json::Value argument = offer.empty() ? planted : with_offer(planted, offer, offered);
  const json::Value empty = json::object(std::vector<json::Member>{});
  const json::Value* properties = properties_of(schema);
  json::Value extended = json::with_member(properties == nullptr ? empty : *properties,
                                           kReservedKey, std::move(argument));
  return json::with_member(schema.is_object() ? schema : empty, "properties", std::move(extended));
}

json::Value without_findings_argument(const json::Value& schema) {
  const json::Value* properties = properties_of(schema);
  const json::Value* property = properties == nullptr ? nullptr : properties->find(kReservedKey);
  if (property == nullptr || !is_ours(*property)) return schema;
  return json::with_member(schema, "properties", json::without_member(*properties, kReservedKey));
}

std::string offer_text(const std::vector<std::string>& offer, std::size_t offered) {
  if (offer.empty()) return "";
  std::string ids;
  for (std::size_t at = 0; at < std::min(offer.size(), kOfferCap); ++at) {
    if (!ids.empty()) ids += ", ";
    ids += clip(fold_lines(offer[at]), kIdChars);
  }
  return fmt::format("Results you may give a standing in `_findings.previous`, newest first: {}.{}",
                     ids, listed_note(std::max(offer.size(), offered)));
}

}  // namespace agentfootprint::findings
