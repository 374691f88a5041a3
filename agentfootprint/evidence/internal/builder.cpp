// The walk: JSON by its leaves, text as text, each value to an item and its keys.
#include "agentfootprint/evidence/internal/builder.hpp"

#include <algorithm>
#include <cstring>

#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/semantics/absence.hpp"
#include "agentfootprint/semantics/evidence_projection.hpp"

namespace agentfootprint::evidence::internal {
namespace {

constexpr std::size_t kBytesPerItem = 14;  // a guess for the first reservation
constexpr std::size_t kLongItem = 0xFFFF;
constexpr std::size_t kTailLookedAt = 160;  // where a mark of truncation stands

std::uint64_t name_hash(std::string_view name) noexcept {
  std::uint64_t word = 0;
  const std::size_t size = std::min<std::size_t>(name.size(), 8);
  std::memcpy(&word, name.data() + name.size() - size, size);
  return ((word ^ name.size()) * 0x9E3779B97F4A7C15ULL) >> 56;
}

bool is_space(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool contains_folded(std::string_view text, std::string_view word) noexcept {
  return std::search(text.begin(), text.end(), word.begin(), word.end(),
                     [](char a, char b) { return lower(a) == b; }) != text.end();
}

}  // namespace

Builder::Builder(ResultIndex& index, bool respell)
    : index_(index), text_(*index.text_), units_(*index.units_), respell_(respell) {}

void Builder::run() {
  no_uris_ = text_.find("data:") == std::string_view::npos;
  index_.nodes_.push_back(Node{});
  index_.nodes_[0].end = static_cast<std::uint32_t>(text_.size());
  index_.items_.reserve(text_.size() / kBytesPerItem + 8);
  entries_.reserve(text_.size() / kBytesPerItem + 8);
  std::size_t start = 0;
  while (start < text_.size() && is_space(text_[start])) ++start;
  std::size_t end = start;
  if (start < text_.size() && (text_[start] == '{' || text_[start] == '[')) end = documents(start);
  if (end < text_.size()) text_run(end, text_.size());
  mark_partial();
  if (text_.find("af_") != std::string_view::npos) drop_omitted();
  finish();
}

// The JSON values the text opens with; gives where they end.
std::size_t Builder::documents(std::size_t start) {
  std::size_t end = start;
  while (start < text_.size() && (text_[start] == '{' || text_[start] == '[')) {
    const std::size_t items = index_.items_.size();
    const std::size_t nodes = index_.nodes_.size();
    const std::size_t entries = entries_.size();
    const auto reset = [&] {
      index_.items_.resize(items);
      index_.nodes_.resize(nodes);
      entries_.resize(entries);
      node_ = 0;
      ordinal_ = 0;
      in_object_ = false;
    };
    json::ScanOptions options;
    options.one_value = false;
    options.start = start;
    json::ScanResult result = json::scan(text_, *this, options);
    if (result.status == json::ScanStatus::syntax) {
      reset();
      options.lenient = true;
      result = json::scan(text_, *this, options);
    }
    if (result.status == json::ScanStatus::syntax || result.status == json::ScanStatus::too_deep) {
      reset();
      return end;
    }
    node_ = 0;
    ordinal_ = 0;
    in_object_ = false;
    index_.json_ = true;
    if (result.status == json::ScanStatus::cut) {
      index_.partial_ = true;
      for (std::size_t i = nodes; i < index_.nodes_.size(); ++i) {
        if (index_.nodes_[i].end == 0)
          index_.nodes_[i].end = static_cast<std::uint32_t>(text_.size());
      }
      return text_.size();
    }
    end = start = result.at;
    while (start < text_.size() && is_space(text_[start])) ++start;
  }
  return start >= text_.size() ? text_.size() : end;
}

void Builder::open(std::size_t at, bool object) {
  next_ordinal();
  Node node;
  node.parent = node_;
  node.ordinal = ordinal_;
  node.begin = static_cast<std::uint32_t>(at);
  node.object = object;
  node.document = node_ == 0;
  node_ = static_cast<std::uint32_t>(index_.nodes_.size());
  index_.nodes_.push_back(node);
  ordinal_ = 0xFFFFFFFF;
  in_object_ = object;
}

void Builder::close(std::size_t at) {
  Node& node = index_.nodes_[node_];
  node.end = static_cast<std::uint32_t>(at + 1);
  ordinal_ = node.ordinal;
  node_ = node.parent;
  in_object_ = node_ != 0 && index_.nodes_[node_].object;
}

void Builder::key(json::Span raw, bool escaped) {
  ++ordinal_;
  name_ = raw;
  const std::string_view name = raw.in(text_);
  known_name_ = nullptr;
  if (!escaped && name.size() <= 64) {
    NameSeen& seen = seen_names_[name_hash(name) & (seen_names_.size() - 1)];
    known_name_ = &seen;
    if (seen.begin_of_name != raw.begin && !name.empty() && seen.text(text_) == name) {
      if (!seen.digits) return;
    } else {
      seen = NameSeen{static_cast<std::uint32_t>(raw.begin), static_cast<std::uint32_t>(raw.size()),
                      false, false};
      seen.digits = std::any_of(name.begin(), name.end(), [](char c) {
        return is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
      });
    }
    if (seen.digits) leaf(raw.begin, raw.end, false, kInKey);
    return;
  }
  leaf(raw.begin, raw.end, escaped, kInKey);
}

void Builder::string(json::Span raw, bool escaped) {
  next_ordinal();
  std::uint8_t flags = 0;
  if (text_[raw.begin - 1] == '\'') flags = kSingleQuotes;
  const std::size_t before = index_.items_.size();
  leaf(raw.begin, raw.end, escaped, flags);
  if (!in_object_) return;
  if (index_.items_.size() != before) hint(name_);
  const std::string_view name = name_.in(text_);
  if (name == "unit" || name == "units") {
    const std::uint16_t unit = units_.find(raw.in(text_));
    auto& hints = index_.hint_units_;
    if (unit != 0 && std::find(hints.begin(), hints.end(), unit) == hints.end())
      hints.push_back(unit);
  }
}

void Builder::number(json::Span raw) {
  next_ordinal();
  NumberText digits;
  digits.begin = text_[raw.begin] == '-' ? 1 : 0;
  digits.end = static_cast<Pos>(raw.size());
  const double value = near_double(read_mantissa(raw.in(text_), digits, '.'), digits.begin != 0);
  push(raw.begin, raw.end, ValueKind::number, kJsonNumber);
  add_key(number_key(KeyTag::number, value));
  if (in_object_) hint(name_);
}

void Builder::cut_string(json::Span raw, bool escaped) {
  next_ordinal();
  // Whole words only: the token the text ends inside is no leaf.
  std::size_t end = raw.end;
  while (end > raw.begin && !is_space(text_[end - 1])) --end;
  if (end > raw.begin) leaf(raw.begin, end, escaped, 0);
}

void Builder::text_run(std::size_t begin, std::size_t end) {
  node_ = 0;
  ordinal_ = static_cast<std::uint32_t>(begin);
  leaf(begin, end, false, kText);
}

void Builder::leaf(std::size_t begin, std::size_t end, bool escaped, std::uint8_t flags) {
  const std::string_view raw = text_.substr(begin, end - begin);
  std::uint8_t seen = 0;
  for (const char c : raw) seen |= class_of(c);
  if (!escaped && (seen & (kIsOdd | kIsDigit)) == 0) return;
  if (escaped) flags |= kEscaped;
  work_.assign(raw, escaped);
  lex(work_, begin, flags);
}

void Builder::lex(const WorkText& work, std::size_t begin, std::uint8_t flags) {
  Lexer lexer(work.text(), units_, no_uris_ && (flags & kEscaped) == 0);
  Lexeme lexeme;
  for (std::size_t at = 0; lexer.next(at, lexeme); at = lexeme.next)
    emit(work, begin, lexeme, flags);
}

void Builder::emit(const WorkText& work, std::size_t begin, const Lexeme& lexeme,
                   std::uint8_t flags) {
  push(begin + work.original(lexeme.begin), begin + work.original_end(lexeme.end), lexeme.kind,
       flags);
  KeyList keys;
  keys_of(work.text(), lexeme, units_, keys);
  for (std::size_t i = 0; i < keys.count; ++i) add_key(keys.keys[i]);
  if (respell_ && (lexeme.kind == ValueKind::date || lexeme.kind == ValueKind::instant)) {
    for (const int piece : {int{lexeme.date.year}, int{lexeme.date.month}, int{lexeme.date.day}}) {
      if (piece != 0) add_key(number_key(KeyTag::number, piece));
    }
  }
  if (lexeme.number.list) members(work, begin, lexeme, flags);
  if (lexeme.kind == ValueKind::identifier && (flags & kPart) == 0)
    parts(work, begin, lexeme, flags);
}

void Builder::members(const WorkText& work, std::size_t begin, const Lexeme& lexeme,
                      std::uint8_t flags) {
  const std::string_view w = work.text().substr(0, lexeme.number.end);
  for (std::size_t at = lexeme.number.begin; at < w.size();) {
    std::size_t end = w.find(lexeme.number.list_sign, at);
    if (end == std::string_view::npos) end = w.size();
    Lexer lexer(w.substr(0, end), units_);
    Lexeme member;
    if (end - at < kLongItem && lexer.next(at, member) && member.begin == at && member.end == end &&
        !member.number.list) {
      emit(work, begin, member, static_cast<std::uint8_t>(flags | kMember));
    }
    at = end + 1;
  }
}

struct PartEmitter final : PartSink {
  PartEmitter(Builder& b, const WorkText& w, std::size_t from, std::uint8_t f)
      : builder(b), work(w), begin(from), flags(f) {}
  void part(std::size_t part_begin, std::size_t part_end) override {
    if (part_end - part_begin >= kLongItem) return;
    const std::string_view piece = work.text().substr(0, part_end);
    Lexer lexer(piece, builder.units_);
    Lexeme lexeme;
    if (!lexer.next(part_begin, lexeme) || lexeme.end != part_end) return;
    const bool rooted = lexeme.begin == part_begin + 1 && piece[part_begin] == '/';
    if (lexeme.begin != part_begin && !rooted) return;
    builder.emit(work, begin, lexeme, static_cast<std::uint8_t>(flags | kPart));
  }
  Builder& builder;
  const WorkText& work;
  std::size_t begin;
  std::uint8_t flags;
};

void Builder::parts(const WorkText& work, std::size_t begin, const Lexeme& lexeme,
                    std::uint8_t flags) {
  PartEmitter emitter(*this, work, begin, flags);
  each_part(work.text(), lexeme.begin, lexeme.end, emitter);
}

void Builder::push(std::size_t begin, std::size_t end, ValueKind kind, std::uint8_t flags) {
  Item item;
  item.begin = static_cast<std::uint32_t>(begin);
  item.length = static_cast<std::uint16_t>(std::min(end - begin, kLongItem));
  item.kind = static_cast<std::uint8_t>(kind);
  item.flags = flags;
  item.node = node_;
  item.ordinal = ordinal_;
  index_.items_.push_back(item);
}

// Notes the unit a member's name tells, once a name.
void Builder::hint(json::Span name) {
  if (known_name_ == nullptr || known_name_->hinted) return;
  known_name_->hinted = true;
  const std::uint16_t unit = units_.of_key(name.in(text_));
  auto& hints = index_.hint_units_;
  if (unit != 0 && std::find(hints.begin(), hints.end(), unit) == hints.end())
    hints.push_back(unit);
}

void Builder::mark_partial() {
  const std::size_t tail = text_.size() > kTailLookedAt ? text_.size() - kTailLookedAt : 0;
  const std::string_view end = text_.substr(tail);
  if (contains_folded(end, "truncated]") || contains_folded(end, "(truncated)") ||
      contains_folded(end, "...truncated") || contains_folded(end, "\xE2\x80\xA6truncated") ||
      contains_folded(end, "[output truncated") || contains_folded(end, "output was truncated") ||
      contains_folded(end, "characters truncated") || contains_folded(end, "lines truncated")) {
    index_.partial_ = true;
  }
}

// Takes out what a declared result says of the request rather than of the world.
void Builder::drop_omitted() {
  const json::LeadingValues leading = json::parse_leading(text_);
  if (leading.values.size() != 1) return;
  const json::Value& value = leading.values.front();
  index_.absence_ = semantics::is_absence(value);
  if (const json::Value* inner = value.find("result")) {
    if (semantics::is_coverage_ledger(value) && semantics::is_absence(*inner))
      index_.absence_ = true;
  }
  const std::vector<std::string> omitted = semantics::evidence_omissions(value);
  if (omitted.empty()) return;
  std::vector<bool> gone(index_.items_.size());
  for (std::size_t i = 0; i < index_.items_.size(); ++i) {
    const std::string pointer = index_.pointer(static_cast<ItemId>(i));
    gone[i] = std::any_of(omitted.begin(), omitted.end(), [&](const std::string& o) {
      return pointer.starts_with(o) && (pointer.size() == o.size() || pointer[o.size()] == '/');
    });
  }
  // Items keep their numbers: only their keys go.
  std::erase_if(entries_, [&](const KeyedItem& entry) { return gone[entry.item]; });
  for (std::size_t i = 0; i < gone.size(); ++i) {
    if (gone[i]) index_.items_[i].flags |= kOmitted;
  }
}

void Builder::finish() {
  sort_keys(entries_);
  index_.sorted_.keys.resize(entries_.size());
  index_.sorted_.items.resize(entries_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    index_.sorted_.keys[i] = entries_[i].key;
    index_.sorted_.items[i] = entries_[i].item;
  }
  index_.items_.shrink_to_fit();
}

void sort_keys(std::vector<KeyedItem>& entries) {
  constexpr std::size_t kSmall = 600;
  const auto less = [](const KeyedItem& a, const KeyedItem& b) {
    return a.key != b.key ? a.key < b.key : a.item < b.item;
  };
  if (entries.size() < kSmall) {
    std::sort(entries.begin(), entries.end(), less);
    return;
  }
  // Stable radix passes over the upper bits, least digit first; a digit that never varies is
  // skipped. The few keys that agree in all of those are put in order afterwards.
  constexpr unsigned kBits = 11;
  constexpr unsigned kShift = 20;
  constexpr std::size_t kBuckets = std::size_t{1} << kBits;
  constexpr unsigned kPasses = 4;
  static_assert(kShift + kPasses * kBits == 64);
  std::vector<std::array<std::uint32_t, kBuckets>> counts(kPasses);
  for (auto& pass : counts) pass.fill(0);
  for (const KeyedItem& entry : entries) {
    for (unsigned pass = 0; pass < kPasses; ++pass) {
      ++counts[pass][(entry.key >> (kShift + pass * kBits)) & (kBuckets - 1)];
    }
  }
  std::vector<KeyedItem> other(entries.size());
  for (unsigned pass = 0; pass < kPasses; ++pass) {
    const unsigned shift = kShift + pass * kBits;
    auto& count = counts[pass];
    const std::size_t first = (entries[0].key >> shift) & (kBuckets - 1);
    if (count[first] == entries.size()) continue;
    std::uint32_t sum = 0;
    for (std::uint32_t& c : count) sum += std::exchange(c, sum);
    for (const KeyedItem& entry : entries)
      other[count[(entry.key >> shift) & (kBuckets - 1)]++] = entry;
    entries.swap(other);
  }
  for (std::size_t begin = 0; begin < entries.size();) {
    std::size_t end = begin + 1;
    bool ordered = true;
    while (end < entries.size() && entries[end].key >> kShift == entries[begin].key >> kShift) {
      ordered = ordered && entries[end - 1].key <= entries[end].key;
      ++end;
    }
    if (!ordered) {
      std::sort(entries.begin() + static_cast<std::ptrdiff_t>(begin),
                entries.begin() + static_cast<std::ptrdiff_t>(end), less);
    }
    begin = end;
  }
}

}  // namespace agentfootprint::evidence::internal
