// Fuzzes every transcript reader: any bytes give conversations, gaps or an Error, and nothing else;
// what is read is bounded by what was given, and results are paired one to one.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/transcript/transcript.hpp"

namespace {

using agentfootprint::Conversation;

void check(const Conversation& conversation) {
  std::set<agentfootprint::CallKey> keys;
  for (const std::uint32_t index : conversation.results()) {
    const auto key = conversation.key_of_result(index);
    if (!key || !keys.insert(*key).second) std::abort();
    if (!key->orphan && conversation.call_of(*key) == nullptr) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte chooses the name's ending and with it the layout that is tried first.
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  agentfootprint::TranscriptOptions options;
  options.name = data[0] % 2 == 0 ? "a.json" : "a.jsonl";
  try {
    auto reader = agentfootprint::TranscriptReader::from_text(text, options);
    std::size_t messages = 0;
    while (const auto transcript = reader.next()) {
      check(transcript->conversation);
      messages += transcript->conversation.size();
    }
    if (messages > size) std::abort();
  } catch (const agentfootprint::Error& error) {
    // Refused as a whole, with its own word; an error from further inside is a fault.
    if (!error.code().starts_with("transcript-")) std::abort();
  }
  return 0;
}
