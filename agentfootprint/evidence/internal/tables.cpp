// Reading the records and columns of a result.
#include "agentfootprint/evidence/internal/tables.hpp"

#include <algorithm>
#include <unordered_map>

#include "agentfootprint/base/hash.hpp"
#include "agentfootprint/json/cursor.hpp"

namespace agentfootprint::evidence::internal {

// The handler of the scan: keeps the open containers and hands leaves to columns and records.
class TableReader {
 public:
  TableReader(std::string_view text, Tables& out) : text_(text), out_(out) {
    out_.nodes_.emplace_back();
    out_.nodes_[0].hash = 0x9e3779b97f4a7c15ULL;
  }

  void read() {
    std::size_t at = 0;
    while (true) {
      while (at < text_.size() &&
             (text_[at] == ' ' || text_[at] == '\n' || text_[at] == '\t' || text_[at] == '\r')) {
        ++at;
      }
      if (at >= text_.size() || (text_[at] != '{' && text_[at] != '[')) break;
      if (at + 1 < text_.size() && text_[at + 1] == '\'') break;  // a Python repr is text
      ++out_.tops_;
      json::ScanOptions options;
      options.lenient = true;
      options.one_value = false;
      options.start = at;
      const json::ScanResult result = json::scan(text_, *this, options);
      while (!open_.empty()) close(text_.size());
      if (result.status != json::ScanStatus::complete || result.at <= at) break;
      at = result.at;
    }
    finish();
  }

  void begin_object(std::size_t at) { open(at, false); }
  void begin_array(std::size_t at) { open(at, true); }
  void end_object(std::size_t at) {
    if (!open_.empty()) close(at + 1);
  }
  void end_array(std::size_t at) { end_object(at); }
  void key(json::Span raw, bool escaped) {
    if (open_.empty()) return;
    Open& top = open_.back();
    std::string decoded;
    std::string_view key = raw.in(text_);
    if (escaped) {
      json::decode_string(key, decoded);
      key = decoded;
    }
    top.child = out_.child(top.node, key, false, top.guess);
  }
  void string(json::Span raw, bool escaped) { leaf(raw, true, escaped); }
  void number(json::Span raw) { leaf(raw, false, false); }
  void literal(json::Span) { step(); }
  void cut_string(json::Span, bool) {}
  void tolerated(const char*, std::size_t) {}

 private:
  struct Open {
    std::uint32_t node = 0;
    std::uint32_t child = 0;  // where the next value stands
    std::uint32_t guess = 0;  // the child expected next
    std::uint32_t record = kNone;
    std::uint32_t count = 0;  // elements of an array
    bool array = false;
    bool rows = false;  // an array with objects in it
    bool own_record = false;
    std::size_t first_local = 0;  // of the columns confined to the row around an array
  };
  struct Running {
    Total total;
    std::string unit;
    bool mixed = false;
  };

  std::uint32_t here() {
    if (open_.empty()) return 0;
    Open& top = open_.back();
    if (top.array) return out_.child(top.node, "*", true, top.guess);
    return top.child;
  }

  void step() {
    if (!open_.empty() && open_.back().array) ++open_.back().count;
  }

  void open(std::size_t at, bool array) {
    Open next;
    next.node = here();
    next.array = array;
    next.first_local = locals_.size();
    const bool row = !array && (open_.empty() || open_.back().array);
    next.record = open_.empty() ? kNone : open_.back().record;
    if (row) {
      TableRecord record;
      record.node = next.node;
      record.parent = next.record;
      record.begin = at;
      record.end = text_.size();
      record.index = open_.empty() ? out_.tops_ - 1 : open_.back().count;
      next.record = static_cast<std::uint32_t>(out_.records_.size());
      next.own_record = true;
      out_.records_.push_back(record);
      if (!open_.empty()) {
        open_.back().rows = true;
        for (std::uint32_t up = record.parent; up != kNone; up = out_.records_[up].parent) {
          if (out_.records_[up].holds_rows) break;
          out_.records_[up].holds_rows = true;
        }
      }
      members_.emplace_back();
    }
    step();
    open_.push_back(next);
  }

