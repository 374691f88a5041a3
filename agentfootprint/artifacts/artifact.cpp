// Payloads and the JSON forms of the artifact records.
#include "agentfootprint/artifacts/artifact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "agentfootprint/artifacts/internal/base64.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

using json::Value;

constexpr std::size_t kMaxPayloadDepth = 9'999;  // what the parser reads back

// Why a JSON value cannot be written so that reading gives it back: a string that is not UTF-8, or
// nesting beyond the parser's limit. Iterative, for values of any depth.
std::string json_problem(const Value& root) {
  struct Level {
    const Value* value;
    std::size_t depth;
  };
  std::vector<Level> open{{&root, 1}};
  while (!open.empty()) {
    const Level level = open.back();
    open.pop_back();
    const Value& value = *level.value;
    if (const auto text = value.as_string()) {
      if (!utf8::is_valid(*text)) return "a string in it is not valid UTF-8";
    }
    if ((value.is_array() || value.is_object()) && level.depth > kMaxPayloadDepth) {
      return "it nests deeper than 9,999 levels";
    }
    for (const Value& element : value.elements()) open.push_back({&element, level.depth + 1});
    for (const json::Member& member : value.members()) {
      if (!utf8::is_valid(member.key())) return "a key in it is not valid UTF-8";
      open.push_back({&member.value, level.depth + 1});
    }
  }
  return {};
}

std::optional<std::string> string_member(const Value& object, std::string_view key) {
  const Value* member = object.find(key);
  if (member == nullptr) return std::nullopt;
  const auto text = member->as_string();
  if (!text) return std::nullopt;
  return std::string(*text);
}

std::optional<std::int64_t> int_member(const Value& object, std::string_view key) {
  const Value* member = object.find(key);
  return member == nullptr ? std::nullopt : member->as_int64();
}

bool given(const Value* member) {
  return member != nullptr && !member->is_null();
}

ArtifactOrigin origin_from_json(const Value& value) {
  ArtifactOrigin origin;
  origin.run_id = string_member(value, "runId");
  origin.tool_call_id = string_member(value, "toolCallId");
  origin.query = string_member(value, "query");
  return origin;
}

Value origin_to_json(const ArtifactOrigin& origin) {
  json::ObjectBuilder out;
  out.add_if("runId", origin.run_id);
  out.add_if("toolCallId", origin.tool_call_id);
  out.add_if("query", origin.query);
  return out.build();
}

Value strings_to_json(const std::vector<std::string>& texts) {
  json::ArrayBuilder out;
  for (const std::string& text : texts) out.add(Value(text));
  return out.build();
}

// A time in milliseconds; anything that is no time becomes the first of all, which no put accepts.
// Clocks tell whole milliseconds: a time between two of them has passed when the later one is
// there. One behind the last is as good as the last.
std::int64_t time_or_first(const Value& value) {
  constexpr double kLast = kLastArtifactTime;
  if (const auto exact = value.as_int64()) return *exact;
  const auto number = value.as_double();
  if (!number || !std::isfinite(*number) || *number < -kLast) {
    return std::numeric_limits<std::int64_t>::min();
  }
  return static_cast<std::int64_t>(std::ceil(std::min(*number, kLast)));
}

}  // namespace

std::string_view name_of(PayloadShape shape) noexcept {
  switch (shape) {
    case PayloadShape::text:
      return "text";
    case PayloadShape::binary:
      return "binary";
    case PayloadShape::json:
      break;
  }
  return "json";
}

std::optional<PayloadShape> parse_payload_shape(std::string_view name) noexcept {
  if (name == "text") return PayloadShape::text;
  if (name == "binary") return PayloadShape::binary;
  if (name == "json") return PayloadShape::json;
  return std::nullopt;
}

std::string_view name_of(SweepReason reason) noexcept {
  switch (reason) {
    case SweepReason::ttl:
      return "ttl";
    case SweepReason::max_bytes:
      return "max-bytes";
    case SweepReason::max_count:
      break;
  }
  return "max-count";
}

ArtifactPayload ArtifactPayload::text(std::string utf8) {
  ArtifactPayload payload(PayloadShape::text, std::make_shared<const std::string>(std::move(utf8)));
  if (!utf8::is_valid(payload.bytes())) {
    payload.problem_ = "the text is not valid UTF-8: store it as binary";
  }
  return payload;
}

ArtifactPayload ArtifactPayload::binary(std::string bytes) {
  return {PayloadShape::binary, std::make_shared<const std::string>(std::move(bytes))};
}

ArtifactPayload ArtifactPayload::json(const Value& value) {
  std::string problem = json_problem(value);
  ArtifactPayload payload(
      PayloadShape::json,
      std::make_shared<const std::string>(problem.empty() ? json::dump(value) : std::string()));
  payload.problem_ = std::move(problem);
  return payload;
}

