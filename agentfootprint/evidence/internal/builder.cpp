// The walk: JSON by its leaves, text as text, each value to an item and its keys.
#include "agentfootprint/evidence/internal/builder.hpp"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/cut_marks.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/semantics/absence.hpp"
#include "agentfootprint/semantics/evidence_projection.hpp"

namespace agentfootprint::evidence::internal {
namespace {

constexpr std::size_t kBytesPerItem = 14;  // a guess for the first reservation
constexpr std::size_t kLargeText = 100'000;
constexpr std::uint32_t kMarkEvery = 64;  // items between marks of elements
constexpr std::size_t kLongItem = 0xFFFF;
constexpr std::size_t kTailLookedAt = 160;  // where a mark of truncation stands

std::uint64_t load(const char* at, std::size_t size) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, size);
  return word;
}

std::uint64_t name_hash(std::string_view name) noexcept {
  const std::size_t size = name.size();
  const char* const first = name.data();
  const char* const behind = first + size;
  std::uint64_t word = 0;
  if (size >= 8) {
    word = load(behind - 8, 8);
  } else if (size >= 4) {
    word = load(first, 4) << 32 | load(behind - 4, 4);
  } else if (size > 0) {
    word = load(behind - 1, 1);
  }
  return ((word ^ size) * 0x9E3779B97F4A7C15ULL) >> 57;
}

// Short texts of one length, without a call.
bool same_bytes(const char* a, const char* b, std::size_t size) noexcept {
  if (size > 16) return std::memcmp(a, b, size) == 0;
  if (size >= 8) {
    return load(a, 8) == load(b, 8) && load(a + size - 8, 8) == load(b + size - 8, 8);
  }
  if (size >= 4) {
    return load(a, 4) == load(b, 4) && load(a + size - 4, 4) == load(b + size - 4, 4);
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// Every class there is in `text`; `all` is the text around it, which may be looked at too.
std::uint8_t classes_in(std::string_view text, std::string_view all) noexcept {
#if defined(__SSE2__)
  constexpr std::size_t kBlock = 16;
  if (text.data() + text.size() + kBlock <= all.data() + all.size()) {
    // As signed bytes, control characters and everything beyond ASCII are below a space.
    int digits = 0;
    int odd = 0;
    for (std::size_t at = 0; at < text.size(); at += kBlock) {
      const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
      const __m128i digit = _mm_and_si128(_mm_cmpgt_epi8(block, _mm_set1_epi8('0' - 1)),
                                          _mm_cmplt_epi8(block, _mm_set1_epi8('9' + 1)));
      const __m128i strange = _mm_or_si128(_mm_cmplt_epi8(block, _mm_set1_epi8(' ')),
                                           _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7F)));
      const std::size_t left = text.size() - at;
      const int mask = left >= kBlock ? 0xFFFF : (1 << left) - 1;
      digits |= _mm_movemask_epi8(digit) & mask;
      odd |= _mm_movemask_epi8(strange) & mask;
    }
    if (odd == 0) return digits != 0 ? kIsDigit : 0;
  }
#else
  static_cast<void>(all);
#endif
  std::uint8_t seen = 0;
  for (const char c : text) seen |= class_of(c);
  return seen;
}

// Does `data:` stand in the text, or `af_`? Both in one pass, for texts of any length.
struct Marks {
  bool data_uri = false;
  bool declared = false;
};
Marks look_for_marks(std::string_view text) noexcept {
  Marks out;
  std::size_t at = 0;
#if defined(__SSE2__)
  for (; at + 20 <= text.size(); at += 16) {
    const auto block = [&](std::size_t off) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at + off));
    };
    const __m128i second = block(2);
    const __m128i data = _mm_and_si128(_mm_cmpeq_epi8(block(4), _mm_set1_epi8(':')),
                                       _mm_cmpeq_epi8(second, _mm_set1_epi8('t')));
    const __m128i declared = _mm_and_si128(_mm_cmpeq_epi8(second, _mm_set1_epi8('_')),
                                           _mm_cmpeq_epi8(block(1), _mm_set1_epi8('f')));
    if (_mm_movemask_epi8(_mm_or_si128(data, declared)) == 0) continue;
    const std::string_view here = text.substr(at, 20);
    out.data_uri = out.data_uri || here.find("data:") != std::string_view::npos;
    out.declared = out.declared || here.find("af_") != std::string_view::npos;
  }