  void close(std::size_t end) {
    const Open top = open_.back();
    open_.pop_back();
    if (top.own_record) {
      TableRecord& record = out_.records_[top.record];
      record.end = end;
      if (record.holds_rows) {
        out_.kept_members_.emplace_back(top.record, std::move(members_.back()));
      }
      members_.pop_back();
    }
    if (top.array) close_array(top);
  }

  void close_array(const Open& top) {
    std::uint32_t guess = 0;
    const std::uint32_t element = out_.child(top.node, "*", true, guess);
    if (top.rows) counts_[element] += top.count;
    // Inside a row the array's own columns stand apart from those over all rows.
    if (top.record == kNone || !inside_row(top.record)) return;
    if (top.rows) keep_row_count(element, top);
    for (std::size_t i = top.first_local; i < locals_.size(); ++i) {
      add_column(locals_[i].first, top.record, locals_[i].second);
    }
    locals_.resize(top.first_local);
  }

  // Is the record itself an element of an array (so that an array in it is one of many)?
  bool inside_row(std::uint32_t record) const {
    return out_.nodes_[out_.records_[record].node].element;
  }

  void keep_row_count(std::uint32_t element, const Open& top) {
    if (out_.row_counts_.size() < kMaxRowColumns) {
      out_.row_counts_.push_back({element, top.record, top.count});
    } else {
      out_.clipped_ = true;
    }
  }

  void leaf(json::Span raw, bool text, bool escaped) {
    const std::uint32_t node = here();
    const bool in_array = !open_.empty() && open_.back().array;
    const std::uint32_t record = open_.empty() ? kNone : open_.back().record;
    step();
    if (record != kNone && !in_array) {
      auto& members = members_.back();
      if (members.size() <= kMaxMembers) members.push_back({node, raw, text, escaped});
    }
    const std::string_view bytes = raw.in(text_);
    if (!text) {
      number_in(node, bytes, {});
      return;
    }
    if (escaped || bytes.empty() || bytes.size() > kMaxGroupBytes) return;
    if (const auto amount = plain_amount(bytes)) {
      number_in(node, amount->number, amount->unit);
    } else if (record != kNone) {
      out_.postings_.push_back({text_hash(bytes), node, record});
    }
  }

  void number_in(std::uint32_t node, std::string_view number, std::string_view unit) {
    add_to(columns_[node], number, unit);
    // An array inside a row: the innermost array's own column.
    for (std::size_t depth = open_.size(); depth-- > 0;) {
      const Open& open = open_[depth];
      if (!open.array) continue;
      if (open.record == kNone || !inside_row_of_array(depth)) return;
      for (std::size_t i = open.first_local; i < locals_.size(); ++i) {
        if (locals_[i].first != node) continue;
        add_to(locals_[i].second, number, unit);
        return;
      }
      locals_.emplace_back(node, Running());
      add_to(locals_.back().second, number, unit);
      return;
    }
  }

  bool inside_row_of_array(std::size_t depth) const { return inside_row(open_[depth].record); }

  static void add_to(Running& running, std::string_view number, std::string_view unit) {
    if (running.total.count() == 0) {
      running.unit = unit;
    } else if (running.unit != unit) {
      running.mixed = true;
    }
    if (running.total.count() >= kMaxColumnRows || !running.total.add(number)) running.mixed = true;
  }

  void add_column(std::uint32_t node, std::uint32_t row, const Running& running) {
    if (running.total.count() < 2) return;
    if (running.mixed || (row != kNone && out_.columns_.size() >= kMaxRowColumns)) {
      out_.clipped_ = true;
      return;
    }
    TableColumn column;
    column.node = node;
    column.row = row;
    column.rows = running.total.count();
    column.integers = running.total.integers();
    column.sum = running.total.sum();
    column.unit = running.unit;
    out_.columns_.push_back(std::move(column));
  }

