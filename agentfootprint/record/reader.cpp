// Reading the lines of a footprint and checking that they hang together.
//
// Lines take effect block by block: what stands behind the last chain line is kept apart until a
// chain line covers it, so that a torn record is read up to its last good place, and what a crash
// left behind that is told and dropped.
#include "agentfootprint/record/reader.hpp"

#include <fmt/format.h>

#include <fstream>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/record/internal/segment.hpp"

namespace agentfootprint {
namespace {

using record::internal::digest_from_hex;
using record::internal::number_at;
using record::internal::Segment;
using record::internal::text_at;

constexpr std::size_t kMaxDepth = 2'000;

Expected<json::Value, json::ParseError> parse_line(std::string_view text) {
  json::ParseOptions options;
  options.max_depth = kMaxDepth;
  return json::parse(text, options);
}

}  // namespace

bool Footprint::intact() const noexcept {
  for (const RecordNote& note : notes) {
    if (note.damage) return false;
  }
  return true;
}

struct RecordReader::State {
  struct Pending {
    std::uint64_t line = 0;
    json::Value value;
  };

  void take(std::string_view text, bool closed);
  void header(const json::Value& value);
  void chain(const json::Value& value);
  void check_seq(const json::Value& value);
  void drop_pending(std::uint64_t last);

  Footprint footprint;
  Segment segment{footprint};
  std::uint64_t expected_seq = 0;
  std::string block;  // bytes since the last chain line
  std::vector<Pending> pending;
  // Faults behind the last chain line: damage, unless they are only the torn last line.
  std::vector<RecordNote> suspect;
};

void RecordReader::State::take(std::string_view text, bool closed) {
  const std::uint64_t number = ++footprint.line_count;
  auto parsed = parse_line(text);
  if (!closed || !parsed || !parsed->is_object()) {
    if (number == 1)
      throw Error("record-format", "the input is no footprint: its first line is no header");
    suspect.push_back({number, "unreadable",
                       closed ? "the line is no JSON object" : "the line is not finished", true});
    block.append(text) += '\n';
    return;
  }
  const std::string kind = text_at(*parsed, "kind");
  if (kind == "header") {
    drop_pending(number - 1);
    block.append(text) += '\n';
    header(*parsed);
    return;
  }
  if (number == 1)
    throw Error("record-format", "the input is no footprint: its first line is no header");
  check_seq(*parsed);
  if (kind == "chain") return chain(*parsed);
  block.append(text) += '\n';
  pending.push_back({number, std::move(*parsed)});
}

void RecordReader::State::check_seq(const json::Value& value) {
  const auto seq = number_at(value, "seq");
  if (seq != expected_seq) {
    suspect.push_back({footprint.line_count, "sequence",
                       fmt::format("the line should have the number {}", expected_seq), true});
  }
  // One gap is told once.
  expected_seq = seq.value_or(expected_seq) + 1;
}

// What no chain line covers. Only its last line may be unreadable without that being damage.
void RecordReader::State::drop_pending(std::uint64_t last) {
  if (suspect.size() == 1 && suspect.back().code == "unreadable" && suspect.back().line == last) {
    footprint.notes.push_back(
        {last, "torn-tail", "the line was cut while it was written and was dropped", false});
    suspect.clear();
  }
  for (RecordNote& note : suspect) footprint.notes.push_back(std::move(note));
  suspect.clear();
  if (!pending.empty()) {
    footprint.notes.push_back(
        {pending.front().line, "uncovered",
         fmt::format("{} behind the last chain line {} dropped",
                     pending.size() == 1 ? "1 line" : fmt::format("{} lines", pending.size()),
                     pending.size() == 1 ? "was" : "were"),
         false});
  }
  pending.clear();
  block.clear();
  expected_seq = footprint.next_seq;
}

// The first line, or a segment that goes on behind the last good hash.
void RecordReader::State::header(const json::Value& value) {
  const std::uint64_t line = footprint.line_count;
  if (text_at(value, "format") != kFootprintFormat ||
      number_at(value, "version") != kFootprintVersion) {
    throw Error("record-format", fmt::format("line {} is no header of footprint version {}", line,
                                             kFootprintVersion));
  }
  if (line > 1 && text_at(value, "continues") != to_hex(footprint.chain)) {
    footprint.notes.push_back(
        {line, "continues", "the segment does not go on from the last good chain line", true});
  }
  check_seq(value);
  if (footprint.run.empty()) footprint.run = text_at(value, "run");
  if (footprint.created_at.empty()) footprint.created_at = text_at(value, "createdAt");
  ++footprint.segments;
  segment.begin();
}

// A block that fails is read all the same; the next one is checked from the hash written here, so
// that one fault is told once.
void RecordReader::State::chain(const json::Value& value) {
  for (RecordNote& note : suspect) footprint.notes.push_back(std::move(note));
  suspect.clear();
  for (const Pending& line : pending) segment.apply(line.line, line.value);
  pending.clear();
  const Digest256 hash = chain_hash(footprint.chain, block);
  const auto written = digest_from_hex(text_at(value, "hash"));
  if (written != hash) {
    footprint.notes.push_back(
        {footprint.line_count, "chain",
         fmt::format("lines {} to {} do not have the hash written here: one of them was changed, "
                     "taken out or put in",
                     footprint.covered_lines + 1, footprint.line_count - 1),
         true});
  }
  block.clear();
  footprint.chain = written.value_or(hash);
  footprint.next_seq = expected_seq;
  footprint.next_message = footprint.conversation.size();
  footprint.covered_lines = footprint.line_count;
}

RecordReader::RecordReader() : state_(std::make_unique<State>()) {}
RecordReader::~RecordReader() = default;
RecordReader::RecordReader(RecordReader&&) noexcept = default;
RecordReader& RecordReader::operator=(RecordReader&&) noexcept = default;

bool RecordReader::opens(std::string_view line) {
  if (line.find(kFootprintFormat) == std::string_view::npos) return false;
  const auto parsed = parse_line(line);
  return parsed && text_at(*parsed, "kind") == "header" &&
         text_at(*parsed, "format") == kFootprintFormat;
}

void RecordReader::line(std::string_view text, bool closed) {
  state_->take(text, closed);
}

Footprint RecordReader::finish() {
  state_->drop_pending(state_->footprint.line_count);
  Footprint footprint = std::move(state_->footprint);
  state_ = std::make_unique<State>();
  if (footprint.line_count == 0) throw Error("record-format", "the input is empty: no footprint");
  return footprint;
}

Footprint read_footprint(std::string_view text) {
  RecordReader reader;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    reader.line(text.substr(0, end), end != std::string_view::npos);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return reader.finish();
}

Footprint read_footprint_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("record-io", fmt::format("cannot open {}", path));
  RecordReader reader;
  std::string line;
  while (std::getline(file, line)) reader.line(line, !file.eof());
  if (file.bad()) throw Error("record-io", fmt::format("cannot read {}", path));
  return reader.finish();
}

}  // namespace agentfootprint
