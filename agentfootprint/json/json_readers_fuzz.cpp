// The four readers against one another on the same bytes, and what must hold of every value read.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/scanner.hpp"
#include "agentfootprint/json/value.hpp"
#include "agentfootprint/json/write.hpp"

namespace {

using agentfootprint::json::Value;
namespace json = agentfootprint::json;

void need(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void check_value(const Value& value) {
  const std::string compact = json::dump(value);
  const auto again = json::parse(compact);
  need(again.has_value(), "what is printed can be read");
  need(json::dump(*again) == compact, "printing is stable");
  need(agentfootprint::utf8::is_valid(compact), "what is printed is UTF-8");
  const Value detached = value.detach();
  need(detached == value && value == detached, "a detached copy is equal");
  need(json::dump(detached) == compact, "a detached copy prints the same");
  const std::string canonical = json::dump_canonical(value);
  const auto canonical_again = json::parse(canonical);
  need(canonical_again && json::dump_canonical(*canonical_again) == canonical,
       "canonical form is stable");
  need(*canonical_again == *again, "canonical form is equal");
  const auto pretty = json::parse(json::dump_pretty(value));
  need(pretty && *pretty == *again, "pretty form is equal");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto strict = json::parse(text);
  const auto lenient = json::parse_lenient(text);
  const auto prefix = json::parse_prefix(text);
  if (strict) {
    check_value(*strict);
    need(lenient && lenient->tolerated.empty(), "lenient reading tolerates nothing in JSON");
    need(lenient->value == *strict, "lenient reading reads JSON alike");
    need(prefix && !prefix->cut && prefix->value == *strict, "a whole document is no cut one");
  } else {
    need(strict.error().byte <= size && strict.error().line >= 1 && strict.error().column >= 1,
         "an error has its place");
    need(!strict.error().message().empty(), "an error has a message");
    need(prefix.has_value() == (strict.error().code == "json-cut"), "cut texts are read as such");
    if (lenient) {
      need(!lenient->tolerated.empty(), "lenient reading says what it let pass");
      check_value(lenient->value);
    }
    if (prefix) {
      need(prefix->cut, "a cut document says so");
      check_value(prefix->value);
    }
  }
  const json::LeadingValues leading = json::parse_leading(text);
  need(leading.end <= size && (leading.end == 0) == leading.values.empty(), "leading values end");
  for (const Value& value : leading.values) {
    need(value.is_array() || value.is_object(), "leading values are containers");
  }
  if (leading.values.size() == 1) {
    const auto alone = json::parse(text.substr(0, leading.end));
    need(alone && *alone == leading.values[0], "one leading value is a document");
  }
  return 0;
}