  void finish() {
    std::vector<std::uint32_t> nodes;
    nodes.reserve(columns_.size());
    for (const auto& [node, running] : columns_) nodes.push_back(node);
    std::sort(nodes.begin(), nodes.end());
    for (const std::uint32_t node : nodes) {
      if (under_array(node)) add_column(node, kNone, columns_[node]);
    }
    for (const auto& [node, count] : counts_) out_.row_counts_.push_back({node, kNone, count});
    std::sort(out_.row_counts_.begin(), out_.row_counts_.end(),
              [](const RowCount& a, const RowCount& b) {
                return std::pair(a.node, a.row) < std::pair(b.node, b.row);
              });
    std::sort(out_.kept_members_.begin(), out_.kept_members_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::sort(out_.postings_.begin(), out_.postings_.end(),
              [](const TextPosting& a, const TextPosting& b) {
                return std::tuple(a.hash, a.node, a.record) < std::tuple(b.hash, b.node, b.record);
              });
    out_.postings_.shrink_to_fit();
    out_.records_.shrink_to_fit();
  }

  // A path without a wild index is a column only over several values at the top.
  bool under_array(std::uint32_t node) const {
    for (std::uint32_t at = node; at != kNone; at = out_.nodes_[at].parent) {
      if (out_.nodes_[at].element) return true;
    }
    return out_.tops_ > 1;
  }

  std::string_view text_;
  Tables& out_;
  std::vector<Open> open_;
  std::vector<std::vector<TableLeaf>> members_;  // of the open records
  std::vector<std::pair<std::uint32_t, Running>> locals_;
  std::unordered_map<std::uint32_t, Running> columns_;
  std::unordered_map<std::uint32_t, std::uint32_t> counts_;
};

std::shared_ptr<const Tables> Tables::read(std::string_view text) {
  auto tables = std::make_shared<Tables>();
  TableReader(text, *tables).read();
  return tables;
}

// Rows repeat their keys in the same order, so the child behind the last one is tried first.
std::uint32_t Tables::child(std::uint32_t node, std::string_view key, bool element,
                            std::uint32_t& guess) {
  const auto matches = [&](std::uint32_t at) {
    return nodes_[at].element == element && (element || nodes_[at].key == key);
  };
  const std::vector<std::uint32_t>& children = nodes_[node].children;
  if (guess < children.size() && matches(children[guess])) return children[guess++];
  for (std::uint32_t i = 0; i < children.size(); ++i) {
    if (!matches(children[i])) continue;
    guess = i + 1;
    return children[i];
  }
  const auto made = static_cast<std::uint32_t>(nodes_.size());
  Node next;
  next.parent = node;
  next.key = element ? "*" : std::string(key);
  next.element = element;
  next.hash = hash64(next.key, nodes_[node].hash + (element ? 1 : 0));
  nodes_[node].children.push_back(made);
  guess = static_cast<std::uint32_t>(nodes_[node].children.size());
  nodes_.push_back(std::move(next));
  return made;
}

std::string Tables::pointer_of(std::uint32_t node, std::uint32_t row) const {
  std::vector<std::uint32_t> chain;
  for (std::uint32_t at = node; at != kNone && at != 0; at = nodes_[at].parent) chain.push_back(at);
  std::reverse(chain.begin(), chain.end());
  std::vector<std::uint32_t> indexes;  // of the rows around `row`, outermost first
  for (std::uint32_t at = row; at != kNone; at = records_[at].parent) {
    if (nodes_[records_[at].node].element) indexes.push_back(records_[at].index);
  }
  std::reverse(indexes.begin(), indexes.end());
  std::string pointer;
  std::size_t used = 0;
  for (const std::uint32_t at : chain) {
    pointer += '/';
    if (!nodes_[at].element) {
      pointer += json::pointer_token(nodes_[at].key);
    } else if (used < indexes.size()) {
      pointer += std::to_string(indexes[used++]);
    } else {
      pointer += '*';
    }
  }
  return pointer;
}

std::string Tables::record_pointer(std::uint32_t record) const {
  return pointer_of(records_[record].node, record);
}

std::optional<std::uint32_t> Tables::record_at(std::size_t byte) const {
  auto after = std::upper_bound(records_.begin(), records_.end(), byte,
                                [](std::size_t at, const TableRecord& r) { return at < r.begin; });
  if (after == records_.begin()) return std::nullopt;
  auto record = static_cast<std::uint32_t>(std::prev(after) - records_.begin());
  while (records_[record].end <= byte) {
    record = records_[record].parent;
    if (record == kNone) return std::nullopt;
  }
  return record;
}

bool Tables::within(std::uint32_t record, std::uint32_t outer) const {
  while (record != kNone && record != outer) record = records_[record].parent;
  return record == outer;
}

namespace {

// Collects the leaves of one record, skipping arrays.
class MemberReader {
 public:
  explicit MemberReader(std::string_view text) : text_(text) {}
  void begin_object(std::size_t) {
    if (arrays_ == 0) path_.emplace_back();
  }
  void end_object(std::size_t) {
    if (arrays_ == 0 && !path_.empty()) path_.pop_back();
  }
  void begin_array(std::size_t) { ++arrays_; }
  void end_array(std::size_t) { --arrays_; }
  void key(json::Span raw, bool escaped) {
    if (arrays_ > 0 || path_.empty()) return;
    if (escaped) {
      path_.back().clear();
      json::decode_string(raw.in(text_), path_.back());
    } else {
      path_.back() = raw.in(text_);
    }
  }
  void string(json::Span raw, bool escaped) { leaf(raw, true, escaped); }
  void number(json::Span raw) { leaf(raw, false, false); }
  void literal(json::Span) {}
  void cut_string(json::Span, bool) {}
  void tolerated(const char*, std::size_t) {}