ArtifactPayload ArtifactPayload::of(const Value& value) {
  if (const auto string = value.as_string()) return text(std::string(*string));
  return json(value);
}

ArtifactPayload ArtifactPayload::from_canonical(PayloadShape shape,
                                                std::shared_ptr<const std::string> bytes) {
  return {shape, std::move(bytes)};
}

Value ArtifactPayload::value() const {
  switch (shape_) {
    case PayloadShape::text:
      return Value(*bytes_);
    case PayloadShape::binary:
      return Value(artifacts_internal::base64_encode(*bytes_));
    case PayloadShape::json:
      break;
  }
  return json::parse_or_throw(*bytes_);
}

Value to_json(const ArtifactMeta& meta) {
  json::ObjectBuilder out;
  out.add("ref", meta.ref).add("kind", meta.kind).add("mediaType", meta.media_type);
  out.add("bytes", meta.bytes).add("createdAt", meta.created_at);
  out.add_if("label", meta.label);
  out.add_if("digest", meta.digest);
  out.add_if("expiresAt", meta.expires_at);
  if (!meta.origin.empty()) out.add("origin", origin_to_json(meta.origin));
  if (!meta.parent_refs.empty()) out.add("parentRefs", strings_to_json(meta.parent_refs));
  out.add_if("timeAxis", meta.time_axis);
  return out.build();
}

std::optional<ArtifactMeta> artifact_meta_from_json(const Value& value) {
  ArtifactMeta meta;
  auto ref = string_member(value, "ref");
  auto kind = string_member(value, "kind");
  auto media = string_member(value, "mediaType");
  const Value* bytes = value.find("bytes");
  const auto created = int_member(value, "createdAt");
  if (!ref || !kind || !media || bytes == nullptr || !bytes->as_uint64() || !created) return {};
  meta.ref = std::move(*ref);
  meta.kind = std::move(*kind);
  meta.media_type = std::move(*media);
  meta.bytes = *bytes->as_uint64();
  meta.created_at = *created;
  meta.label = string_member(value, "label");
  meta.digest = string_member(value, "digest");
  meta.expires_at = int_member(value, "expiresAt");
  if (const Value* origin = value.find("origin")) meta.origin = origin_from_json(*origin);
  if (const Value* parents = value.find("parentRefs")) {
    for (const Value& parent : parents->elements()) {
      const auto text = parent.as_string();
      if (!text) return {};
      meta.parent_refs.emplace_back(*text);
    }
  }
  if (const Value* axis = value.find("timeAxis")) meta.time_axis = *axis;
  return meta;
}

PutArtifactInput put_input_from_json(const Value& value) {
  PutArtifactInput input;
  input.kind = string_member(value, "kind").value_or("");
  input.media_type = string_member(value, "mediaType").value_or("");
  if (const Value* data = value.find("data")) input.payload = ArtifactPayload::of(*data);
  input.label = string_member(value, "label");
  if (const Value* digest = value.find("digest"); digest != nullptr) {
    input.digest = string_member(value, "digest").value_or("");
  }
  if (const Value* expires = value.find("expiresAt"); expires != nullptr) {
    input.expires_at = time_or_first(*expires);
  }
  if (const Value* origin = value.find("origin")) input.origin = origin_from_json(*origin);
  if (const Value* parents = value.find("parentRefs"); given(parents)) {
    if (!parents->is_array()) input.parent_refs.push_back(json::dump(*parents));
    for (const Value& parent : parents->elements()) {
      const auto text = parent.as_string();
      input.parent_refs.push_back(text ? std::string(*text) : json::dump(parent));
    }
  }
  if (const Value* axis = value.find("timeAxis")) input.time_axis = axis->detach();
  return input;
}

Value to_json(const SweptArtifact& swept) {
  return json::object({{"ref", swept.ref},
                       {"reason", name_of(swept.reason)},
                       {"kind", swept.kind},
                       {"bytes", swept.bytes}});
}

Value to_json(const ArtifactScope& scope) {
  json::ObjectBuilder out;
  if (!scope.tenant.empty()) out.add("tenant", scope.tenant);
  if (!scope.principal.empty()) out.add("principal", scope.principal);
  if (!scope.conversation_id.empty()) out.add("conversationId", scope.conversation_id);
  return out.build();
}

ArtifactScope artifact_scope_from_json(const Value& value) {
  ArtifactScope scope;
  const auto read = [&](std::string_view key, std::string& into) {
    const Value* member = value.find(key);
    if (!given(member)) return;
    const auto text = member->as_string();
    // The value is not quoted: a scope may be private.
    if (!text)
      throw Refusal("artifact-scope", key, std::string(key) + " of a scope is not a string");
    into = std::string(*text);
  };
  read("tenant", scope.tenant);
  read("principal", scope.principal);
  read("conversationId", scope.conversation_id);
  return scope;
}

}  // namespace agentfootprint
