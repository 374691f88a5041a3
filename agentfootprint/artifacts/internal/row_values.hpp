// From the text of one row to an object of named values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/artifacts/row_splitter.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::artifacts_internal {

// Remembers the header of a CSV payload. Rows that are no objects get names: the elements of an
// array `c1`, `c2`, …; any other value `value`. CSV fields stay the texts they are; of columns with
// one name the second is `name_2`, and a field without a name is `c` and its place.
class RowReader {
 public:
  explicit RowReader(RowFormat format) : format_(format) {}

  // True for the first record of CSV, which is then taken as the header.
  bool is_header(std::string_view text);
  [[nodiscard]] const std::vector<std::string>& header() const noexcept { return header_; }
  // Throws Error "artifact-rows" when the row is no JSON.
  [[nodiscard]] json::Value read(std::string_view text, std::uint64_t at) const;

 private:
  [[nodiscard]] std::string name_behind_header(std::size_t place) const;
  RowFormat format_;
  bool have_header_ = false;
  std::vector<std::string> header_;
};

// A JSON value as a row object.
[[nodiscard]] json::Value row_object(const json::Value& value);

}  // namespace agentfootprint::artifacts_internal
