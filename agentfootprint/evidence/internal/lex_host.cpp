// Addresses, paths and `key:value`: how far they reach and which parts are values of their own.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/lexeme.hpp"

namespace agentfootprint::evidence::internal {
namespace {

bool is_url_byte(char c) noexcept {
  if (is_word(c) || is_joiner(c)) return true;
  switch (c) {
    case '?':
    case '=':
    case '&':
    case '%':
    case '+':
    case '#':
    case '@':
    case '~':
    case '$':
    case '!':
    case '*':
    case ',':
    case ';':
      return true;
    default:
      return false;
  }
}

// Signs that end a sentence rather than an address.
bool is_tail(char c) noexcept {
  return c == '.' || c == ',' || c == ';' || c == ':' || c == '!' || c == '?' || c == '*' ||
         c == '-' || c == '_' || c == '&' || c == '=';
}

bool all_digits(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

bool is_ipv4(std::string_view text) noexcept {
  int octets = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('.', at), text.size());
    if (!all_digits(text.substr(at, end - at)) || end - at > 3) return false;
    if (end - at == 3 && text.substr(at, 3) > "255") return false;
    ++octets;
    at = end + 1;
    if (end == text.size()) break;
  }
  return octets == 4;
}

// Labels joined by points, the last without a digit.
bool is_host_name(std::string_view text) noexcept {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || text.size() - dot < 3) return false;
  const std::string_view last = text.substr(dot + 1);
  if (!std::all_of(last.begin(), last.end(), is_letter)) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_word(c) || c == '-' || c == '.' || c == '_'; });
}

bool all_letters(std::string_view text) noexcept {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || c == '_'; });
}

constexpr int kDeepest = 3;

bool is_hex_digit(char c) noexcept {
  return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f');
}

// A word that cannot be the hexadecimal group of an address.
bool is_plain_word(std::string_view text) noexcept {
  return all_letters(text) && std::any_of(text.begin(), text.end(), [](char c) {
           const char small = lower(c);
           return small < 'a' || small > 'f';
         });
}

class Splitter {
 public:
  Splitter(std::string_view w, PartSink& sink) : w_(w), sink_(sink) {}

  void split(std::size_t begin, std::size_t end, int depth) {
    if (depth == 0 || begin >= end) return;
    if (is_fragment(w_, begin)) return lines(begin, end);
    const std::string_view token = w_.substr(begin, end - begin);
    if (const std::size_t scheme = token.find("://"); scheme != std::string_view::npos) {
      return url(begin + scheme + 3, end);
    }
    if (depth == kDeepest) {
      segments(begin, end);
      version(begin, end);
      digest(begin, end);
    }
    const std::size_t slash = token.find('/');
    const std::size_t question = token.find('?');
    if (slash != std::string_view::npos || question != std::string_view::npos) {
      return slashed(begin, end, slash, depth);
    }
    colon_or_host(begin, end, depth);
  }

 private:
  void emit(std::size_t begin, std::size_t end) {
    while (end > begin && is_joiner(w_[end - 1]) && w_[end - 1] != '/') --end;
    if (begin < end && !(begin == 0 && end == w_.size())) sink_.part(begin, end);
  }

  // Of `v1.2.3` the number.
  void version(std::size_t begin, std::size_t end) {
    if (is_version(w_.substr(begin, end - begin))) emit(begin + 1, end);
  }

  // Of a digest in hexadecimal the first digits that commits and images are known by.
  void digest(std::size_t begin, std::size_t end) {
    const std::string_view token = w_.substr(begin, end - begin);
    if ((token.size() != kShortestDigest && token.size() != 64) ||
        !std::all_of(token.begin(), token.end(), is_hex_digit) || all_digits(token)) {
      return;
    }
    for (const std::size_t size : {7U, 8U, 10U, 12U}) emit(begin, begin + size);
  }

