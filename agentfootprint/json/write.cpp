// Writers: compact, canonical, pretty. All walk with a stack of their own, at any depth.
#include "agentfootprint/json/write.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/internal/number_form.hpp"

namespace agentfootprint::json {
namespace {

// The first byte from `at` on that cannot be copied as it stands: quote, backslash, control, not ASCII.
std::size_t plain_run(std::string_view text, std::size_t at) noexcept {
#if defined(__SSE2__)
  const __m128i quotes = _mm_set1_epi8('"');
  const __m128i slashes = _mm_set1_epi8('\\');
  const __m128i spaces = _mm_set1_epi8(' ');
  for (; at + 16 <= text.size(); at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const __m128i odd =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, quotes), _mm_cmpeq_epi8(block, slashes)),
                     _mm_cmplt_epi8(block, spaces));
    const int mask = _mm_movemask_epi8(odd);
    if (mask != 0) {
      return at + static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(mask)));
    }
  }
#endif
  while (at < text.size() && text[at] != '"' && text[at] != '\\' &&
         static_cast<signed char>(text[at]) >= ' ') {
    ++at;
  }
  return at;
}

void append_escaped(std::string& out, char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kHex[(c >> 4) & 15];
      out += kHex[c & 15];
  }
}

// A container being written.
struct Frame {
  const Value* container = nullptr;
  std::size_t next = 0;
  std::vector<const Member*> sorted;  // canonical form: the members in key order
};

enum class Form : std::uint8_t { compact, canonical, pretty };

class Writer {
 public:
  Writer(std::string& out, Form form, int indent) : out_(out), form_(form), indent_(indent) {}

  void write(const Value& root) {
    value(root);
    while (!open_.empty()) step();
  }

 private:
  void value(const Value& value) {
    switch (value.kind()) {
      case Kind::null:
        out_ += "null";
        return;
      case Kind::boolean:
        out_ += *value.as_bool() ? "true" : "false";
        return;
      case Kind::number:
        number(*value.number_text());
        return;
      case Kind::string:
        append_quoted(out_, *value.as_string());
        return;
      case Kind::array:
      case Kind::object:
        break;
    }
    out_ += value.is_array() ? '[' : '{';
    if (value.empty()) {
      out_ += value.is_array() ? ']' : '}';
      return;
    }
    open_.emplace_back().container = &value;
    if (form_ == Form::canonical && value.is_object()) sort(open_.back());
  }

  void number(std::string_view text) {
    if (form_ == Form::canonical) {
      out_ += internal::canonical_number(text);
    } else {
      out_ += text;
    }
  }

  static void sort(Frame& frame) {
    for (const Member& member : frame.container->members()) frame.sorted.push_back(&member);
    std::stable_sort(frame.sorted.begin(), frame.sorted.end(),
                     [](const Member* a, const Member* b) { return a->key() < b->key(); });
  }

  void step() {
    Frame& frame = open_.back();
    const Value& container = *frame.container;
    const bool array = container.is_array();
    if (frame.next == container.size()) {
      open_.pop_back();
      new_line();
      out_ += array ? ']' : '}';
      return;
    }
    if (frame.next != 0) out_ += ',';
    new_line();
    const std::size_t at = frame.next++;
    if (array) return value(container.elements()[at]);
    const Member& member = frame.sorted.empty() ? container.members()[at] : *frame.sorted[at];
    append_quoted(out_, member.key());
    out_ += form_ == Form::pretty ? ": " : ":";
    value(member.value);
  }

  void new_line() {
    if (form_ != Form::pretty) return;
    out_ += '\n';
    out_.append(open_.size() * static_cast<std::size_t>(indent_), ' ');
  }

  std::string& out_;
  Form form_;
  int indent_;
  std::vector<Frame> open_;
};

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t odd = plain_run(text, at);
    out.append(text, at, odd - at);
    at = odd;
    if (at == text.size()) break;
    if (static_cast<signed char>(text[at]) >= 0) {
      append_escaped(out, text[at++]);
      continue;
    }
    const utf8::Decoded found = utf8::decode(text, at);
    if (found.valid) {
      out.append(text, at, found.length);
    } else {
      utf8::append(out, utf8::kReplacement);
    }
    at += found.length;
  }
  out += '"';
}

void dump_to(std::string& out, const Value& value) {
  Writer(out, Form::compact, 0).write(value);
}

std::string dump(const Value& value) {
  std::string out;
  dump_to(out, value);
  return out;
}

std::string dump_canonical(const Value& value) {
  std::string out;
  Writer(out, Form::canonical, 0).write(value);
  return out;
}

std::string dump_pretty(const Value& value, int indent) {
  std::string out;
  Writer(out, Form::pretty, std::max(indent, 0)).write(value);
  return out;
}

std::string number_text(double value) {
  if (!std::isfinite(value)) {
    throw Error("json-number", "JSON has no NaN and no infinity: give a finite number, or null");
  }
  char text[64];
  const char* end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  return internal::canonical_number(std::string_view(text, static_cast<std::size_t>(end - text)));
}

}  // namespace agentfootprint::json
