// Any JSON through the recognisers: nothing crashes, what is recognised has a stable view, and what
// the JSON door takes comes back recognised.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/semantics/absent.hpp"
#include "agentfootprint/semantics/described_result.hpp"
#include "agentfootprint/semantics/evidence_projection.hpp"
#include "agentfootprint/semantics/gate.hpp"
#include "agentfootprint/semantics/projection_guard.hpp"
#include "agentfootprint/semantics/recognise.hpp"
#include "agentfootprint/semantics/time_axis.hpp"

namespace {

using namespace agentfootprint;

void require(bool holds) {
  if (!holds) std::abort();
}

void mint(const json::Value& value) {
  try {
    require(semantics::read_semantics(described_result(value).envelope()).has_value());
  } catch (const Refusal&) {
  }
  try {
    (void)absent(value);
  } catch (const Refusal&) {
  }
  try {
    (void)coverage(value, value);
  } catch (const Refusal&) {
  }
}

void gate(const json::Value& value) {
  try {
    (void)semantics::format_semantics_report(
        semantics::check_semantics(semantics::read_semantics_catalog(value)));
  } catch (const Refusal&) {
  }
}

void times(const json::Value& value) {
  const auto axis = semantics::parse_time_axis(value);
  if (!axis) return;
  (void)semantics::describe_time_axis(*axis);
  json::ObjectBuilder row;
  row.add(axis->column, value.at("column"));
  json::ArrayBuilder rows;
  rows.add(row.build());
  (void)semantics::normalise_instants(rows.build(), *axis);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)semantics::parse_time(text);
  const auto parsed = json::parse(text, {.max_depth = 200, .max_bytes = 1 << 16});
  if (!parsed) return 0;
  const json::Value& value = *parsed;
  semantics::ResultReader reader;
  const semantics::ReadResult read = reader.read(value, "tool");
  require(read.semantics.has_value() == semantics::read_semantics(value).has_value());
  require(json::dump(read.served) == json::dump(semantics::served_view(value)));
  (void)semantics::evidence_projection(value);
  require(semantics::projection_issues(semantics::snapshot_projection(value), value).empty() ||
          !semantics::snapshot_projection(value).issues.empty());
  mint(value);
  gate(value);
  times(value);
  return 0;
}
