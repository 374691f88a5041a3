// The small JSON file that stands for an artifact in the file store.
#include "agentfootprint/artifacts/internal/file_envelope.hpp"

#include <fmt/format.h>

#include <limits>

#include "agentfootprint/artifacts/internal/base64.hpp"
#include "agentfootprint/artifacts/internal/record_digest.hpp"
#include "agentfootprint/artifacts/ticket.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

std::string digest_text(const FileEnvelope& envelope, const std::string& meta_text) {
  return base64_encode(record_digest(envelope.scope_ns, name_of(envelope.shape), meta_text));
}

std::optional<std::string_view> text_member(const json::Value& object, std::string_view key) {
  const json::Value* member = object.find(key);
  return member == nullptr ? std::nullopt : member->as_string();
}

}  // namespace

std::string encode_envelope(const FileEnvelope& envelope) {
  const json::Value meta = to_json(envelope.meta);
  json::ObjectBuilder out;
  // The scope is base64: it may hold bytes that JSON cannot.
  out.add("format", kEnvelopeFormat).add("scope", base64_encode(envelope.scope_ns));
  out.add("shape", name_of(envelope.shape)).add("order", envelope.order).add("meta", meta);
  out.add_if("measured", envelope.measured);
  out.add("record", digest_text(envelope, json::dump(meta)));
  return json::dump(out.build()) + "\n";
}

std::optional<FileEnvelope> decode_envelope(std::string_view text, std::string& why) {
  const auto parsed = json::parse(text);
  if (!parsed) {
    why = "it is not JSON";
    return std::nullopt;
  }
  const json::Value* format = parsed->find("format");
  const auto version = format == nullptr ? std::nullopt : format->as_int64();
  if (version != kEnvelopeFormat) {
    why = version
              ? fmt::format("its format is {}, this library writes {}", *version, kEnvelopeFormat)
              : "it is not an envelope of this library";
    return std::nullopt;
  }
  why = "its envelope is incomplete";
  const auto scope = text_member(*parsed, "scope");
  const auto shape = text_member(*parsed, "shape");
  const auto record = text_member(*parsed, "record");
  const json::Value* meta = parsed->find("meta");
  const json::Value* order = parsed->find("order");
  if (!scope || !shape || !record || meta == nullptr || order == nullptr) return std::nullopt;
  const auto scope_ns = base64_decode(*scope);
  const auto parsed_shape = parse_payload_shape(*shape);
  auto parsed_meta = artifact_meta_from_json(*meta);
  const auto place = order->as_int64();
  if (!scope_ns || !parsed_shape || !parsed_meta || !place) return std::nullopt;
  // Others are counted on from it.
  if (*place < 0 || *place > std::numeric_limits<std::int64_t>::max() / 2) return std::nullopt;
  if (!is_artifact_ref(parsed_meta->ref)) return std::nullopt;
  FileEnvelope envelope;
  envelope.scope_ns = *scope_ns;
  envelope.shape = *parsed_shape;
  envelope.order = *place;
  envelope.meta = std::move(*parsed_meta);
  if (const json::Value* measured = parsed->find("measured")) envelope.measured = *measured;
  envelope.intact = *record == digest_text(envelope, json::dump(*meta));
  return envelope;
}

std::optional<SweptArtifact> swept_from_json(const json::Value& value) {
  const auto ref = text_member(value, "ref");
  const auto reason = text_member(value, "reason");
  const auto kind = text_member(value, "kind");
  const json::Value* bytes = value.find("bytes");
  if (!ref || !is_artifact_ref(*ref) || !reason || !kind || bytes == nullptr ||
      !bytes->as_uint64()) {
    return std::nullopt;
  }
  for (const SweepReason one : {SweepReason::ttl, SweepReason::max_bytes, SweepReason::max_count}) {
    if (name_of(one) == *reason) {
      return SweptArtifact{std::string(*ref), one, std::string(*kind), *bytes->as_uint64()};
    }
  }
  return std::nullopt;
}

}  // namespace agentfootprint::artifacts_internal
