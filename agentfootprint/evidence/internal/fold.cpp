// Folding: JSON escapes, NFKC per character, dashes, quotes, spaces; each byte keeps where it came
// from.
#include "agentfootprint/evidence/internal/fold.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/json/scanner.hpp"

namespace agentfootprint::evidence::internal {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};
// Han, Kana, Bopomofo, Hangul, Thai, Lao, Khmer, Myanmar.
constexpr std::array<Range, 17> kSpaceless = {{{0x0E00, 0x0EFF},
                                               {0x1000, 0x109F},
                                               {0x1100, 0x11FF},
                                               {0x1780, 0x17FF},
                                               {0x19E0, 0x19FF},
                                               {0x2E80, 0x2FDF},
                                               {0x3005, 0x3007},
                                               {0x3021, 0x318F},
                                               {0x31A0, 0x31FF},
                                               {0x3400, 0x4DBF},
                                               {0x4E00, 0x9FFF},
                                               {0xA960, 0xA97F},
                                               {0xA9E0, 0xA9FF},
                                               {0xAA60, 0xAA7F},
                                               {0xAC00, 0xD7FF},
                                               {0xF900, 0xFAFF},
                                               {0x20000, 0x3FFFF}}};

bool is_spaceless(char32_t c) noexcept {
  return std::any_of(kSpaceless.begin(), kSpaceless.end(),
                     [c](const Range& r) { return c >= r.first && c <= r.last; });
}

char currency_code(char32_t c) noexcept {
  switch (c) {
    case 0x20AC:
      return kEuro;
    case 0x00A3:
      return kPound;
    case 0x00A5:
      return kYen;
    case 0x20B9:
      return kRupee;
    case 0x20A9:
      return kWon;
    case 0x20BD:
      return kRouble;
    case 0x20BF:
      return kBitcoin;
    case 0x20BA:
      return kLira;
    case 0x20B4:
      return kHryvnia;
    case 0x00A2:
      return kCent;
    default:
      return kOtherCurrency;
  }
}

// Characters with a fixed place in the reader's alphabet; 0 for all others.
char fixed_code(char32_t c) noexcept {
  switch (c) {
    case 0x00A0:
    case 0x2007:
    case 0x2009:
    case 0x202F:
      return kGroupSpace;
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2212:
      return '-';
    case 0x2014:
    case 0x2015:
      return kLongDash;
    case 0x2018:
    case 0x2019:
    case 0x201A:
    case 0x201B:
    case 0x2032:
      return '\'';
    case 0x201C:
    case 0x201D:
    case 0x201E:
    case 0x201F:
    case 0x2033:
    case 0x00AB:
    case 0x00BB:
      return '"';
    case 0x00B0:
      return kDegree;
    case 0x2030:
      return kPermille;
    case 0x2116:
      return kOther;  // the numero sign, whose letters would join the number
    case 0x2028:
    case 0x2029:
    case 0x0085:
      return '\n';
    default:
      return 0;
  }
}

// The digit of a decimal digit of any script: its blocks are runs of ten.
int digit_value(utf8proc_int32_t c) noexcept {
  int back = 0;
  while (back < 9 && utf8proc_category(c - back - 1) == UTF8PROC_CATEGORY_ND) ++back;
  return back;
}

class Folder {
 public:
  Folder(std::string& out, std::vector<std::uint32_t>& map) : out_(out), map_(map) {}

  void put(char c, std::uint32_t from) {
    out_.push_back(c);
    map_.push_back(from);
  }

  void character(char32_t c, std::uint32_t from) {
    if (const char code = fixed_code(c)) return put(code, from);
    const auto cp = static_cast<utf8proc_int32_t>(c);
    const utf8proc_property_t* property = utf8proc_get_property(cp);
    switch (property->decomp_type) {
      case UTF8PROC_DECOMP_TYPE_SUPER:
      case UTF8PROC_DECOMP_TYPE_SUB:
        return put(property->category == UTF8PROC_CATEGORY_NO ? kPoison : kOther, from);
      case UTF8PROC_DECOMP_TYPE_FRACTION:
        return put(kPoison, from);
      case UTF8PROC_DECOMP_TYPE_CIRCLE:
      case UTF8PROC_DECOMP_TYPE_SQUARE:
        return put(kOther, from);
      default:
        break;
    }
    std::array<utf8proc_int32_t, 40> parts{};
    int last_class = 0;
    auto count = utf8proc_decompose_char(
        cp, parts.data(), static_cast<utf8proc_ssize_t>(parts.size()),
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT),
        &last_class);
    if (count <= 0 || count > static_cast<utf8proc_ssize_t>(parts.size())) return put(kOther, from);
    count = utf8proc_normalize_utf32(
        parts.data(), count, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    for (utf8proc_ssize_t i = 0; i < count; ++i) simple(parts[static_cast<std::size_t>(i)], from);
  }

 private:
  // A character that NFKC leaves alone.
  void simple(utf8proc_int32_t c, std::uint32_t from) {
    if (c < 0x80) {
      const char ascii = static_cast<char>(c);
      return put((class_of(ascii) & kIsOdd) != 0 ? ' ' : ascii, from);
    }
    if (const char code = fixed_code(static_cast<char32_t>(c))) return put(code, from);
    switch (utf8proc_category(c)) {
      case UTF8PROC_CATEGORY_ND:
        return put(static_cast<char>('0' + digit_value(c)), from);
      case UTF8PROC_CATEGORY_LU:
      case UTF8PROC_CATEGORY_LL:
      case UTF8PROC_CATEGORY_LT:
      case UTF8PROC_CATEGORY_LM:
      case UTF8PROC_CATEGORY_LO:
      case UTF8PROC_CATEGORY_MN:
      case UTF8PROC_CATEGORY_MC:
      case UTF8PROC_CATEGORY_ME:
      case UTF8PROC_CATEGORY_NL:
        return letter(c, from);
      case UTF8PROC_CATEGORY_ZS:
        return put(' ', from);
      case UTF8PROC_CATEGORY_SC:
        return put(currency_code(static_cast<char32_t>(c)), from);
      case UTF8PROC_CATEGORY_CF:
        return;  // invisible: soft hyphens, joiners, direction marks
      default:
        return put(kOther, from);
    }
  }

