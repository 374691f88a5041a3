// Tables, JSON and progress of the command `artifacts`.
//
// What: rows of cells become a table with aligned columns; everything is escaped for a terminal.
// When to use: the subcommands. Not guaranteed: alignment of characters wider than one cell.
//
// Example:
//   TextTable table({"ref", "bytes"});
//   table.add({"art_0000000000000000000000", "12"});
//   std::string text = table.to_text();
//   (void)text;
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agentfootprint/artifacts/artifact.hpp"

namespace agentfootprint {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heads) : rows_{std::move(heads)} {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] std::string to_text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

void print_json(const json::Value& value);
void print_text(const std::string& text);
// `tenant/principal/conversation` as `--scope` reads it.
[[nodiscard]] std::string scope_text(const ArtifactScope& scope);
// `2026-04-12T08:15:00.250Z`.
[[nodiscard]] std::string time_text(std::int64_t wall_ms);
// A value in a cell: a string as it is, everything else as JSON.
[[nodiscard]] std::string cell_text(const json::Value& value);
// Says on standard error how far long work is, at most once a second and only on a terminal.
[[nodiscard]] std::function<void(std::uint64_t)> progress_line(std::string what);

}  // namespace agentfootprint
