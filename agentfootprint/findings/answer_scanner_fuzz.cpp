// Fuzz target: the answer scanner gives the same bytes in one piece and in pieces cut by the input
// itself, and the same bytes it was given when nothing is named `_findings`.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agentfootprint/findings/answer_scanner.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using agentfootprint::findings::AnswerScanner;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto whole = agentfootprint::findings::peel_answer(text);
  AnswerScanner scanner;
  std::string joined;
  std::size_t at = 0;
  std::size_t step = size;
  while (at < text.size()) {
    step = step * 31 + data[at];
    const std::size_t length = 1 + step % 9;
    joined += scanner.feed(text.substr(at, length));
    at += length;
  }
  joined += scanner.end();
  if (joined != whole.text) std::abort();
  if (scanner.notes().malformed != whole.notes.malformed) std::abort();
  const bool named = text.find("findings") != text.npos || text.find("\\u") != text.npos;
  if (!named && whole.text != text) std::abort();
  return 0;
}
