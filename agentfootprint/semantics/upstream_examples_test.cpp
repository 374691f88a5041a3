// The two examples of the upstream page, in C++: rows from a nightly export, and a series whose
// measuring time is its newest sample.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "agentfootprint/json/write.hpp"
#include "agentfootprint/semantics/described_result.hpp"
#include "agentfootprint/semantics/recognise.hpp"

namespace agentfootprint {
namespace {

struct VmRow {
  std::string vm, datastore;
  double size_tb = 0;
};
struct Snapshot {
  std::string exported_at;
  std::vector<VmRow> rows;
};

semantics::ToolSemantics vm_sizes(const Snapshot& snapshot) {
  const std::string& export_time = snapshot.exported_at;  // when the world was measured
  return described_result({
      .facts = semantics::facts_of(snapshot.rows, semantics::entity(&VmRow::vm),
                                   semantics::field("datastore", &VmRow::datastore),
                                   semantics::field("size_tb", &VmRow::size_tb)),
      .provenance = {.measured_at = export_time, .source = "RVTools export"},
      .coverage = {.checked = {"every VM in the RVTools export of " + export_time},
                   .cannot_cover = {{"hosts that are not VMware", "RVTools sees VMware only"}}},
  });
}

struct PortSample {
  std::string time, port;
  std::int64_t iops = 0;
};

semantics::ToolSemantics port_series(const std::vector<PortSample>& rows) {
  const auto newest = std::max_element(
      rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  return described_result({
      .series = semantics::series_of(rows, &PortSample::time, &PortSample::port, "avg_iops",
                                     &PortSample::iops),
      .grain = semantics::Grain{.interval = "30m", .aggregation = "avg", .is_counter = false},
      .provenance = {.measured_at = newest->time, .source = "InfluxDB SwitchPortStats"},
  });
}

TEST(UpstreamExamples, RowsFromANightlyExport) {
  const auto result =
      vm_sizes({"2026-11-01T02:00:00Z", {{"vm-1", "ds-9", 1.5}, {"vm-2", "ds-9", 12}}});
  EXPECT_EQ(json::dump(json::without_member(semantics::model_view(result), "note")),
            R"({"facts":[{"entity":"vm-1","datastore":"ds-9","size_tb":1.5},)"
            R"({"entity":"vm-2","datastore":"ds-9","size_tb":12}],)"
            R"("provenance":{"measured_at":"2026-11-01T02:00:00Z","source":"RVTools export"},)"
            R"("not_covered":["hosts that are not VMware — RVTools sees VMware only"]})");
  EXPECT_EQ(result.coverage().checked.front().what,
            "every VM in the RVTools export of 2026-11-01T02:00:00Z");
}

TEST(UpstreamExamples, ASeriesMeasuredAtItsNewestSample) {
  const auto result = port_series({{"2026-11-01T00:30:00Z", "fc1/3", 41200},
                                   {"2026-11-01T01:00:00Z", "fc1/3", 39900},
                                   {"2026-11-01T00:00:00Z", "fc1/4", 7}});
  EXPECT_EQ(json::dump(result.envelope().at("provenance")),
            R"({"measured_at":"2026-11-01T01:00:00Z","source":"InfluxDB SwitchPortStats"})");
  EXPECT_EQ(json::dump(result.envelope().at("grain")),
            R"({"interval":"30m","aggregation":"avg","is_counter":false})");
  EXPECT_EQ(result.envelope().at("series").size(), 3U);
}

}  // namespace
}  // namespace agentfootprint
