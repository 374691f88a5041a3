// Tables, JSON and progress of the command `artifacts`.
#include "agentfootprint/cli/artifacts_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "agentfootprint/artifacts/scope.hpp"
#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

constexpr std::size_t kWidestCell = 64;

std::string shown(const std::string& cell) {
  const std::string safe = utf8::printable(cell);
  if (utf8::count(safe) <= kWidestCell) return safe;
  return std::string(utf8::clip(safe, kWidestCell - 1)) + "…";
}

}  // namespace

std::string TextTable::to_text() const {
  std::vector<std::vector<std::string>> safe;
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    safe.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) {
      safe.back().push_back(shown(row[c]));
      if (widths.size() <= c) widths.push_back(0);
      widths[c] = std::max(widths[c], utf8::count(safe.back().back()));
    }
  }
  std::string out;
  for (const auto& row : safe) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      out += row[c];
      const bool last = c + 1 == row.size();
      if (!last) out.append(widths[c] - utf8::count(row[c]) + 2, ' ');
    }
    while (out.ends_with(' ')) out.pop_back();
    out += '\n';
  }
  return out;
}

void print_json(const json::Value& value) {
  print_text(json::dump_pretty(value) + "\n");
}

void print_text(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

std::string scope_text(const ArtifactScope& scope) {
  return identity_namespace(scope);
}

std::string time_text(std::int64_t wall_ms) {
  return format_instant_utc(wall_ms);
}

std::string cell_text(const json::Value& value) {
  const auto text = value.as_string();
  return text ? std::string(*text) : json::dump(value);
}

std::function<void(std::uint64_t)> progress_line(std::string what) {
  if (isatty(STDERR_FILENO) == 0) return [](std::uint64_t) {};
  auto last = std::make_shared<std::int64_t>(SystemClock::instance().steady_ns());
  return [what = std::move(what), last](std::uint64_t done) {
    const std::int64_t now = SystemClock::instance().steady_ns();
    if (now - *last < 1'000'000'000) return;
    *last = now;
    fmt::print(stderr, "{}: {} done\n", what, done);
  };
}

}  // namespace agentfootprint