  // Of `arn:aws:iam::123456789012:role/app-7` every part between colons.
  void segments(std::size_t begin, std::size_t end) {
    const std::string_view token = w_.substr(begin, end - begin);
    const std::size_t first = token.find(':');
    if (first == std::string_view::npos || !is_plain_word(token.substr(0, first))) return;
    if (token.find(':', first + 1) == std::string_view::npos) return;
    for (std::size_t at = begin + first + 1; at < end;) {
      const std::size_t stop = std::min(w_.substr(0, end).find(':', at), end);
      emit(at, stop);
      if (w_.substr(at, stop - at).find('/') != std::string_view::npos) split(at, stop, 1);
      at = stop + 1;
    }
  }

  // Of `0.381/0.427/0.502` every number; whole ones alone may be a name.
  bool decimals(std::size_t begin, std::size_t end) {
    const std::string_view token = w_.substr(begin, end - begin);
    if (token.find('.') == std::string_view::npos || !is_digit(token.front()) ||
        !is_digit(token.back())) {
      return false;
    }
    bool pointed = false;  // within this number
    for (std::size_t i = 1; i < token.size(); ++i) {
      if (is_digit(token[i])) continue;
      const bool point = token[i] == '.';
      if ((!point && token[i] != '/') || !is_digit(token[i - 1]) || (point && pointed))
        return false;
      pointed = point;
    }
    for (std::size_t at = begin; at < end;) {
      const std::size_t stop = std::min(w_.substr(0, end).find('/', at), end);
      emit(at, stop);
      at = stop + 1;
    }
    return true;
  }

  // `host:port`, then a path and a query.
  void url(std::size_t begin, std::size_t end) {
    std::size_t authority = begin;
    while (authority < end && w_[authority] != '/' && w_[authority] != '?' && w_[authority] != '#')
      ++authority;
    const std::size_t user = w_.substr(begin, authority - begin).rfind('@');
    if (user != std::string_view::npos) begin += user + 1;
    host(begin, authority);
    path(authority, end);
    // The same without its scheme, up to the query.
    std::size_t stop = authority;
    while (stop < end && w_[stop] != '?' && w_[stop] != '#') ++stop;
    while (stop > authority && w_[stop - 1] == '/') --stop;
    if (stop > authority) emit(begin, stop);
  }

  void host(std::size_t begin, std::size_t end) {
    const std::string_view text = w_.substr(begin, end - begin);
    const std::size_t colon = text.rfind(':');
    std::size_t name_end = end;
    if (colon != std::string_view::npos && all_digits(text.substr(colon + 1))) {
      name_end = begin + colon;
      emit(name_end + 1, end);
    }
    emit(begin, name_end);
    label(begin, name_end);
  }

  void label(std::size_t begin, std::size_t end) {
    const std::string_view name = w_.substr(begin, end - begin);
    if (is_host_name(name)) emit(begin, begin + name.find('.'));
  }

  void path(std::size_t begin, std::size_t end) {
    std::size_t stop = begin;
    while (stop < end && w_[stop] != '?' && w_[stop] != '#') ++stop;
    std::size_t path_end = stop;
    while (path_end > begin && w_[path_end - 1] == '/') --path_end;
    if (path_end > begin + 1) {
      emit(begin, path_end);
      const std::size_t last = w_.substr(begin, path_end - begin).rfind('/');
      if (last != std::string_view::npos) emit(begin + last + 1, path_end);
    }
    if (stop < end && w_[stop] == '?') return query(stop + 1, end);
    if (stop < end) fragment(stop + 1, end);
  }

  // Behind `#`: a name.
  void fragment(std::size_t begin, std::size_t end) {
    emit(begin, end);
    lines(begin, end);
  }

