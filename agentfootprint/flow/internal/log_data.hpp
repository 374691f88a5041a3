// The columns a run leaves: rows, writes, reads, and the tables they number into.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agentfootprint/flow/internal/chart_data.hpp"
#include "agentfootprint/flow/internal/paths.hpp"
#include "agentfootprint/flow/internal/state_tree.hpp"
#include "agentfootprint/flow/log.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::flow::internal {

// The elements of an array that grew by appends. An array in the state is a lane and a length;
// appending at the tip extends the lane, earlier lengths stay valid.
struct Lane {
  std::vector<json::Value> elements;
  std::vector<WriteRef> births;  // the write each element came with
  // The last prefix that was made a value, for whoever reads the same again.
  mutable json::Value whole;
  mutable std::uint32_t whole_length = kNone;
};

struct Write {
  PathId path = kRootPath;
  std::uint32_t row = kNone;       // kNone: there before the first row
  std::uint32_t reads_before = 0;  // reads of its row that came before it
  WriteRef before = kNever;        // what governed the path until now
  std::uint32_t lane = kNone;      // an array that grew by appends: its lane and length
  std::uint32_t length = 0;
  json::Value value;  // not for lanes and erasures
  Verb verb = Verb::set;
};

struct Read {
  PathId path = kRootPath;
  WriteRef writer = kNever;       // kStagedBit: written by the step itself
  std::uint32_t element = kNone;  // one element of the array at `path`
};

// One condition or function a decision evaluated.
struct Evaluation {
  std::uint32_t row = kNone;
  std::uint16_t rule = 0;
  std::uint16_t condition = 0;
  bool result = false;
  bool present = false;  // was there a value
  bool redacted = false;
  json::Value actual;
};

struct Row {
  std::uint32_t step = 0;
  std::uint32_t instance = 0;  // whose state its writes change
  std::uint32_t shown_in = 0;  // whose path its id carries
  std::uint32_t node = 0;
  std::uint32_t first_write = 0;
  std::uint32_t first_read = 0;
  std::uint32_t write_count = 0;
  std::uint32_t read_count = 0;
  std::uint32_t governor = kNone;  // the decision that had it run
  PathId prefix = kRootPath;       // where an isolated fork put its writes
  std::uint32_t item = kNone;      // of a mount that a for_each repeats: which element
  Root root;                       // the state of `instance` behind this row
  RowKind kind = RowKind::stage;
  RowStatus status = RowStatus::done;
  std::uint16_t flags = 0;
};

inline constexpr std::uint16_t kReadInput = 1;
inline constexpr std::uint16_t kReadSilently = 2;
inline constexpr std::uint16_t kBroke = 4;

// One execution of a chart: the run itself, or a mount.
struct Instance {
  std::uint32_t parent = kNone;
  std::uint32_t node = 0;  // the mount, in the parent's chart
  std::uint32_t step = 0;
  const ChartData* chart = nullptr;
  std::string path;  // "" or "sub/leaf/"
};

struct Decision {
  std::uint32_t row = kNone;
  std::uint32_t rule = kNone;    // the rule that matched first
  std::uint32_t branch = kNone;  // of a decide
  bool by_default = false;
  std::vector<std::uint32_t> selected;  // of a select
};

struct LogData {
  std::shared_ptr<const ChartData> chart;
  PathTable paths;
  Arena arena;
  std::uint32_t epoch = 0;
  std::vector<Row> rows;
  std::vector<Write> writes;
  std::vector<Read> reads;
  std::vector<Lane> lanes;
  std::vector<Evaluation> evaluations;
  std::vector<Instance> instances;
  std::vector<Decision> decisions;             // ordered by row, as evaluations are
  std::map<std::uint32_t, std::string> notes;  // by row: break reason, error message
  Root base;                                   // the state before the first row
  std::uint32_t base_writes = 0;

  [[nodiscard]] std::string id_of(const Row& row) const;
  // `path/stage#n`; the mounts of a for_each carry the number of their element: `path/each~2#n`.
  [[nodiscard]] std::string step_name(std::uint32_t instance, const Node& node, std::uint32_t item,
                                      std::uint32_t step) const;
  [[nodiscard]] const Node& node_of(const Row& row) const;
  // Adds a write and gives its reference.
  WriteRef add(Write write) {
    writes.push_back(std::move(write));
    return static_cast<WriteRef>(writes.size());
  }
};

}  // namespace agentfootprint::flow::internal
