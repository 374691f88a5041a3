// Our strict reader against two other parsers on the same bytes.
//
// Where the three are known to differ by design the case is left out: nlohmann takes a byte order
// mark and ends a text at a zero byte; both refuse numbers a double cannot hold; simdjson stops at
// 1,024 levels.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>
#define AGENTFOOTPRINT_HAS_NLOHMANN 1
#endif
#ifdef AGENTFOOTPRINT_HAS_SIMDJSON
#include <simdjson.h>
#endif

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/value.hpp"
#include "agentfootprint/json/write.hpp"

namespace {

using agentfootprint::json::Kind;
using agentfootprint::json::Member;
using agentfootprint::json::Value;

[[noreturn]] [[maybe_unused]] void differ(const char* parser, const char* what) {
  std::fprintf(stderr, "differs from %s: %s\n", parser, what);
  std::abort();
}

[[maybe_unused]] void need(bool holds, const char* parser, const char* what) {
  if (!holds) differ(parser, what);
}

// Does the value hold a number that doubles and 64-bit integers cannot take?
[[maybe_unused]] bool has_unusual_number(const Value& value) {
  if (value.is_number()) {
    const double number = *value.as_double();
    const bool integer = value.number_text()->find_first_of(".eE") == std::string_view::npos;
    return std::isinf(number) || (integer && !value.as_int64() && !value.as_uint64());
  }
  for (const Value& element : value.elements()) {
    if (has_unusual_number(element)) return true;
  }
  for (const Member& member : value.members()) {
    if (has_unusual_number(member.value)) return true;
  }
  return false;
}

#ifdef AGENTFOOTPRINT_HAS_NLOHMANN
void same(const Value& ours, const nlohmann::json& theirs) {
  static constexpr const char* kName = "nlohmann";
  switch (ours.kind()) {
    case Kind::null:
      return need(theirs.is_null(), kName, "null");
    case Kind::boolean:
      return need(theirs.is_boolean() && theirs.get<bool>() == *ours.as_bool(), kName, "boolean");
    case Kind::number:
      return need(theirs.is_number() && theirs.get<double>() == *ours.as_double(), kName, "number");
    case Kind::string:
      return need(theirs.is_string() && theirs.get_ref<const std::string&>() == *ours.as_string(),
                  kName, "string");
    case Kind::array:
      need(theirs.is_array() && theirs.size() == ours.size(), kName, "array");
      for (std::size_t i = 0; i < ours.size(); ++i) same(ours.elements()[i], theirs[i]);
      return;
    case Kind::object:
      break;
  }
  need(theirs.is_object(), kName, "object");
  std::set<std::string_view> keys;
  for (const Member& member : ours.members()) keys.insert(member.key());
  need(theirs.size() == keys.size(), kName, "keys");
  for (const auto& [key, value] : theirs.items()) {
    const Value* mine = ours.find(key);
    need(mine != nullptr, kName, "key");
    same(*mine, value);
  }
}

void against_nlohmann(std::string_view text, const Value* ours) {
  if (text.find('\0') != std::string_view::npos || text.substr(0, 1) == "\xEF") return;
  const nlohmann::json theirs = nlohmann::json::parse(text, nullptr, false);
  if (ours == nullptr) return need(theirs.is_discarded(), "nlohmann", "we refuse");
  if (theirs.is_discarded()) return need(has_unusual_number(*ours), "nlohmann", "we accept");
  same(*ours, theirs);
}
#endif

#ifdef AGENTFOOTPRINT_HAS_SIMDJSON
void same(const Value& ours, simdjson::dom::element theirs) {
  static constexpr const char* kName = "simdjson";
  switch (ours.kind()) {
    case Kind::null:
      return need(theirs.is_null(), kName, "null");
    case Kind::boolean:
      return need(theirs.is_bool() && bool(theirs) == *ours.as_bool(), kName, "boolean");
    case Kind::number:
      need(theirs.is_number(), kName, "number");
      if (theirs.is_int64()) need(ours.as_int64() == std::int64_t(theirs), kName, "integer");
      return need(double(theirs) == *ours.as_double(), kName, "number");
    case Kind::string:
      return need(theirs.is_string() && std::string_view(theirs) == *ours.as_string(), kName,
                  "string");
    case Kind::array: {
      need(theirs.is_array(), kName, "array");
      std::size_t count = 0;
      for (simdjson::dom::element element : simdjson::dom::array(theirs)) {
        need(count < ours.size(), kName, "array size");
        same(ours.elements()[count++], element);
      }
      return need(count == ours.size(), kName, "array size");
    }
    case Kind::object:
      break;
  }
  need(theirs.is_object(), kName, "object");
  std::size_t count = 0;
  for (const simdjson::dom::key_value_pair pair : simdjson::dom::object(theirs)) {
    need(count < ours.size(), kName, "object size");
    const Member& member = ours.members()[count++];
    need(member.key() == pair.key, kName, "key");
    same(member.value, pair.value);
  }
  need(count == ours.size(), kName, "object size");
}

void against_simdjson(std::string_view text, const Value* ours) {
  if (text.substr(0, 1) == "\xEF") return;
  simdjson::dom::parser parser;
  simdjson::dom::element theirs;
  const simdjson::padded_string padded(text);
  const simdjson::error_code error = parser.parse(padded).get(theirs);
  if (ours == nullptr) return need(error != simdjson::SUCCESS, "simdjson", "we refuse");
  if (error == simdjson::DEPTH_ERROR) return;
  if (error != simdjson::SUCCESS) {
    return need(has_unusual_number(*ours), "simdjson", "we accept");
  }
  same(*ours, theirs);
}
#endif

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size > 4'096) return 0;
  const auto parsed = agentfootprint::json::parse(text);
  [[maybe_unused]] const Value* ours = parsed ? &*parsed : nullptr;
#ifdef AGENTFOOTPRINT_HAS_NLOHMANN
  against_nlohmann(text, ours);
#endif
#ifdef AGENTFOOTPRINT_HAS_SIMDJSON
  against_simdjson(text, ours);
#endif
  return 0;
}