#endif
  const std::string_view rest = text.substr(at);
  out.data_uri = out.data_uri || rest.find("data:") != std::string_view::npos;
  out.declared = out.declared || rest.find("af_") != std::string_view::npos;
  return out;
}

bool is_space(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

Builder::Builder(ResultIndex& index, bool respell, KeyBag& keys, std::uint32_t first)
    : index_(index),
      text_(index.text_),
      units_(*index.units_),
      respell_(respell),
      keys_(keys),
      first_(first) {}

void Builder::run() {
  const Marks marks = look_for_marks(text_);
  no_uris_ = !marks.data_uri;
  index_.nodes_.push_back(Node{});
  index_.nodes_[0].end = static_cast<std::uint32_t>(text_.size());
  index_.items_.reserve(text_.size() / kBytesPerItem + 8);
  if (text_.size() > kLargeText) keys_.expect(text_.size());
  std::size_t start = 0;
  while (start < text_.size() && is_space(text_[start])) ++start;
  std::size_t end = start;
  if (start < text_.size() && (text_[start] == '{' || text_[start] == '[')) end = documents(start);
  if (end < text_.size()) text_run(end, text_.size());
  mark_partial();
  if (marks.declared) drop_omitted();
  index_.items_.shrink_to_fit();
}

// The JSON values the text opens with; gives where they end.
std::size_t Builder::documents(std::size_t start) {
  std::size_t end = start;
  while (start < text_.size() && (text_[start] == '{' || text_[start] == '[')) {
    const std::size_t items = index_.items_.size();
    const std::size_t nodes = index_.nodes_.size();
    const KeyBag::Sizes keys = keys_.sizes();
    const bool partial = index_.partial_;
    const auto reset = [&] {
      index_.items_.resize(items);
      index_.nodes_.resize(nodes);
      while (!index_.marks_.empty() && index_.marks_.back().item >= items) index_.marks_.pop_back();
      keys_.cut_to(keys);
      index_.partial_ = partial;
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
  if (!escaped && name.size() <= 64) {
    // Rows repeat their names in one order.
    NameSeen* next = known_name_ == nullptr ? nullptr : known_name_->next;
    if (next != nullptr && next->size == name.size() && !next->digits &&
        same_bytes(text_.data() + next->begin_of_name, name.data(), name.size())) {
      known_name_ = next;
      return;
    }
    see_name(name, raw.begin);
    if (known_name_->digits) leaf(raw.begin, raw.end, false, kInKey);
    return;
  }
  known_name_ = nullptr;
  leaf(raw.begin, raw.end, escaped, kInKey);
}

void Builder::see_name(std::string_view name, std::size_t begin) {
  NameSeen& seen = seen_names_[name_hash(name) % kNames];
  if (seen.size != name.size() || name.empty() || seen.text(text_) != name) {
    NameSeen fresh;
    fresh.begin_of_name = static_cast<std::uint32_t>(begin);
    fresh.size = static_cast<std::uint32_t>(name.size());
    fresh.digits = std::any_of(name.begin(), name.end(), [](char c) {
      return is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
    });
    fresh.of_unit = name == "unit" || name == "units";
    seen = fresh;
  }
  if (known_name_ != nullptr) known_name_->next = &seen;
  known_name_ = &seen;
}

void Builder::string(json::Span raw, bool escaped) {
  next_ordinal();
  std::uint8_t flags = 0;
  if (text_[raw.begin - 1] == '\'') flags = kSingleQuotes;
  const std::size_t before = index_.items_.size();
  leaf(raw.begin, raw.end, escaped, flags);
  if (!in_object_) return;
  if (index_.items_.size() != before) hint(name_);
  if (known_name_ != nullptr && known_name_->of_unit) add_hint(units_.find(raw.in(text_)));
}

void Builder::number(json::Span raw) {
  next_ordinal();
  NumberText digits;
  digits.begin = text_[raw.begin] == '-' ? 1 : 0;
  digits.end = static_cast<Pos>(raw.size());
  const double value = near_double(raw.in(text_), digits, '.', digits.begin != 0);
  push(raw.begin, raw.end, ValueKind::number, kJsonNumber);
  add_key(number_key(KeyTag::number, value));
  if (in_object_) hint(name_);
}

// `"truncated": true` says of the result that it was cut; in a row it would say it of the row.
void Builder::literal(json::Span raw) {
  next_ordinal();
  if (!in_object_ || (raw.in(text_) != "true" && raw.in(text_) != "True")) return;
  const std::string_view name = name_.in(text_);
  for (const std::string_view told : {"truncated", "is_truncated", "isTruncated"}) {
    if (name == told && !in_rows()) index_.partial_ = true;
  }
}

bool Builder::in_rows() const noexcept {
  for (std::uint32_t at = node_; at != 0; at = index_.nodes_[at].parent) {
    if (!index_.nodes_[at].object) return true;
  }
  return false;
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
  index_.text_begin_ = begin;
  leaf(begin, end, false, kText);
}

void Builder::leaf(std::size_t begin, std::size_t end, bool escaped, std::uint8_t flags) {
  const std::string_view raw = text_.substr(begin, end - begin);
  const std::uint8_t seen = classes_in(raw, text_);
  if (!escaped && (seen & (kIsOdd | kIsDigit)) == 0) return;
  if (escaped) flags |= kEscaped;
  if (escaped || (seen & kIsOdd) != 0) {
    work_.assign(raw, escaped);
  } else {
    work_.assign_plain(raw);
  }
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
  if (lexeme.kind == ValueKind::number) {
    add_hint(units_.of_label(text_, begin + work.original(lexeme.begin)));
  }
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
  const std::string_view token =
      work.text().substr(lexeme.begin, std::size_t{lexeme.end} - lexeme.begin);
  if (std::none_of(token.begin(), token.end(),
                   [](char c) { return c == '.' || c == ':' || c == '/' || c == '?'; }) &&
      token.size() < kShortestDigest && !is_fragment(work.text(), lexeme.begin)) {
    return;
  }
  PartEmitter emitter(*this, work, begin, flags);
  each_part(work.text(), lexeme.begin, lexeme.end, emitter);
}

void Builder::push(std::size_t begin, std::size_t end, ValueKind kind, std::uint8_t flags) {
  Item item;
  item.begin = static_cast<std::uint32_t>(begin);
  item.length = static_cast<std::uint16_t>(std::min(end - begin, kLongItem));
  item.kind = static_cast<std::uint8_t>(kind);
  item.flags = flags;
  if (!in_object_ && node_ != 0 && index_.items_.size() % kMarkEvery == 0) {
    index_.marks_.push_back({static_cast<std::uint32_t>(index_.items_.size()), ordinal_});
  }
  index_.items_.push_back(item);
}

// Notes the unit a member's name tells, once a name.
void Builder::hint(json::Span name) {
  if (known_name_ == nullptr || known_name_->hinted) return;
  known_name_->hinted = true;
  add_hint(units_.of_key(name.in(text_)));
}

void Builder::add_hint(std::uint16_t unit) {
  auto& hints = index_.hint_units_;
  if (unit != 0 && std::find(hints.begin(), hints.end(), unit) == hints.end())
    hints.push_back(unit);
}

void Builder::mark_partial() {
  const std::size_t tail = text_.size() > kTailLookedAt ? text_.size() - kTailLookedAt : 0;
  if (tells_cut(text_.substr(tail))) index_.partial_ = true;
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
  keys_.erase_if([&](std::uint32_t place) { return place >= first_ && gone[place - first_]; });
  for (std::size_t i = 0; i < gone.size(); ++i) {
    if (gone[i]) index_.items_[i].flags |= kOmitted;
  }
}

}  // namespace agentfootprint::evidence::internal
