// Fuzz target: declarations and rows from foreign bytes. What is read is written to something that
// reads back the same, and a schema survives decoration.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agentfootprint/findings/argument_schema.hpp"
#include "agentfootprint/findings/declaration.hpp"
#include "agentfootprint/findings/rows.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agentfootprint;
  json::ParseOptions options;
  options.max_depth = 200;
  const auto parsed =
      json::parse(std::string_view(reinterpret_cast<const char*>(data), size), options);
  if (!parsed) return 0;
  const auto reading = findings::read_declaration(parsed.value());
  if (reading.declaration) {
    const json::Value written = findings::to_json(*reading.declaration);
    const auto again = findings::read_declaration(written);
    if (!again.declaration || again.malformed != 0) std::abort();
    if (json::dump(findings::to_json(*again.declaration)) != json::dump(written)) std::abort();
  }
  if (const auto row = findings::row_from_json(parsed.value())) {
    const json::Value written = findings::to_json(row.value());
    const auto again = findings::row_from_json(written);
    if (!again || json::dump(findings::to_json(again.value())) != json::dump(written)) std::abort();
  }
  const json::Value served =
      findings::with_findings_argument(parsed.value(), findings::Declarations::full);
  if (!findings::declares_findings(served)) std::abort();
  (void)findings::split_findings(parsed.value());
  return 0;
}