  void letter(utf8proc_int32_t c, std::uint32_t from) {
    if (is_spaceless(static_cast<char32_t>(c))) return put(kOther, from);
    std::array<utf8proc_int32_t, 8> folded{};
    int last_class = 0;
    const auto count =
        utf8proc_decompose_char(c, folded.data(), static_cast<utf8proc_ssize_t>(folded.size()),
                                UTF8PROC_CASEFOLD, &last_class);
    if (count <= 0 || count > static_cast<utf8proc_ssize_t>(folded.size()))
      return put(kOther, from);
    const std::size_t before = out_.size();
    for (utf8proc_ssize_t i = 0; i < count; ++i) {
      utf8::append(out_, static_cast<char32_t>(folded[static_cast<std::size_t>(i)]));
    }
    map_.resize(map_.size() + (out_.size() - before), from);
  }

  std::string& out_;
  std::vector<std::uint32_t>& map_;
};

// Bytes of the escape at `at`; a broken one is just its backslash, wherever the text around it
// ends.
std::size_t escape_length(std::string_view raw, std::size_t at) noexcept {
  const auto escape = json::internal::read_escape(raw, at);
  const bool broken = escape.length == 0 || escape.sort == json::internal::Escape::Sort::foreign;
  return broken ? 1 : escape.length;
}

// Resolves JSON escapes, noting where each byte came from.
void decode_escapes(std::string_view raw, std::string& out, std::vector<std::uint32_t>& map) {
  out.clear();
  map.clear();
  std::size_t at = 0;
  while (at < raw.size()) {
    const std::size_t slash = std::min(raw.find('\\', at), raw.size());
    for (; at < slash; ++at) {
      out.push_back(raw[at]);
      map.push_back(static_cast<std::uint32_t>(at));
    }
    if (at == raw.size()) break;
    const std::size_t length = escape_length(raw, at);
    const std::size_t before = out.size();
    if (length == 1) {
      out.push_back('\\');
    } else {
      json::decode_string(raw.substr(at, length), out);
    }
    map.resize(map.size() + (out.size() - before), static_cast<std::uint32_t>(at));
    at += length;
  }
  map.push_back(static_cast<std::uint32_t>(raw.size()));
}

}  // namespace

bool is_plain(std::string_view text) noexcept {
  std::uint8_t seen = 0;
  for (const char c : text) seen |= class_of(c);
  return (seen & kIsOdd) == 0;
}

void WorkText::assign(std::string_view raw, bool escaped) {
  raw_ = raw;
  escaped_ = escaped;
  if (!escaped && is_plain(raw)) {
    text_ = raw;
    in_place_ = true;
    return;
  }
  in_place_ = false;
  if (escaped) {
    decode_escapes(raw, decoded_, decoded_map_);
    fold(decoded_, &decoded_map_);
  } else {
    fold(raw, nullptr);
  }
}

void WorkText::fold(std::string_view source, const std::vector<std::uint32_t>* source_map) {
  buffer_.clear();
  map_.clear();
  Folder folder(buffer_, map_);
  const auto from = [&](std::size_t at) {
    return source_map == nullptr ? static_cast<std::uint32_t>(at) : (*source_map)[at];
  };
  for (std::size_t at = 0; at < source.size();) {
    const char c = source[at];
    if (static_cast<unsigned char>(c) < 0x80) {
      folder.put((class_of(c) & kIsOdd) != 0 ? ' ' : c, from(at));
      ++at;
      continue;
    }
    const utf8::Decoded found = utf8::decode(source, at);
    if (found.valid) {
      folder.character(found.code_point, from(at));
    } else {
      folder.put(kOther, from(at));
    }
    at += found.length;
  }
  map_.push_back(from(source.size()));
  text_ = buffer_;
}

std::size_t WorkText::original_end(std::size_t at) const noexcept {
  if (in_place_ || at == 0) return at;
  const std::size_t from = map_[at - 1];
  if (escaped_ && raw_[from] == '\\') {
    return from + escape_length(raw_, from);
  }
  return from + utf8::decode(raw_, from).length;
}

std::size_t WorkText::folded(std::size_t at) const noexcept {
  if (in_place_) return at;
  return static_cast<std::size_t>(
      std::lower_bound(map_.begin(), map_.end(), static_cast<std::uint32_t>(at)) - map_.begin());
}

void append_comparable(std::string& out, std::string_view folded) {
  for (const char c : folded) {
    switch (c) {
      case kGroupSpace:
        out.push_back(' ');
        break;
      case kLongDash:
        out.push_back('-');
        break;
      case kDegree:
        out += "\xC2\xB0";
        break;
      case kPermille:
        out += "\xE2\x80\xB0";
        break;
      case kEuro:
        out += "\xE2\x82\xAC";
        break;
      case kPound:
        out += "\xC2\xA3";
        break;
      case kYen:
        out += "\xC2\xA5";
        break;
      case kRupee:
        out += "\xE2\x82\xB9";
        break;
      case kWon:
        out += "\xE2\x82\xA9";
        break;
      case kCent:
        out += "\xC2\xA2";
        break;
      default:
        out.push_back(lower(c));
        break;
    }
  }
}

}  // namespace agentfootprint::evidence::internal
