// `show --steps`.
#include "agentfootprint/cli/show_steps.hpp"

#include <fmt/format.h>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/cli/command.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/record/reader.hpp"

namespace agentfootprint {
namespace {

constexpr std::size_t kClip = 80;

std::string text_of(const json::Value& value, const char* key) {
  const json::Value* member = value.find(key);
  if (member == nullptr) return "";
  const auto text = member->as_string();
  return utf8::printable(utf8::clip(text ? std::string(*text) : json::dump(*member), kClip));
}

std::string read_line(const json::Value& read) {
  std::string line = text_of(read, "key");
  if (read.contains("from")) line += fmt::format(" (from {})", text_of(read, "from"));
  if (read.contains("own")) line += " (its own)";
  if (read.contains("absent")) line += " (not there)";
  return line;
}

std::string write_line(const json::Value& write) {
  const std::string verb = text_of(write, "verb");
  if (verb == "erase") return text_of(write, "key") + " erased";
  return fmt::format(
      "{} {} {}", text_of(write, "key"), verb == "append" ? "+=" : "=",
      write.contains("item") ? "item " + text_of(write, "item") : text_of(write, "value"));
}

template <class Line>
void print_list(const json::Value& commit, const char* key, const char* word, Line line) {
  const json::Value* list = commit.find(key);
  if (list == nullptr) return;
  std::string all;
  for (const json::Value& one : list->elements()) {
    all += (all.empty() ? "" : ", ") + line(one);
  }
  fmt::print("       {} {}\n", word, all);
}

}  // namespace

int show_steps(const std::string& file, bool as_json) {
  const Footprint footprint = read_footprint_file(file);
  std::size_t steps = 0;
  for (const RecordedLine& line : footprint.lines) {
    if (line.kind != "commit") continue;
    ++steps;
    if (as_json) {
      fmt::print("{}\n", json::dump(line.value));
      continue;
    }
    const std::string status = text_of(line.value, "status");
    fmt::print("{:>5}  {}{}\n", text_of(line.value, "row"), text_of(line.value, "stage"),
               status.empty() ? "" : " (" + status + ")");
    print_list(line.value, "reads", "reads ", read_line);
    print_list(line.value, "writes", "writes", write_line);
  }
  if (!as_json && steps == 0) fmt::print("{}: the record holds no steps\n", file);
  for (const RecordNote& note : footprint.notes) {
    if (!note.damage) continue;
    fmt::print(stderr, "damage: {}, line {}\n", utf8::printable(note.message), note.line);
  }
  return footprint.intact() ? kExitClean : kExitUsage;
}

}  // namespace agentfootprint
