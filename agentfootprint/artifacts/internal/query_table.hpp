// The temporary table a query runs over.
#pragma once

#include <sqlite3.h>

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "agentfootprint/artifacts/internal/sqlite.hpp"
#include "agentfootprint/artifacts/query.hpp"

namespace agentfootprint::artifacts_internal {

class QueryTable {
 public:
  // `texts_may_be_numbers`: the rows are CSV, where every field is a text.
  explicit QueryTable(bool texts_may_be_numbers);
  // Adds columns as they come. Throws Refusal "artifact-query" above 1,000 columns.
  void add(const json::Value& row);
  // Ends loading; from here on the connection only reads.
  void seal();
  [[nodiscard]] QueryRows run(const std::string& sql, const QueryOptions& options);

 private:
  void add_columns(const json::Value& row);
  [[nodiscard]] bool places_of(const json::Value& row);
  void insert_bare_rows();
  void prepare_insert();
  void bind(int index, const json::Value& value);
  void bind_number(int index, const json::Value& number);

  bool texts_may_be_numbers_;
  Connection connection_;
  std::unique_ptr<Statement> insert_;
  std::unordered_map<std::string, int> columns_;  // name in the rows to its place
  std::vector<std::string> names_;                // by place
  std::vector<int> places_;                       // of the members of the row at hand
  std::set<std::string> folded_;                  // names as SQL compares them
  std::uint64_t bare_rows_ = 0;                   // seen before the first column
};

}  // namespace agentfootprint::artifacts_internal
