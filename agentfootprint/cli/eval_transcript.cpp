// `transcript.read`: what a reader finds in a transcript, in numbers.
#include "agentfootprint/cli/eval_transcript.hpp"

#include "agentfootprint/cli/eval_messages.hpp"
#include "agentfootprint/transcript/transcript.hpp"

namespace agentfootprint {
namespace {

json::Value gap_value(const Gap& gap) {
  json::ObjectBuilder built;
  built.add("code", gap.code);
  built.add("message", gap.message);
  if (!gap.where.empty()) built.add("where", gap.where);
  built.add("count", gap.count);
  if (gap.damage) built.add("damage", true);
  return built.build();
}

struct Counts {
  std::string format;
  std::uint64_t conversations = 0;
  std::uint64_t messages = 0;
  std::uint64_t calls = 0;
  std::uint64_t results = 0;
  bool structured = true;
  bool incomplete = false;
  json::ArrayBuilder gaps;

  void add(const Transcript& transcript) {
    if (format.empty()) format = transcript.format;
    ++conversations;
    messages += transcript.conversation.size();
    calls += transcript.call_count();
    results += transcript.result_count();
    structured = structured && transcript.structured;
    incomplete = incomplete || transcript.incomplete;
    for (const Gap& gap : transcript.gaps) gaps.add(gap_value(gap));
  }
};

json::Value eval_read(const json::Value& in) {
  const auto* path = eval_optional(in, "path", json::Kind::string);
  const auto* text = eval_optional(in, "text", json::Kind::string);
  if (path == nullptr && text == nullptr) {
    throw Refusal("eval-input", "path", "path or text is missing: name what is to be read");
  }
  TranscriptOptions options;
  if (const auto* format = eval_optional(in, "format", json::Kind::string)) {
    options.format = *format->as_string();
  }
  TranscriptReader reader = path != nullptr
                                ? TranscriptReader::open(std::string(*path->as_string()), options)
                                : TranscriptReader::from_text(*text->as_string(), options);
  Counts counts;
  while (const auto transcript = reader.next()) counts.add(*transcript);
  for (const Gap& gap : reader.gaps()) {
    counts.gaps.add(gap_value(gap));
    counts.incomplete = counts.incomplete || gap.damage;
  }
  json::ObjectBuilder out;
  out.add("format", counts.format);
  out.add("conversations", counts.conversations);
  out.add("messages", counts.messages);
  out.add("calls", counts.calls);
  out.add("results", counts.results);
  out.add("structured", counts.structured);
  out.add("incomplete", counts.incomplete);
  out.add("gaps", counts.gaps.build());
  return out.build();
}

}  // namespace

std::vector<EvalFunction> transcript_eval_functions() {
  return {{"transcript.read", eval_read}};
}

}  // namespace agentfootprint
