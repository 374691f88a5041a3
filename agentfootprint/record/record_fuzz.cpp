// Fuzzes the record reader: any bytes give a footprint with notes or an Error; and what was read
// can always be gone on with: a new segment behind it reads without damage that was not there.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/record/reader.hpp"
#include "agentfootprint/record/writer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const agentfootprint::Footprint before = agentfootprint::read_footprint(text);
    if (!before.intact() || !before.end_status.empty()) return 0;
    const agentfootprint::ManualClock clock;
    agentfootprint::MemorySink sink;
    sink.write(std::string(text), false);
    sink.write(std::string(agentfootprint::footprint_gap(text)), false);
    agentfootprint::RecordWriter writer(sink, agentfootprint::continue_footprint(before, clock));
    writer.message(agentfootprint::Message::user("going on"));
    writer.end("complete");
    const agentfootprint::Footprint after = agentfootprint::read_footprint(sink.text());
    if (!after.complete()) std::abort();
    if (after.conversation.size() != before.conversation.size() + 1) std::abort();
  } catch (const agentfootprint::Error& error) {
    // Refused as a whole, with its own word; an error from further inside is a fault.
    if (!error.code().starts_with("record-")) std::abort();
  }
  return 0;
}
