// A ticket, a journal and a log of changes of any bytes: decoded or refused, and what was decoded
// writes itself back.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agentfootprint/artifacts/internal/change_log.hpp"
#include "agentfootprint/artifacts/internal/file_envelope.hpp"
#include "agentfootprint/artifacts/internal/scope_folder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agentfootprint::artifacts_internal;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string why;
  if (const auto envelope = decode_envelope(text, why)) {
    const auto again = decode_envelope(encode_envelope(*envelope), why);
    if (!again || !again->intact || again->meta.ref != envelope->meta.ref) std::abort();
  }
  (void)Journal::from_text(text);
  ChangeLog::Lines lines;
  if (ChangeLog::parse(text, lines) && (lines.marked > lines.whole || lines.whole > size)) {
    std::abort();
  }
  return 0;
}
