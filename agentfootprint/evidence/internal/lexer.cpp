// The reader's main step: from digit to digit, what the token around it is.
#include <algorithm>

#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/lexeme.hpp"

namespace agentfootprint::evidence::internal {

namespace {
constexpr std::size_t kOpaqueRun = 512;  // longer runs of base64 or hex letters are not read
}

bool Scan::is_word_byte(char c) noexcept {
  return is_word(c);
}

std::size_t Scan::letters_end(std::size_t i) const noexcept {
  while (i < w.size() && is_letter(w[i])) ++i;
  return i;
}

int Scan::number(std::size_t begin, std::size_t end) const noexcept {
  int value = 0;
  for (std::size_t i = begin; i < end && i < begin + 9; ++i) value = value * 10 + (w[i] - '0');
  return value;
}

bool Scan::pause_at(std::size_t i) const noexcept {
  if (at(i) != '.' || at(i + 1) != '.' || i == 0 || !is_word(w[i - 1])) return false;
  while (at(i) == '.') ++i;
  return word_at(i);
}

bool Scan::pause_before(std::size_t i) const noexcept {
  if (i < 2 || w[i - 1] != '.' || w[i - 2] != '.' || !word_at(i)) return false;
  while (i > 0 && w[i - 1] == '.') --i;
  return i > 0 && is_word(w[i - 1]);
}

bool Scan::goes_on_at(std::size_t i) const noexcept {
  return i < w.size() && (is_word(w[i]) || (is_joiner(w[i]) && !pause_at(i)));
}

bool Scan::sentence_ends_at(std::size_t i) const noexcept {
  if (at(i) != '.' || at(i + 1) < 'A' || at(i + 1) > 'Z') return false;
  std::size_t p = i + 2;
  while (at(p) >= 'a' && at(p) <= 'z') ++p;
  return p > i + 2 && at(p) == ' ';
}

bool Scan::ends_at(std::size_t i) const noexcept {
  if (pause_at(i) || sentence_ends_at(i)) return true;
  while (i < w.size() && is_joiner(w[i])) ++i;
  return i >= w.size() || !is_word(w[i]);
}

bool Scan::starts_at(std::size_t i) const noexcept {
  if (pause_before(i)) return true;
  while (i > 0 && is_joiner(w[i - 1])) --i;
  return i == 0 || !is_word(w[i - 1]);
}

std::string_view Scan::word_before(std::size_t i) const noexcept {
  if (i == 0 || w[i - 1] != ' ') return {};
  const std::size_t end = i - 1;
  std::size_t begin = end;
  while (begin > 0 && is_letter(w[begin - 1])) --begin;
  return w.substr(begin, end - begin);
}

std::string_view Scan::word_from(std::size_t i) const noexcept {
  if (i >= w.size()) return {};
  return w.substr(i, letters_end(i) - i);
}

bool same_word(std::string_view text, std::string_view word) noexcept {
  return text.size() == word.size() && std::equal(text.begin(), text.end(), word.begin(),
                                                  [](char a, char b) { return lower(a) == b; });
}

namespace {

bool is_base64_byte(char c) noexcept {
  return (class_of(c) & kIsBase64) != 0 || c == '=';
}
bool is_base64url_byte(char c) noexcept {
  return ((class_of(c) & kIsBase64) != 0 && c != '+' && c != '/') || c == '-' || c == '_';
}

template <class Test>
std::size_t run_end(std::string_view w, std::size_t at, Test test) {
  std::size_t begin = at;
  while (begin > 0 && test(w[begin - 1]) && at - begin <= kOpaqueRun) --begin;
  std::size_t end = at;
  while (end < w.size() && test(w[end])) ++end;
  return end - begin > kOpaqueRun ? end : at;
}

// The end of a data URI that begins at `at`, or `at`.
std::size_t data_uri_end(std::string_view w, std::size_t at) {
  std::size_t comma = at + 5;
  bool typed = false;
  while (comma < w.size() && w[comma] != ',') {
    const char c = w[comma];
    if (!is_word(c) && !is_joiner(c) && c != '+' && c != ';' && c != '=') return at;
    typed = typed || c == '/' || c == ';';
    ++comma;
  }
  if (comma >= w.size() || comma - at > 256) return at;
  if (!typed && comma != at + 5) return at;
  std::size_t end = comma + 1;
  const auto inside = [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '"' && c != '\'' && c != '<' && c != '>' &&
           c != ')' && c != '`' && c != '\\';
  };
  while (end < w.size() && inside(w[end])) ++end;
  return end == comma + 1 ? at : end;
}

}  // namespace

// Steps over a data URI or a long opaque run that `at` stands in.
bool Lexer::skip_opaque(std::size_t& at, std::size_t token_begin) {
  if (!data_uri_known_) {
    data_uri_known_ = true;
    data_uri_ = w_.find("data:");
  }
  while (data_uri_ != std::string_view::npos && data_uri_ <= at) {
    const std::size_t end = data_uri_end(w_, data_uri_);
    const std::size_t from = std::max(end, data_uri_ + 1);
    const bool inside = end > at;
    data_uri_ = w_.find("data:", from);
    if (inside) {
      at = end;
      return true;
    }
  }
  if (w_.size() <= kOpaqueRun || token_begin < base64_known_) return false;
  std::size_t end = run_end(w_, at, is_base64_byte);
  if (end == at) end = run_end(w_, at, is_base64url_byte);
  if (end != at) {
    at = end;
    base64_known_ = end;
    return true;
  }
  std::size_t known = at;
  while (known < w_.size() && is_base64_byte(w_[known])) ++known;
  base64_known_ = known;
  return false;
}

bool Lexer::next(std::size_t from, Lexeme& out) {
  const Scan scan{w_};
  std::size_t at = from;
  for (;;) {
    while (at < w_.size() && !is_digit(w_[at])) ++at;
    if (at >= w_.size()) return false;
    std::size_t token = at;
    while (token > from && (is_word(w_[token - 1]) || is_joiner(w_[token - 1])) &&
           !scan.pause_before(token)) {
      --token;
    }
    const bool opaque = data_uri_ != std::string_view::npos || w_.size() > kOpaqueRun;
    if (opaque && skip_opaque(at, token)) {
      from = at;
      continue;
    }
    if (read_token(token, at, from, out)) return true;
    // Not a value: go on behind the token.
    while (scan.goes_on_at(at)) ++at;
    from = at;
  }
}

bool Lexer::read_token(std::size_t token, std::size_t digit, std::size_t floor, Lexeme& out) {
  const Scan scan{w_};
  // In a text that was escaped twice `\\n51300` is a line's end and a number.
  if (token > 0 && token + 1 == digit && w_[token - 1] == '\\' &&
      (w_[token] == 'n' || w_[token] == 'r' || w_[token] == 't')) {
    floor = ++token;
  }
  // Signs that lead a token are not of it, but for a path's slash, a sign and a leading point.
  while (token < digit && is_joiner(w_[token])) {
    if (w_[token] == '/' && (is_letter(w_[token + 1]) || w_[token + 1] == '.')) break;
    if (w_[token] == '.' && w_[token + 1] == '/') break;
    ++token;
  }
  out = Lexeme();
  const bool point =
      token == digit && token > floor && w_[token - 1] == '.' && scan.starts_at(token - 1);
  if (token == digit) {
    if (lex_calendar(scan, digit, floor, out)) return true;
    if (lex_duration(scan, units_, digit, out)) return true;
  } else if (is_letter(w_[token]) && digit - token <= 2 &&
             lex_iso_duration(scan, digit, floor, out)) {
    return true;
  }
  // The whole token, and whether it is an address.
  std::size_t end = digit;
  while (scan.goes_on_at(end)) ++end;
  const std::size_t stop = end;
  while (end > digit + 1 && is_joiner(w_[end - 1])) --end;
  const std::string_view text = w_.substr(token, end - token);
  std::size_t dots = 0;
  bool colon = false;
  bool poison = false;
  for (const char c : text) {
    dots += c == '.' ? 1 : 0;
    colon = colon || c == ':';
    poison = poison || c == kPoison;
  }
  const bool address = dots >= 3 || (colon && text.find("://") != std::string_view::npos);
  const bool currency_code = token != digit && digit - token == 3 &&
                             currency_before(scan, units_, digit, floor, token) != 0;
  if (token == digit || currency_code) {
    bool ipv4 = false;
    if (address && token == digit) {
      // Four octets are an address, never a grouped number.
      ipv4 =
          dots == 3 &&
          std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; }) &&
          text.size() <= 15;
    }
    if (!ipv4 && lex_quantity(scan, units_, point ? digit - 1 : digit, floor, out) &&
        out.begin >= floor) {
      read_words_around(scan, out);
      return true;
    }
    out = Lexeme();
  }
  if (poison) return false;
  // `IOPS:41,200`: no token holds a comma, so the word is the number's label.
  if (token != digit && w_[digit - 1] == ':' && is_grouped_by_comma(scan, digit) &&
      lex_quantity(scan, units_, digit, digit, out)) {
    read_words_around(scan, out);
    return true;
  }
  out = Lexeme();
  out.kind = ValueKind::identifier;
  out.begin = static_cast<Pos>(token);
  end = address_end(scan, token, end);
  out.end = out.whole_end = static_cast<Pos>(end);
  out.next = static_cast<Pos>(std::max(end, stop));
  const std::string_view body = w_.substr(token, end - token);
  const std::size_t slash = body.size() > 5 ? std::string_view::npos : body.find('/');
  const auto brief = [](std::string_view side) {
    return !side.empty() && side.size() <= 2 && std::all_of(side.begin(), side.end(), is_digit);
  };
  out.ratio = slash != std::string_view::npos && brief(body.substr(0, slash)) &&
              brief(body.substr(slash + 1));
  return true;
}

}  // namespace agentfootprint::evidence::internal