  struct Found {
    std::vector<std::string> path;
    TableLeaf leaf;
  };
  std::vector<Found> found;

 private:
  void leaf(json::Span raw, bool text, bool escaped) {
    if (arrays_ > 0 || found.size() > kMaxMembers) return;
    found.push_back({path_, {0, raw, text, escaped}});
  }
  std::string_view text_;
  std::vector<std::string> path_;
  std::size_t arrays_ = 0;
};

}  // namespace

std::optional<std::vector<TableLeaf>> Tables::members(std::string_view text,
                                                      std::uint32_t record) const {
  const TableRecord& where = records_[record];
  std::vector<TableLeaf> leaves;
  if (where.holds_rows) {
    const auto kept =
        std::lower_bound(kept_members_.begin(), kept_members_.end(), record,
                         [](const auto& entry, std::uint32_t key) { return entry.first < key; });
    if (kept != kept_members_.end() && kept->first == record) leaves = kept->second;
  } else {
    MemberReader reader(text);
    json::ScanOptions options;
    options.lenient = true;
    options.one_value = false;
    options.start = where.begin;
    json::scan(text, reader, options);
    for (MemberReader::Found& found : reader.found) {
      std::uint32_t node = where.node;
      for (const std::string& key : found.path) {
        for (const std::uint32_t at : nodes_[node].children) {
          if (nodes_[at].element || nodes_[at].key != key) continue;
          node = at;
          break;
        }
      }
      found.leaf.node = node;
      leaves.push_back(found.leaf);
    }
  }
  if (leaves.size() > kMaxMembers) return std::nullopt;
  return leaves;
}

std::optional<std::uint32_t> Tables::lone_record() const {
  if (tops_ != 1 || records_.size() != 1 || nodes_[records_[0].node].element) return std::nullopt;
  return 0U;
}

}  // namespace agentfootprint::evidence::internal
