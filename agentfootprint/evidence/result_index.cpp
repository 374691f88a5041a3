// Reading an indexed result again: values, pointers, leaves.
#include "agentfootprint/evidence/result_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/evidence/internal/builder.hpp"
#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/places.hpp"
#include "agentfootprint/json/cursor.hpp"

namespace agentfootprint::evidence {

using internal::Item;
using internal::Node;

std::shared_ptr<const ResultIndex> ResultIndex::build(SharedText text) {
  return build(std::move(text), Options());
}

std::shared_ptr<const ResultIndex> ResultIndex::build(SharedText text, const Options& options) {
  std::shared_ptr<ResultIndex> index(new ResultIndex());  // NOLINT private constructor
  index->shared_ = std::move(text);
  index->text_ = *index->shared_;
  internal::KeyBag keys;
  index->read(options, keys, 0);
  return index;
}

std::shared_ptr<const ResultIndex> ResultIndex::build(const json::Value& content,
                                                      std::string_view text, const Options& options,
                                                      internal::KeyBag& keys, std::uint32_t first) {
  std::shared_ptr<ResultIndex> index(new ResultIndex());  // NOLINT private constructor
  index->content_ = content;
  // A short string stands in the value itself, so the text of a string is asked of the copy.
  index->text_ = content.is_string() ? *index->content_.as_string() : text;
  index->read(options, keys, first);
  return index;
}

void ResultIndex::read(const Options& options, internal::KeyBag& keys, std::uint32_t first) {
  if (text_.size() >= 0xFFFFFFFF) {
    throw Error("evidence-text-size",
                "a result of 4 GB or more cannot be indexed: hand it in as a dataset");
  }
  units_ = options.units == nullptr ? &UnitTable::standard() : options.units;
  internal::Builder(*this, options.respell, keys, first).run();
  if (options.size_cap != 0 && text_.size() == options.size_cap) partial_ = true;
}

std::size_t ResultIndex::memory_bytes() const noexcept {
  return sizeof(ResultIndex) + items_.capacity() * sizeof(Item) + nodes_.capacity() * sizeof(Node) +
         marks_.capacity() * sizeof(internal::ElementMark);
}

namespace internal {

namespace {
bool is_blank(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// Is the quote at `at` written with a backslash?
bool is_escaped(std::string_view text, std::size_t at) noexcept {
  std::size_t slashes = 0;
  while (at > slashes && text[at - 1 - slashes] == '\\') ++slashes;
  return slashes % 2 == 1;
}

constexpr std::size_t kWholeLeaf = 2048;  // longer leaves are read again through a window
constexpr std::size_t kWindow = 512;
constexpr std::size_t kWidest = 8192;
}  // namespace

std::size_t opening_quote(std::string_view text, std::size_t at, char quote) noexcept {
  while (at > 0) {
    const void* place = memrchr(text.data(), quote, at);
    const std::size_t found =
        place == nullptr ? std::string_view::npos
                         : static_cast<std::size_t>(static_cast<const char*>(place) - text.data());
    if (found == std::string_view::npos) return 0;
    if (!is_escaped(text, found)) return found;
    at = found;
  }
  return 0;
}

std::size_t closing_quote(std::string_view text, std::size_t at, char quote) noexcept {
  for (;;) {
    const std::size_t found = text.find(quote, at);
    if (found == std::string_view::npos) return text.size();
    if (!is_escaped(text, found)) return found;
    at = found + 1;
  }
}

Span name_before(std::string_view text, std::size_t at) noexcept {
  const auto back = [&] {
    while (at > 0 && is_blank(text[at - 1])) --at;
  };
  back();
  if (at == 0 || text[at - 1] != ':') return {};
  --at;
  back();
  if (at == 0 || (text[at - 1] != '"' && text[at - 1] != '\'')) return {};
  const char quote = text[at - 1];
  const std::size_t close = at - 1;
  const std::size_t open = opening_quote(text, close, quote);
  return text[open] == quote ? Span{open + 1, close} : Span{};
}

std::string decoded(std::string_view raw) {
  if (raw.find('\\') == std::string_view::npos) return std::string(raw);
  std::string out;
  if (!json::decode_string(raw, out)) out = std::string(raw);
  return out;
}

Span leaf_span(std::string_view text, const Item& item, std::size_t run) noexcept {
  if ((item.flags & kJsonNumber) != 0) return {item.begin, std::size_t{item.begin} + item.length};
  if ((item.flags & kText) != 0) return {run, text.size()};
  const char quote = (item.flags & kSingleQuotes) != 0 ? '\'' : '"';
  const std::size_t open = opening_quote(text, item.begin, quote);
  std::size_t close = closing_quote(text, item.begin, quote);
  if (close == text.size()) {
    // A string the text ends inside was read by its whole words.
    while (close > open + 1 && !is_blank(text[close - 1])) --close;
  }
  return {open + 1, close};
}

// The stretch to read an item from again: its leaf, or a window of a long one that begins and ends
// at spaces.
Span reading_span(std::string_view text, const Item& item, std::size_t run) noexcept {
  const std::size_t begin = item.begin;
  if ((item.flags & (kPart | kMember)) != 0) return {begin, begin + item.length};
  const Span leaf = leaf_span(text, item, run);
  if (leaf.size() <= kWholeLeaf) return leaf;
  Span window = leaf;
  if (begin - leaf.begin > kWindow) {
    std::size_t from = begin - kWindow;
    while (from < begin && !is_blank(text[from])) ++from;
    window.begin = from < begin ? from + 1 : begin;
  }
  std::size_t to = std::min(leaf.end, begin + item.length + kWindow);
  const std::size_t widest = std::min(leaf.end, begin + item.length + kWidest);
  while (to < widest && !is_blank(text[to])) ++to;
  window.end = to;
  return window;
}

std::uint32_t commas_between(std::string_view text, std::size_t from, std::size_t to) noexcept {
  std::uint32_t commas = 0;
  while (from < to) {
    const char c = text[from];
    if (c == '"' || c == '\'') {
      from = closing_quote(text, from + 1, c);
    } else if (c == '/' && from + 1 < to) {  // a comment
      const bool line = text[from + 1] == '/';
      const std::size_t end = text.find(line ? "\n" : "*/", from + 2);
      from = end == std::string_view::npos ? to : end + (line ? 0 : 1);
    } else if (c == ',') {
      ++commas;
    }
    ++from;
  }
  return commas;
}

}  // namespace internal

Span ResultIndex::span(ItemId id) const noexcept {
  const Item& item = items_[id];
  if (item.length == 0xFFFF) return value(id).span;
  return {item.begin, std::size_t{item.begin} + item.length};
}

Value ResultIndex::value(ItemId id) const {
  Value out;
  read_item(id, true, out);
  return out;
}
Value ResultIndex::readings(ItemId id) const {
  Value out;
  read_item(id, false, out);
  return out;
}
void ResultIndex::readings(ItemId id, Value& into) const {
  read_item(id, false, into);
}

void ResultIndex::read_item(ItemId id, bool spelled, Value& out) const {
  const Item& item = items_[id];
  const Span range = internal::reading_span(text_, item, text_begin_);
  const std::string_view raw = range.in(text_);
  internal::WorkText work;
  work.assign(raw, (item.flags & internal::kEscaped) != 0);
  internal::Lexeme lexeme;
  if ((item.flags & internal::kJsonNumber) != 0) {
    lexeme.number.begin = raw[0] == '-' ? 1 : 0;
    lexeme.number.end = static_cast<internal::Pos>(raw.size());
    lexeme.number.decimal = '.';
    lexeme.negative = raw[0] == '-';
    lexeme.end = lexeme.number.end;
    internal::make_value(work, raw, range.begin, lexeme, *units_, false, spelled, out);
    return;
  }
  internal::Lexer lexer(work.text(), *units_);
  if (lexer.next(work.folded(item.begin - range.begin), lexeme)) {
    internal::make_value(work, raw, range.begin, lexeme, *units_, false, spelled, out);
  } else {
    out = Value();
  }
}

std::uint32_t ResultIndex::node_of(ItemId id) const noexcept {
  const Item& item = items_[id];
  if ((item.flags & internal::kText) != 0) return 0;
  // The last container that opens before the item, or one around it.
  const auto behind =
      std::upper_bound(nodes_.begin() + 1, nodes_.end(), item.begin,
                       [](std::uint32_t at, const Node& node) { return at < node.begin; });
  auto node = static_cast<std::uint32_t>(behind - nodes_.begin()) - 1;
  while (node != 0 && nodes_[node].end <= item.begin) node = nodes_[node].parent;
  return node;
}

std::uint32_t ResultIndex::ordinal_of(ItemId id, std::uint32_t node) const noexcept {
  const Item& item = items_[id];
  const std::size_t leaf = leaf_begin(id);
  std::size_t from = nodes_[node].begin + std::size_t{1};
  std::uint32_t ordinal = 0;
  // Count from the nearest place whose number is known: a container of the array, a marked item.
  const auto behind =
      std::upper_bound(nodes_.begin() + 1, nodes_.end(), item.begin,
                       [](std::uint32_t at, const Node& other) { return at < other.begin; });
  auto child = static_cast<std::uint32_t>(behind - nodes_.begin()) - 1;
  while (child > node && nodes_[child].parent != node) child = nodes_[child].parent;
  if (child > node) {
    from = nodes_[child].end;
    ordinal = nodes_[child].ordinal;
  }
  const auto next =
      std::upper_bound(marks_.begin(), marks_.end(), id,
                       [](ItemId at, const internal::ElementMark& mark) { return at < mark.item; });
  if (next != marks_.begin()) {
    const internal::ElementMark& mark = *(next - 1);
    if (items_[mark.item].begin >= from && node_of(mark.item) == node) {
      from = leaf_begin(mark.item);
      ordinal = mark.ordinal;
    }
  }
  return ordinal + internal::commas_between(text_, from, leaf);
}

bool ResultIndex::is_part(ItemId id) const noexcept {
  return (items_[id].flags & internal::kPart) != 0;
}

namespace {

// The name of the member whose value begins at `at`.
std::string member_name(std::string_view text, std::size_t at) {
  return internal::decoded(internal::name_before(text, at).in(text));
}

}  // namespace

std::size_t ResultIndex::leaf_begin(ItemId id) const noexcept {
  const Item& item = items_[id];
  if ((item.flags & internal::kJsonNumber) != 0) return item.begin;
  const Span leaf = internal::leaf_span(text_, item, text_begin_);
  return leaf.begin == 0 ? 0 : leaf.begin - 1;
}

std::string ResultIndex::key_of(ItemId id) const {
  return key_in(id, node_of(id));
}

std::string ResultIndex::key_in(ItemId id, std::uint32_t node) const {
  if (node == 0 || !nodes_[node].object) return "";
  const Item& item = items_[id];
  if ((item.flags & internal::kInKey) != 0) {
    return internal::decoded(internal::leaf_span(text_, item, text_begin_).in(text_));
  }
  return member_name(text_, leaf_begin(id));
}

std::string ResultIndex::pointer_of_node(std::uint32_t node) const {
  std::vector<std::string> tokens;
  while (node != 0 && !nodes_[node].document) {
    const Node& here = nodes_[node];
    tokens.push_back(nodes_[here.parent].object
                         ? json::pointer_token(member_name(text_, here.begin))
                         : fmt::format("{}", here.ordinal));
    node = here.parent;
  }
  std::string out;
  for (auto it = tokens.rbegin(); it != tokens.rend(); ++it) out += "/" + *it;
  return out;
}

std::string ResultIndex::pointer(ItemId id) const {
  const std::uint32_t node = node_of(id);
  if (node == 0) return "";
  std::string out = pointer_of_node(node);
  out += "/";
  out += nodes_[node].object ? json::pointer_token(key_in(id, node))
                             : fmt::format("{}", ordinal_of(id, node));
  return out;
}

std::string ResultIndex::leaf_text(ItemId id, std::size_t* offset) const {
  const Item& item = items_[id];
  const Span leaf = internal::leaf_span(text_, item, text_begin_);
  if (offset != nullptr) {
    *offset = (item.flags & internal::kEscaped) != 0
                  ? internal::decoded(text_.substr(leaf.begin, item.begin - leaf.begin)).size()
                  : item.begin - leaf.begin;
  }
  const std::string_view raw = leaf.in(text_);
  return (item.flags & internal::kEscaped) != 0 ? internal::decoded(raw) : std::string(raw);
}

std::uint16_t ResultIndex::unit_hint(ItemId id) const {
  const std::string key = key_of(id);
  if (const std::uint16_t unit = key.empty() ? 0 : units_->of_key(key)) return unit;
  const auto record = key.empty() ? std::nullopt : record_of(id);
  if (record) {
    for (const Leaf& leaf : record->members) {
      if (leaf.is_string && (leaf.key == "unit" || leaf.key == "units")) {
        return units_->find(internal::decoded(leaf.span.in(text_)));
      }
    }
  }
  const Item& item = items_[id];
  const bool in_text = (item.flags & internal::kJsonNumber) == 0;
  return in_text ? units_->of_label(text_, item.begin) : std::uint16_t{0};
}

std::vector<ItemId> ResultIndex::items_ending_in(std::string_view digits) const {
  std::vector<ItemId> out;
  if (digits.empty()) return out;
  constexpr std::size_t kLookedAt = 8;  // an address has that many parts before its last
  for (std::size_t at = text_.find(digits); at != std::string::npos;
       at = text_.find(digits, at + 1)) {
    const std::size_t end = at + digits.size();
    if (end < text_.size() && internal::is_digit((text_)[end])) continue;
    auto it =
        std::upper_bound(items_.begin(), items_.end(), at,
                         [](std::size_t place, const Item& item) { return place < item.begin; });
    for (std::size_t i = 0; i < kLookedAt && it != items_.begin(); ++i) {
      --it;
      if (it->begin < at && std::size_t{it->begin} + it->length == end &&
          (it->flags & internal::kOmitted) == 0) {
        out.push_back(static_cast<ItemId>(it - items_.begin()));
        break;
      }
    }
  }
  return out;
}

std::optional<Value> ResultIndex::leaf_value(const Leaf& leaf) const {
  const std::string_view raw = leaf.span.in(text_);
  internal::WorkText work;
  work.assign(raw, leaf.escaped);
  internal::Lexer lexer(work.text(), *units_);
  internal::Lexeme lexeme;
  if (leaf.is_number) {
    lexeme.number.begin = raw[0] == '-' ? 1 : 0;
    lexeme.number.end = lexeme.end = static_cast<internal::Pos>(raw.size());
    lexeme.number.decimal = '.';
    lexeme.negative = raw[0] == '-';
    return internal::make_value(work, raw, leaf.span.begin, lexeme, *units_, false);
  }
  if (!leaf.is_string || !lexer.next(0, lexeme)) return std::nullopt;
  const std::string_view w = work.text();
  const auto blank = [](std::string_view piece) {
    return std::all_of(piece.begin(), piece.end(), internal::is_blank_byte);
  };
  if (!blank(w.substr(0, lexeme.begin)) || !blank(w.substr(lexeme.whole_end))) return std::nullopt;
  return internal::make_value(work, raw, leaf.span.begin, lexeme, *units_, false);
}

}  // namespace agentfootprint::evidence
