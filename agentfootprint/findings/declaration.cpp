// Reading declarations part by part, and taking them off a call's arguments.
#include "agentfootprint/findings/declaration.hpp"

#include <utility>

namespace agentfootprint::findings {
namespace {

std::optional<std::string> text_of(const json::Value& value) {
  const auto text = value.as_string();
  if (!text) return std::nullopt;
  return std::string(*text);
}

// A member that must be a string when it is there.
std::optional<std::string> read_text(const json::Value& object, std::string_view key,
                                     std::size_t& malformed) {
  const json::Value* found = object.find(key);
  if (found == nullptr) return std::nullopt;
  auto text = text_of(*found);
  if (!text) ++malformed;
  return text;
}

template <class Word>
std::optional<Word> read_word(const json::Value& object, std::string_view key,
                              std::optional<Word> (*parse)(std::string_view) noexcept,
                              std::size_t& malformed) {
  const json::Value* found = object.find(key);
  if (found == nullptr) return std::nullopt;
  std::optional<Word> word;
  if (const auto text = found->as_string()) word = parse(*text);
  if (!word) ++malformed;
  return word;
}

std::optional<DeclaredAssertion> read_assertion(const json::Value& in) {
  if (!in.is_object()) return std::nullopt;
  const json::Value* value = in.find("value");
  const json::Value* subject = in.find("subject");
  const json::Value* predicate = in.find("predicate");
  if (value == nullptr || subject == nullptr || predicate == nullptr) return std::nullopt;
  if (!subject->is_object()) return std::nullopt;
  const json::Value* kind = subject->find("kind");
  const json::Value* id = subject->find("id");
  if (kind == nullptr || id == nullptr) return std::nullopt;
  auto kind_text = text_of(*kind);
  auto id_text = text_of(*id);
  auto predicate_text = text_of(*predicate);
  if (!kind_text || !id_text || !predicate_text) return std::nullopt;
  return DeclaredAssertion{std::move(*kind_text), std::move(*id_text), std::move(*predicate_text),
                           *value};
}

std::optional<std::vector<DeclaredAssertion>> read_assertions(const json::Value& entry,
                                                              std::size_t& malformed) {
  const json::Value* found = entry.find("assertions");
  if (found == nullptr) return std::nullopt;
  if (!found->is_array()) {
    ++malformed;
    return std::nullopt;
  }
  std::vector<DeclaredAssertion> assertions;
  for (const json::Value& element : found->elements()) {
    if (auto assertion = read_assertion(element)) {
      assertions.push_back(std::move(*assertion));
    } else {
      ++malformed;
    }
  }
  return assertions;
}

std::optional<DeclaredStanding> read_entry(const json::Value& in, std::size_t& malformed) {
  const json::Value* id = in.find("toolCallId");
  const json::Value* standing = in.find("standing");
  if (!in.is_object() || id == nullptr || standing == nullptr) return std::nullopt;
  auto id_text = text_of(*id);
  const auto word = standing->as_string();
  if (!id_text || !word) return std::nullopt;
  const auto parsed = parse_standing(*word);
  if (!parsed) return std::nullopt;

  DeclaredStanding entry;
  entry.tool_call_id = std::move(*id_text);
  entry.standing = *parsed;
  if (const json::Value* sought = in.find("sought")) {
    entry.sought = sought->as_bool();
    if (!entry.sought) ++malformed;
  }
  entry.assertions = read_assertions(in, malformed);
  entry.settles = read_text(in, "settles", malformed);
  entry.line = read_text(in, "line", malformed);
  return entry;
}

std::optional<std::vector<DeclaredStanding>> read_previous(const json::Value& object,
                                                           std::size_t& malformed) {
  const json::Value* found = object.find("previous");
  if (found == nullptr) return std::nullopt;
  if (!found->is_array()) {
    ++malformed;
    return std::nullopt;
  }
  std::vector<DeclaredStanding> previous;
  for (const json::Value& element : found->elements()) {
    if (auto entry = read_entry(element, malformed)) {
      previous.push_back(std::move(*entry));
    } else {
      ++malformed;
    }
  }
  return previous;
}

json::Value to_json(const DeclaredAssertion& assertion) {
  return json::object(
      {{"subject", json::object({{"kind", assertion.subject_kind}, {"id", assertion.subject_id}})},
       {"predicate", assertion.predicate},
       {"value", assertion.value}});
}

json::Value to_json(const DeclaredStanding& entry) {
  json::ObjectBuilder out;
  out.add("toolCallId", entry.tool_call_id);
  out.add("standing", name_of(entry.standing));
  out.add_if("sought", entry.sought);
  if (entry.assertions) {
    json::ArrayBuilder list;
    for (const DeclaredAssertion& assertion : *entry.assertions) list.add(to_json(assertion));
    out.add("assertions", list.build());
  }
  out.add_if("settles", entry.settles);
  out.add_if("line", entry.line);
  return out.build();
}

}  // namespace

DeclarationReading read_declaration(const json::Value& value) {
  DeclarationReading reading;
  if (!value.is_object()) {
    reading.malformed = 1;
    return reading;
  }
  Declaration declaration;
  std::size_t& malformed = reading.malformed;
  declaration.basis = read_word(value, "basis", &parse_basis, malformed);
  declaration.expect = read_word(value, "expect", &parse_expectation, malformed);
  declaration.proposition = read_text(value, "proposition", malformed);
  declaration.predicts = read_text(value, "predicts", malformed);
  declaration.previous = read_previous(value, malformed);
  if (!declaration.empty()) reading.declaration = std::move(declaration);
  return reading;
}

json::Value to_json(const Declaration& declaration) {
  json::ObjectBuilder out;
  if (declaration.basis) out.add("basis", name_of(*declaration.basis));
  if (declaration.expect) out.add("expect", name_of(*declaration.expect));
  out.add_if("proposition", declaration.proposition);
  out.add_if("predicts", declaration.predicts);
  if (declaration.previous) {
    json::ArrayBuilder list;
    for (const DeclaredStanding& entry : *declaration.previous) list.add(to_json(entry));
    out.add("previous", list.build());
  }
  return out.build();
}

void merge(Declaration& into, const Declaration& later) {
  if (later.basis) into.basis = later.basis;
  if (later.expect) into.expect = later.expect;
  if (later.proposition) into.proposition = later.proposition;
  if (later.predicts) into.predicts = later.predicts;
  if (!later.previous) return;
  if (!into.previous) into.previous.emplace();
  into.previous->insert(into.previous->end(), later.previous->begin(), later.previous->end());
}

SplitArguments split_findings(const json::Value& arguments) {
  SplitArguments split;
  const json::Value* found = arguments.is_object() ? arguments.find(kReservedKey) : nullptr;
  if (found == nullptr) {
    split.arguments = arguments;
    return split;
  }
  DeclarationReading reading = read_declaration(*found);
  split.arguments = json::without_member(arguments, kReservedKey);
  split.declaration = std::move(reading.declaration);
  split.malformed = reading.malformed;
  return split;
}

}  // namespace agentfootprint::findings
