// Records and columns of a result, for derivations.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "agentfootprint/evidence/internal/places.hpp"
#include "agentfootprint/evidence/result_index.hpp"
#include "agentfootprint/json/cursor.hpp"

namespace agentfootprint::evidence {
namespace {

// A container on the way to the leaf being read.
struct Step {
  bool object = false;
  std::string token;        // of the member or element being read in it
  std::uint32_t index = 0;  // of the element
  bool started = false;
};

// Follows the path of each leaf and hands leaves to `Sink::leaf(path, Leaf)`.
template <class Sink>
class LeafReader {
 public:
  LeafReader(std::string_view text, Sink& sink) : text_(text), sink_(sink) {}

  void begin_object(std::size_t) {
    advance();
    path_.push_back({true, "", 0, false});
  }
  void begin_array(std::size_t) {
    advance();
    path_.push_back({false, "", 0, false});
  }
  void end_object(std::size_t) { path_.pop_back(); }
  void end_array(std::size_t) { path_.pop_back(); }
  void key(json::Span raw, bool) { path_.back().token = internal::decoded(raw.in(text_)); }
  void string(json::Span raw, bool escaped) { put(raw, true, false, escaped); }
  void number(json::Span raw) { put(raw, false, true, false); }
  void literal(json::Span raw) { put(raw, false, false, false); }
  void cut_string(json::Span, bool) {}
  void tolerated(const char*, std::size_t) {}

 private:
  void advance() {
    if (path_.empty() || path_.back().object) return;
    Step& step = path_.back();
    if (step.started) ++step.index;
    step.started = true;
  }
  void put(json::Span raw, bool is_string, bool is_number, bool escaped) {
    advance();
    if (path_.empty()) return;
    Leaf leaf;
    leaf.span = raw;
    leaf.is_string = is_string;
    leaf.is_number = is_number;
    leaf.escaped = escaped;
    if (path_.back().object) leaf.key = path_.back().token;
    sink_.leaf(path_, std::move(leaf));
  }

  std::string_view text_;
  Sink& sink_;
  std::vector<Step> path_;
};

std::string token_of(const Step& step) {
  return step.object ? json::pointer_token(step.token) : fmt::format("{}", step.index);
}

struct RecordSink {
  Record& record;
  std::size_t max_members;
  void leaf(const std::vector<Step>& path, Leaf&& leaf) {
    const bool nested = path.size() > 1;
    if (nested) {
      if (!record.whole_result) return;
      for (const Step& step : path) {
        if (!step.object) return;  // rows are not of this record
      }
    }
    if (record.members.size() >= max_members) {
      record.truncated = true;
      return;
    }
    leaf.pointer = record.pointer;
    for (const Step& step : path) leaf.pointer += "/" + token_of(step);
    record.members.push_back(std::move(leaf));
  }
};

struct ColumnSink {
  std::vector<Column>& columns;
  std::unordered_map<std::string, std::size_t> known;
  std::string prefix;  // of the document, when there are several

  void leaf(const std::vector<Step>& path, Leaf&& leaf) {
    std::size_t wild = path.size();
    for (std::size_t i = path.size(); i-- > 0;) {
      if (!path[i].object) {
        wild = i;
        break;
      }
    }
    if (wild == path.size()) return;
    std::string rows;
    for (std::size_t i = 0; i < wild; ++i) rows += "/" + token_of(path[i]);
    std::string pattern = rows + "/*";
    leaf.pointer = rows + "/" + token_of(path[wild]);
    for (std::size_t i = wild + 1; i < path.size(); ++i) {
      const std::string token = "/" + token_of(path[i]);
      pattern += token;
      leaf.pointer += token;
    }
    const auto [it, added] = known.try_emplace(pattern, columns.size());
    if (added) {
      columns.emplace_back();
      columns.back().pointer = std::move(pattern);
      columns.back().rows = std::move(rows);
    }
    Column& column = columns[it->second];
    column.row_of.push_back(path[wild].index);
    column.cells.push_back(std::move(leaf));
  }
};

}  // namespace

std::optional<Record> ResultIndex::record_of(ItemId id, std::size_t max_members) const {
  std::uint32_t node = node_of(id);
  while (node != 0 && !nodes_[node].object) node = nodes_[node].parent;
  if (node == 0) return std::nullopt;
  Record record;
  record.pointer = pointer_of_node(node);
  record.whole_result = nodes_[node].document;
  RecordSink sink{record, max_members};
  const std::string_view object = text_.substr(0, nodes_[node].end);
  LeafReader<RecordSink> reader(object, sink);
  json::ScanOptions options;
  options.lenient = true;
  options.one_value = false;
  options.start = nodes_[node].begin;
  json::scan(object, reader, options);
  return record;
}

std::vector<ItemId> ResultIndex::items_of_record(ItemId id) const {
  std::uint32_t node = node_of(id);
  while (node != 0 && !nodes_[node].object) node = nodes_[node].parent;
  std::vector<ItemId> out;
  if (node == 0) return out;
  const internal::Node& object = nodes_[node];
  const auto first = std::lower_bound(
      items_.begin(), items_.end(), object.begin,
      [](const internal::Item& item, std::uint32_t at) { return item.begin < at; });
  for (auto it = first; it != items_.end() && it->begin < object.end; ++it) {
    if ((it->flags & internal::kOmitted) == 0)
      out.push_back(static_cast<ItemId>(it - items_.begin()));
  }
  return out;
}

const std::vector<Column>& ResultIndex::columns() const {
  std::call_once(columns_once_, [this] {
    ColumnSink sink{columns_, {}, {}};
    for (const internal::Node& node : nodes_) {
      if (!node.document) continue;
      const std::string_view document = text_.substr(0, node.end);
      LeafReader<ColumnSink> reader(document, sink);
      json::ScanOptions options;
      options.lenient = true;
      options.one_value = false;
      options.start = node.begin;
      json::scan(document, reader, options);
    }
    for (Column& column : columns_) {
      column.numeric = true;
      for (const Leaf& cell : column.cells) {
        if (cell.is_number) continue;
        const auto value = leaf_value(cell);
        const bool number =
            value && (value->kind == ValueKind::number || value->kind == ValueKind::quantity);
        if (!number) {
          column.numeric = false;
          break;
        }
      }
    }
  });
  return columns_;
}

}  // namespace agentfootprint::evidence
