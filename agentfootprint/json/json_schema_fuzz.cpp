// A schema and a value from bytes (two JSON values in a row): compiling and checking must end well.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/schema.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace json = agentfootprint::json;
  if (size > 4'096) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const json::LeadingValues parts = json::parse_leading(text);
  if (parts.values.empty()) return 0;
  const auto schema = json::Schema::compile(parts.values[0]);
  if (!schema) {
    if (schema.error().empty()) std::abort();
    return 0;
  }
  for (const json::Value& value : parts.values) {
    if (schema->check(value, 3).size() > 3) std::abort();
  }
  return 0;
}
