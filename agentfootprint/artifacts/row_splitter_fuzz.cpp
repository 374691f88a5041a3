// Rows of any bytes, in any pieces: the splitter gives the same rows and never leaves the text.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/artifacts/internal/row_values.hpp"
#include "agentfootprint/artifacts/preview.hpp"
#include "agentfootprint/artifacts/row_splitter.hpp"
#include "agentfootprint/base/error.hpp"

namespace {

using agentfootprint::RowFormat;
using agentfootprint::RowSplitter;

struct Rows {
  std::vector<std::string> rows;
  bool broken = false;
  bool operator==(const Rows&) const = default;
};

Rows split(RowFormat format, std::string_view text, std::size_t piece) {
  Rows out;
  RowSplitter splitter(format);
  const auto take = [&](std::string_view row, std::uint64_t at) {
    if (at + row.size() > text.size() || text.substr(at, row.size()) != row) std::abort();
    out.rows.emplace_back(row);
    return true;
  };
  try {
    for (std::size_t at = 0; at < text.size(); at += piece) {
      splitter.feed(text.substr(at, piece), take);
    }
    splitter.finish(take);
  } catch (const agentfootprint::Error& error) {
    if (error.code() != "artifact-rows") std::abort();
    out.broken = true;
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto format = static_cast<RowFormat>(data[0] % 3);
  const std::size_t piece = 1 + data[1] % 16;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Rows whole = split(format, text, text.size() + 1);
  if (split(format, text, piece) != whole) std::abort();
  agentfootprint::RowMeasure measure(format);
  measure.feed(text);
  (void)measure.finish();
  agentfootprint::artifacts_internal::RowReader reader(format);
  for (const std::string& row : whole.rows) {
    if (reader.is_header(row)) continue;
    try {
      (void)reader.read(row, 0);
    } catch (const agentfootprint::Error& error) {
      if (error.code() != "artifact-rows") std::abort();
    }
  }
  return 0;
}
