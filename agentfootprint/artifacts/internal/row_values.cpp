// From the text of one row to an object of named values.
#include "agentfootprint/artifacts/internal/row_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

std::string text_of(const std::string& field) {
  return utf8::is_valid(field) ? field : utf8::sanitize(field);
}

}  // namespace

bool RowReader::is_header(std::string_view text) {
  if (format_ != RowFormat::csv || have_header_) return false;
  header_ = csv_fields(text);
  std::set<std::string> taken;
  for (std::size_t i = 0; i < header_.size(); ++i) {
    const std::string plain = header_[i].empty() ? fmt::format("c{}", i + 1) : text_of(header_[i]);
    header_[i] = plain;
    for (int n = 2; !taken.insert(header_[i]).second; ++n) {
      header_[i] = fmt::format("{}_{}", plain, n);
    }
  }
  have_header_ = true;
  return true;
}

// Of a field in a record that is longer than the header.
std::string RowReader::name_behind_header(std::size_t place) const {
  std::string name = fmt::format("c{}", place);
  for (int n = 2; std::find(header_.begin(), header_.end(), name) != header_.end(); ++n) {
    name = fmt::format("c{}_{}", place, n);
  }
  return name;
}

json::Value row_object(const json::Value& value) {
  if (value.is_object()) return value;
  std::vector<json::Member> members;
  if (value.is_array()) {
    std::size_t place = 0;
    for (const json::Value& element : value.elements()) {
      members.emplace_back(fmt::format("c{}", ++place), element);
    }
  } else {
    members.emplace_back("value", value);
  }
  return json::object(std::move(members));
}

json::Value RowReader::read(std::string_view text, std::uint64_t at) const {
  if (format_ != RowFormat::csv) {
    auto parsed = json::parse(text);
    if (!parsed) {
      throw Error("artifact-rows",
                  fmt::format("the row at byte {} is not JSON: {}", at, parsed.error().reason));
    }
    return row_object(*parsed);
  }
  std::vector<json::Member> members;
  const std::vector<std::string> fields = csv_fields(text);
  members.reserve(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string name = i < header_.size() ? header_[i] : name_behind_header(i + 1);
    members.emplace_back(std::string_view(name), json::Value(text_of(fields[i])));
  }
  return json::object(std::move(members));
}

}  // namespace agentfootprint::artifacts_internal