  // Of `L1474` and `L10-L20` the numbers of the lines.
  void lines(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end;) {
      if (w_[at] != 'L') return;
      std::size_t behind = at + 1;
      while (behind < end && is_digit(w_[behind])) ++behind;
      if (behind == at + 1 || (behind < end && w_[behind] != '-')) return;
      emit(at + 1, behind);
      at = behind + 1;
    }
  }

  void query(std::size_t begin, std::size_t end) {
    while (begin < end) {
      std::size_t stop = begin;
      while (stop < end && w_[stop] != '&' && w_[stop] != '#' && w_[stop] != ';') ++stop;
      const std::size_t equals = w_.substr(begin, stop - begin).find('=');
      if (equals != std::string_view::npos) emit(begin + equals + 1, stop);
      if (stop < end && w_[stop] == '#') return fragment(stop + 1, end);
      begin = stop + 1;
    }
  }

  void slashed(std::size_t begin, std::size_t end, std::size_t slash, int depth) {
    const std::string_view token = w_.substr(begin, end - begin);
    if (slash == std::string_view::npos) return path(begin, end);
    if (decimals(begin, end)) return;
    const std::string_view head = token.substr(0, slash);
    const std::string_view tail = token.substr(slash + 1);
    if (is_ipv4(head) ||
        (head.find(':') != std::string_view::npos && all_digits(tail) && tail.size() <= 3)) {
      emit(begin, begin + slash);  // the address of a CIDR
      if (head.find(':') != std::string_view::npos && is_ipv4(head.substr(0, head.find(':'))))
        host(begin, begin + slash);
      if (!(all_digits(tail) && tail.size() <= 2)) path(begin + slash, end);
      return;
    }
    // `Module.Sub.function/2`: the function without its module.
    const std::size_t dot = head.rfind('.');
    if (dot != std::string_view::npos && head[0] >= 'A' && head[0] <= 'Z' && all_digits(tail) &&
        tail.size() <= 2) {
      return emit(begin + dot + 1, end);
    }
    const std::size_t colon = head.find(':');
    const bool port = colon != std::string_view::npos && all_digits(head.substr(colon + 1));
    if ((port && (is_host_name(head.substr(0, colon)) || is_ipv4(head.substr(0, colon)))) ||
        is_host_name(head)) {
      host(begin, begin + slash);
      return path(begin + slash, end);
    }
    // `key:/a/path`
    if (colon != std::string_view::npos && all_letters(head.substr(0, colon))) {
      emit(begin + colon + 1, end);
      return split(begin + colon + 1, end, depth - 1);
    }
    // `src/a.cpp:120` and `src/a.cpp:120:5`: the file, and the numbers behind it.
    const std::size_t last = token.rfind('/');
    if (const std::size_t place = token.find(':', last);
        place != std::string_view::npos && place > last + 1) {
      emit(begin, begin + place);
      emit(begin + last + 1, begin + place);
      emit(begin + last + 1, end);
      for (std::size_t at = begin + place + 1; at < end;) {
        const std::size_t stop = std::min(w_.substr(0, end).find(':', at), end);
        emit(at, stop);
        if (stop < end) {
          emit(begin, stop);
          emit(begin + last + 1, stop);
        }
        at = stop + 1;
      }
      return;
    }
    // A last component without a letter is a number of the whole, like the port of `fc1/3`.
    const auto slashes = std::count(token.begin(), token.end(), '/');
    const bool rooted = slash == 0 || head == "." || head == ".." || head == "~";
    const bool named = std::any_of(tail.begin(), tail.end(), is_letter);
    if (rooted || slashes >= 2 || all_letters(head) || named) path(begin, end);
  }

  void colon_or_host(std::size_t begin, std::size_t end, int depth) {
    const std::string_view token = w_.substr(begin, end - begin);
    const std::size_t colon = token.find(':');
    if (const std::size_t dash = token.find('-'); dash != std::string_view::npos &&
                                                  is_ipv4(token.substr(0, dash)) &&
                                                  is_ipv4(token.substr(dash + 1))) {
      emit(begin, begin + dash);  // both ends of a range of addresses
      return emit(begin + dash + 1, end);
    }
    if (colon == std::string_view::npos) return label(begin, end);
    const std::string_view head = token.substr(0, colon);
    const bool single = token.find(':', colon + 1) == std::string_view::npos;
    if (single) {
      emit(begin, begin + colon);
      emit(begin + colon + 1, end);
      digest(begin + colon + 1, end);
      if (is_host_name(head) || is_ipv4(head)) label(begin, begin + colon);
      return;
    }
    if (all_letters(head)) {
      emit(begin + colon + 1, end);
      split(begin + colon + 1, end, depth - 1);
    }
  }

  std::string_view w_;
  PartSink& sink_;
};

}  // namespace

