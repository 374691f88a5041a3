// Takes number texts apart and lays them out again.
#include "agentfootprint/json/internal/number_form.hpp"

namespace agentfootprint::json::internal {
namespace {

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

std::size_t skip_digits(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// The exponent behind `e`, which stands at `at`; empty when malformed or beyond 17 digits.
std::optional<std::int64_t> read_exponent(std::string_view text, std::size_t at) {
  ++at;
  bool negative = false;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) negative = text[at++] == '-';
  if (at == text.size() || skip_digits(text, at) != text.size()) return std::nullopt;
  while (at + 1 < text.size() && text[at] == '0') ++at;
  if (text.size() - at > 17) return std::nullopt;
  std::int64_t value = 0;
  for (; at < text.size(); ++at) value = value * 10 + (text[at] - '0');
  return negative ? -value : value;
}

}  // namespace

bool is_json_number(std::string_view text) noexcept {
  std::size_t at = 0;
  if (at < text.size() && text[at] == '-') ++at;
  if (at == text.size() || !is_digit(text[at])) return false;
  at = text[at] == '0' ? at + 1 : skip_digits(text, at);
  if (at < text.size() && text[at] == '.') {
    const std::size_t end = skip_digits(text, at + 1);
    if (end == at + 1) return false;
    at = end;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t end = skip_digits(text, at);
    if (end == at) return false;
    at = end;
  }
  return at == text.size();
}

std::optional<NumberForm> number_form(std::string_view text) {
  NumberForm form;
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) form.negative = text[at++] == '-';
  const std::size_t whole_end = skip_digits(text, at);
  form.digits.assign(text.substr(at, whole_end - at));
  std::size_t written = form.digits.size();
  at = whole_end;
  if (at < text.size() && text[at] == '.') {
    const std::size_t end = skip_digits(text, at + 1);
    form.digits.append(text.substr(at + 1, end - at - 1));
    written = form.digits.size();
    form.exponent = -static_cast<std::int64_t>(end - at - 1);
    at = end;
  }
  if (written == 0) return std::nullopt;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
    const std::optional<std::int64_t> exponent = read_exponent(text, at);
    if (!exponent) return std::nullopt;
    form.exponent += *exponent;
  }
  const std::size_t first = form.digits.find_first_not_of('0');
  if (first == std::string::npos) return NumberForm();
  const std::size_t last = form.digits.find_last_not_of('0');
  form.exponent += static_cast<std::int64_t>(form.digits.size() - 1 - last);
  form.digits.erase(last + 1);
  form.digits.erase(0, first);
  return form;
}

std::string spell(bool negative, std::string_view digits, std::int64_t exponent) {
  if (digits.empty()) return "0";
  std::string out;
  if (negative) out += '-';
  const std::int64_t count = static_cast<std::int64_t>(digits.size());
  const std::int64_t point = count + exponent;  // digits in front of the decimal point
  if (point > 21 || point <= -6) {
    out += digits[0];
    if (count > 1) {
      out += '.';
      out += digits.substr(1);
    }
    out += 'e';
    if (point > 0) out += '+';
    return out += std::to_string(point - 1);
  }
  if (point <= 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-point), '0');
    return out += digits;
  }
  if (point >= count) {
    out += digits;
    out.append(static_cast<std::size_t>(point - count), '0');
    return out;
  }
  out += digits.substr(0, static_cast<std::size_t>(point));
  out += '.';
  return out += digits.substr(static_cast<std::size_t>(point));
}

std::string canonical_number(std::string_view text) {
  const std::optional<NumberForm> form = number_form(text);
  if (!form) return std::string(text);
  return spell(form->negative, form->digits, form->exponent);
}

}  // namespace agentfootprint::json::internal
