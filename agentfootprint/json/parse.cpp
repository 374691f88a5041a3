// The four ways of reading text into values, all over the one scanner.
#include "agentfootprint/json/parse.hpp"

#include <algorithm>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/internal/document.hpp"
#include "agentfootprint/json/scanner.hpp"

namespace agentfootprint::json {
namespace {

using internal::DocumentBuilder;

void locate(std::string_view text, ParseError& error) {
  const std::string_view before = text.substr(0, error.byte);
  error.line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t newline = before.rfind('\n');
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  error.column = 1 + utf8::count(before.substr(start));
}

ParseError error_of(std::string_view text, const ScanResult& result) {
  ParseError error;
  switch (result.status) {
    case ScanStatus::cut:
      error.code = "json-cut";
      break;
    case ScanStatus::too_deep:
      error.code = "json-depth";
      break;
    case ScanStatus::complete:
    case ScanStatus::syntax:
      error.code = "json-syntax";
      break;
  }
  error.reason = result.reason;
  error.byte = result.at;
  locate(text, error);
  return error;
}

ParseError too_large(std::string_view text, std::size_t limit) {
  ParseError error;
  error.code = "json-size";
  error.reason = "the text has " + std::to_string(text.size()) + " bytes, the limit is " +
                 std::to_string(limit);
  error.byte = limit;
  locate(text, error);
  return error;
}

// Lengths are kept in 32 bits, so this is the end of what can be read at once.
std::size_t byte_limit(const ParseOptions& options) {
  return std::min(options.max_bytes, std::size_t{1} << 32);
}

// Rows of short values take up to twice the room of their text. For a long text one large chunk is
// asked for: what is not touched costs nothing, and an allocator that gets it back keeps it for the
// next document (page faults are half the time of parsing otherwise).
std::size_t arena_hint(std::string_view text) {
  return text.size() < (std::size_t{64} << 10) ? text.size() + text.size() / 4 : text.size() * 2;
}

ScanOptions scan_options(const ParseOptions& options, bool lenient) {
  ScanOptions out;
  out.lenient = lenient;
  out.max_depth = options.max_depth;
  return out;
}

// Collects what was let pass, by kind, in order of first occurrence.
class LenientBuilder : public DocumentBuilder {
 public:
  using DocumentBuilder::DocumentBuilder;
  void tolerated(const char* what, std::size_t at) {
    for (Tolerated& known : tolerated_) {
      if (known.what == what) {
        ++known.count;
        return;
      }
    }
    tolerated_.push_back({what, at, 1});
  }
  [[nodiscard]] std::vector<Tolerated> take_tolerated() { return std::move(tolerated_); }

 private:
  std::vector<Tolerated> tolerated_;
};

}  // namespace

std::string ParseError::message() const {
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + " (byte " +
         std::to_string(byte) + "): " + reason;
}

Expected<Value, ParseError> parse(std::string_view text, ParseOptions options) {
  if (text.size() > byte_limit(options)) {
    return Unexpected<ParseError>(too_large(text, byte_limit(options)));
  }
  DocumentBuilder builder(text, arena_hint(text));
  const ScanResult result = scan(text, builder, scan_options(options, false));
  if (result.status != ScanStatus::complete) return Unexpected<ParseError>(error_of(text, result));
  return builder.finish();
}

Value parse_or_throw(std::string_view text, ParseOptions options) {
  Expected<Value, ParseError> parsed = parse(text, options);
  if (!parsed) throw Error(parsed.error().code, parsed.error().message());
  return *std::move(parsed);
}

Expected<LenientValue, ParseError> parse_lenient(std::string_view text, ParseOptions options) {
  if (text.size() > byte_limit(options)) {
    return Unexpected<ParseError>(too_large(text, byte_limit(options)));
  }
  LenientBuilder builder(text, arena_hint(text));
  const ScanResult result = scan(text, builder, scan_options(options, true));
  if (result.status != ScanStatus::complete) return Unexpected<ParseError>(error_of(text, result));
  LenientValue out;
  out.value = builder.finish();
  out.tolerated = builder.take_tolerated();
  return out;
}

LeadingValues parse_leading(std::string_view text, ParseOptions options) {
  LeadingValues out;
  text = text.substr(0, byte_limit(options));
  ScanOptions scan_for = scan_options(options, false);
  scan_for.one_value = false;
  for (;;) {
    const std::size_t start = text.find_first_not_of(" \t\r\n", out.end);
    if (start == std::string_view::npos || (text[start] != '{' && text[start] != '[')) return out;
    scan_for.start = start;
    // A small first chunk: there may be very many short values.
    DocumentBuilder builder(text, 0);
    const ScanResult result = scan(text, builder, scan_for);
    if (result.status != ScanStatus::complete) return out;
    out.values.push_back(builder.finish());
    out.end = result.at;
  }
}

Expected<PrefixValue, ParseError> parse_prefix(std::string_view text, ParseOptions options) {
  if (text.size() > byte_limit(options)) {
    return Unexpected<ParseError>(too_large(text, byte_limit(options)));
  }
  DocumentBuilder builder(text, arena_hint(text));
  const ScanResult result = scan(text, builder, scan_options(options, false));
  if (result.status != ScanStatus::complete && result.status != ScanStatus::cut) {
    return Unexpected<ParseError>(error_of(text, result));
  }
  PrefixValue out;
  out.cut = result.status == ScanStatus::cut;
  if (out.cut) out.cut_words = whole_words_of_cut(builder.cut().in(text));
  builder.close_all();
  out.value = builder.finish();
  return out;
}

}  // namespace agentfootprint::json