namespace {

// The 12 or 16 digits of `00:1a:2b:3c:4d:5e`, `00-1A-2B-3C-4D-5E`, `001a.2b3c.4d5e` or
// `001a2b3c4d5e`, which is a number when it has no letter.
std::string mac_digits(std::string_view token) {
  const std::size_t size = token.size();
  const bool pairs = (size == 17 || size == 23) && (token[2] == ':' || token[2] == '-');
  const bool fours = (size == 14 || size == 19) && token[4] == '.';
  const bool plain = (size == 12 || size == 16) && !all_digits(token);
  if (!pairs && !fours && !plain) return {};
  const std::size_t width = pairs ? 3 : fours ? 5 : size + 1;
  const char sign = plain ? '\0' : token[width - 1];
  std::string digits;
  for (std::size_t i = 0; i < size; ++i) {
    const bool between = i % width == width - 1;
    if (between ? token[i] != sign : !is_hex_digit(token[i])) return {};
    if (!between) digits += lower(token[i]);
  }
  return digits;
}

std::string grouped(std::string_view digits, std::size_t width, char sign) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i % width == 0) out += sign;
    out += digits[i];
  }
  return out;
}

std::vector<std::string> ipv6_spellings(std::string_view token) {
  if (std::count(token.begin(), token.end(), ':') < 2) return {};
  in6_addr address{};
  if (inet_pton(AF_INET6, std::string(token).c_str(), &address) != 1) return {};
  char shortest[INET6_ADDRSTRLEN] = {};
  inet_ntop(AF_INET6, &address, shortest, sizeof shortest);
  std::string whole;
  std::string every;
  for (std::size_t group = 0; group < 8; ++group) {
    const int value = address.s6_addr[2 * group] << 8 | address.s6_addr[2 * group + 1];
    const char* sign = group == 0 ? "" : ":";
    whole += fmt::format("{}{:x}", sign, value);
    every += fmt::format("{}{:04x}", sign, value);
  }
  return {shortest, std::move(whole), std::move(every)};
}

}  // namespace

std::vector<std::string> address_spellings(std::string_view token) {
  const std::string digits = mac_digits(token);
  std::vector<std::string> out;
  if (digits.empty()) {
    out = ipv6_spellings(token);
  } else {
    out = {grouped(digits, 2, ':'), grouped(digits, 2, '-'), grouped(digits, 4, '.'), digits};
  }
  std::erase_if(out, [&](const std::string& one) { return same_word(token, one); });
  return out;
}

bool is_version(std::string_view token) noexcept {
  if (token.size() < 4 || lower(token[0]) != 'v' || !is_digit(token[1])) return false;
  const std::size_t end = token.find_first_not_of("0123456789", 1);
  return end != std::string_view::npos && token[end] == '.' && end + 1 < token.size() &&
         is_digit(token[end + 1]);
}

bool is_fragment(std::string_view folded, std::size_t begin) noexcept {
  return begin >= 2 && folded[begin - 1] == '#' && is_url_byte(folded[begin - 2]);
}

std::size_t address_end(const Scan& scan, std::size_t begin, std::size_t end) noexcept {
  const std::string_view token = scan.w.substr(begin, end - begin);
  const bool scheme =
      token.find(':') != std::string_view::npos && token.find("://") != std::string_view::npos;
  std::size_t stop = end;
  if (!scheme) {
    // Only a query that follows directly: `host/path?id=4417`.
    if (scan.at(end) != '?' || token.find_first_of("/.:") == std::string_view::npos ||
        !scan.word_at(end + 1))
      return end;
    std::size_t name = end + 1;
    while (scan.word_at(name) || scan.at(name) == '-' || scan.at(name) == '.') ++name;
    if (scan.at(name) != '=') return end;
  }
  while (stop < scan.w.size() && is_url_byte(scan.w[stop])) ++stop;
  while (stop > end && is_tail(scan.w[stop - 1])) --stop;
  return stop;
}

void each_part(std::string_view folded, std::size_t begin, std::size_t end, PartSink& sink) {
  Splitter(folded, sink).split(begin, end, kDeepest);
}

}  // namespace agentfootprint::evidence::internal
