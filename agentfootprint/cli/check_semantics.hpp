// The command `check-semantics CATALOG [--from RECORD] [--strict] [--json]`.
//
// What: runs the gate of semantics/gate.hpp over a catalogue of sample results and prints its
// report. With `--from RECORD` the samples are the results that the record's calls returned.
//
// When to use: in a tool author's CI. Exit 0 ok, 1 errors (or any finding under --strict), 2 usage
// or input error.
//
// Not guaranteed: a tool is never run, so what it does not sample is not judged.
//
// Example:
//   std::vector<semantics::CatalogEntry> catalog = {{"clock"}};
//   SampledResults recorded = {{"clock", {json::Value("12:00")}}};
//   add_recorded_samples(catalog, recorded);
//   (void)catalog.front().results.size();   // 1
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/cli/command.hpp"
#include "agentfootprint/json/value.hpp"
#include "agentfootprint/record/reader.hpp"
#include "agentfootprint/semantics/gate.hpp"

namespace agentfootprint {

// Results as tools returned them, by tool name.
using SampledResults = std::map<std::string, std::vector<json::Value>, std::less<>>;

// The successful results of a record's conversation. A described result that the record keeps whole
// (its event `agentfootprint.tools.semantics_declared`) stands for the view that was served of it.
[[nodiscard]] SampledResults recorded_results(const Footprint& footprint);

// Adds each tool's recorded results behind its hand-written samples; a tool that the catalogue does
// not name becomes an entry without a class.
void add_recorded_samples(std::vector<semantics::CatalogEntry>& catalog,
                          const SampledResults& recorded);

void add_check_semantics_command(CommandLine& program);

}  // namespace agentfootprint
