// Writers: compact, canonical, pretty. All walk with a stack of their own, at any depth.
#include "agentfootprint/json/write.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/internal/node.hpp"
#include "agentfootprint/json/internal/number_form.hpp"

namespace agentfootprint::json {
namespace {

#if defined(__SSE2__)
// One bit for each of 16 bytes that cannot be copied as it stands.
unsigned odd_bytes(const char* from) noexcept {
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  // As signed bytes, control characters and everything beyond ASCII are below a space.
  const __m128i odd = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')),
                                                _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))),
                                   _mm_cmplt_epi8(block, _mm_set1_epi8(' ')));
  return static_cast<unsigned>(_mm_movemask_epi8(odd));
}
#endif

// The first byte from `at` on that cannot be copied as it stands: quote, backslash, control, not
// ASCII.
std::size_t plain_run(std::string_view text, std::size_t at) noexcept {
#if defined(__SSE2__)
  for (; at + 16 <= text.size(); at += 16) {
    const unsigned odd = odd_bytes(text.data() + at);
    if (odd != 0) return at + static_cast<std::size_t>(std::countr_zero(odd));
  }
#endif
  while (at < text.size() && text[at] != '"' && text[at] != '\\' &&
         static_cast<signed char>(text[at]) >= ' ') {
    ++at;
  }
  return at;
}

// Short pieces gather here before they are appended: one check and one store each.
class Sink {
 public:
  explicit Sink(std::string& out) : out_(out) {}
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() { flush(); }

  void put(char c) {
    room(1);
    buffer_[used_++] = c;
  }
  void text(std::string_view text) {
    if (text.size() > kSize / 4) {
      flush();
      out_ += text;
      return;
    }
    room(text.size());
    std::memcpy(buffer_ + used_, text.data(), text.size());
    used_ += text.size();
  }
  void spaces(std::size_t count) {
    flush();
    out_.append(count, ' ');
  }
  void quoted(std::string_view text) {
    put('"');
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t odd = plain_run(text, at);
      this->text(text.substr(at, odd - at));
      at = odd == text.size() ? odd : escape(text, odd);
    }
    put('"');
  }
  // A key or string of a value; those that stand in the value are looked at and copied in one go.
  void quoted(const Value& value) {
#if defined(__SSE2__)
    const internal::Access::Raw& raw = internal::Access::raw(value);
    if (!internal::Access::is_stored(raw)) {
      const char* bytes = reinterpret_cast<const char*>(&raw);
      if (((odd_bytes(bytes) >> 2) & ((1U << raw.length) - 1U)) == 0) {
        room(20);
        char* to = buffer_ + used_;
        to[0] = '"';
        std::memcpy(to + 1, bytes + 2, internal::kInlineText);
        to[1 + raw.length] = '"';
        used_ += std::size_t{2} + raw.length;
        return;
      }
    }
#endif
    quoted(*value.as_string());
  }
  void flush() {
    out_.append(buffer_, used_);
    used_ = 0;
  }

 private:
  static constexpr std::size_t kSize = 4096;

  void room(std::size_t bytes) {
    if (kSize - used_ < bytes) [[unlikely]]
      flush();
  }
  // Writes the one character at `at` that cannot stand as it is; gives the place behind it.
  std::size_t escape(std::string_view text, std::size_t at) {
    if (static_cast<signed char>(text[at]) >= 0) {
      ascii_escape(text[at]);
      return at + 1;
    }
    const utf8::Decoded found = utf8::decode(text, at);
    this->text(found.valid ? text.substr(at, found.length) : "\xEF\xBF\xBD");
    return at + found.length;
  }
  void ascii_escape(char c) {
    static constexpr char kHex[] = "0123456789abcdef";
    switch (c) {
      case '"':
        return text("\\\"");
      case '\\':
        return text("\\\\");
      case '\b':
        return text("\\b");
      case '\f':
        return text("\\f");
      case '\n':
        return text("\\n");
      case '\r':
        return text("\\r");
      case '\t':
        return text("\\t");
      default:
        break;
    }
    text("\\u00");
    put(kHex[(c >> 4) & 15]);
    put(kHex[c & 15]);
  }

  std::string& out_;
  std::size_t used_ = 0;
  char buffer_[kSize];
};

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
        out_.text("null");
        return;
      case Kind::boolean:
        out_.text(*value.as_bool() ? "true" : "false");
        return;
      case Kind::number:
        number(*value.number_text());
        return;
      case Kind::string:
        out_.quoted(value);
        return;
      case Kind::array:
      case Kind::object:
        break;
    }
    out_.put(value.is_array() ? '[' : '{');
    if (value.empty()) {
      out_.put(value.is_array() ? ']' : '}');
      return;
    }
    if (open_.empty()) open_.reserve(kUsualDepth);
    open_.emplace_back().container = &value;
    if (form_ == Form::canonical && value.is_object()) sort(open_.back());
  }

  void number(std::string_view text) {
    if (form_ == Form::canonical) {
      out_.text(internal::canonical_number(text));
    } else {
      out_.text(text);
    }
  }

  // By the bytes the keys are written with. Members with one key keep their order: they stand side
  // by side, so their addresses tell it.
  static void sort(Frame& frame) {
    bool valid = true;
    for (const Member& member : frame.container->members()) {
      frame.sorted.push_back(&member);
      valid = valid && utf8::is_valid(member.key());
    }
    std::sort(frame.sorted.begin(), frame.sorted.end(), [valid](const Member* a, const Member* b) {
      const int order = valid ? a->key().compare(b->key())
                              : utf8::sanitize(a->key()).compare(utf8::sanitize(b->key()));
      return order != 0 ? order < 0 : a < b;
    });
  }

  void step() {
    Frame& frame = open_.back();
    const Value& container = *frame.container;
    const bool array = container.is_array();
    if (frame.next == container.size()) {
      open_.pop_back();
      new_line();
      out_.put(array ? ']' : '}');
      return;
    }
    if (frame.next != 0) out_.put(',');
    new_line();
    const std::size_t at = frame.next++;
    if (array) return value(container.elements()[at]);
    const Member& member = frame.sorted.empty() ? container.members()[at] : *frame.sorted[at];
    out_.quoted(member.key_value);
    out_.text(form_ == Form::pretty ? ": " : ":");
    value(member.value);
  }

  void new_line() {
    if (form_ != Form::pretty) return;
    out_.put('\n');
    out_.spaces(open_.size() * static_cast<std::size_t>(indent_));
  }

  static constexpr std::size_t kUsualDepth = 8;

  Sink out_;
  Form form_;
  int indent_;
  std::vector<Frame> open_;
};

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  if (plain_run(text, 0) == text.size()) {
    out.append(1, '"').append(text).append(1, '"');
  } else {
    Sink(out).quoted(text);
  }
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
