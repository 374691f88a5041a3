// What the two files of facts share: short forms of rows and states.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "agentfootprint/flow/run.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::flow::facts {

inline json::Value J(std::string_view text) {
  return json::parse_or_throw(text);
}
inline std::int64_t int_at(Scope& s, const Path& path) {
  return s.get(path)->as_int64().value();
}

inline std::vector<std::string> rows_of(const Log& log) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const RowView row = log.row(i);
    std::string line = row.id() + " |";
    if (row.write_count() == 0) line += " -";
    for (const WriteRecord& write : row.writes()) {
      line += fmt::format(" {}:{}", write.pointer.substr(1), name_of(write.verb));
      if (write.verb != Verb::erase) line += "=" + json::dump(write.value);
    }
    out.push_back(line);
  }
  return out;
}
inline std::string state_of(const RunResult& result) {
  return json::dump(result.state().to_json());
}

inline std::string decision_json(const Log& log, std::size_t row) {
  const json::Value document = log.row_json(row);
  return json::dump(document.at("decision"));
}

inline Stage sets(Path path, json::Value value) {
  return [path, value](Scope& s) { s.set(path, value); };
}
inline Stage nothing() {
  return [](Scope&) {};
}

}  // namespace agentfootprint::flow::facts
