// The records of the artifact store: scopes, payloads, tickets' metadata, results of the verbs.
//
// What: plain values. An artifact is a payload a tool parked in a store; what travels is its ticket
// (`ref`) and this metadata, never the bytes. A payload has one of three shapes (text, binary,
// JSON) and one sequence of canonical bytes: text as UTF-8, binary as it is, JSON in compact form.
// `bytes` and the digest cover exactly these.
//
// When to use: every caller of a store. `to_json` and the `*_from_json` readers use the wire's
// spelling.
//
// Not guaranteed: that an absent scope field and an empty one differ; they are one thing, "not
// given". Times are milliseconds since 1970 UTC; sizes are bytes.
//
// Example:
//   ArtifactScope scope("conv-a");
//   PutArtifactInput input("dataset/rows", "application/json",
//                          ArtifactPayload::json(json::array({json::object({{"vm", "a"}})})));
//   input.label = "all VMs";
//   input.digest = "sha-256";
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint {

// Whose artifacts. Every verb takes it first; there is no verb over all scopes.
struct ArtifactScope {
  std::string tenant;           // "" is "not given"
  std::string principal;        // "" is "not given"
  std::string conversation_id;  // "" is "not given"

  ArtifactScope() {}  // NOLINT a user-provided constructor keeps it off the list of aggregates
  explicit ArtifactScope(std::string conversation) : conversation_id(std::move(conversation)) {}
  ArtifactScope(std::string tenant_name, std::string principal_name, std::string conversation)
      : tenant(std::move(tenant_name)),
        principal(std::move(principal_name)),
        conversation_id(std::move(conversation)) {}

  friend bool operator==(const ArtifactScope&, const ArtifactScope&) = default;
};

enum class PayloadShape : std::uint8_t { text, binary, json };
[[nodiscard]] std::string_view name_of(PayloadShape shape) noexcept;
[[nodiscard]] std::optional<PayloadShape> parse_payload_shape(std::string_view name) noexcept;

// An immutable payload; copies share the bytes.
class ArtifactPayload {
 public:
  [[nodiscard]] static ArtifactPayload text(std::string utf8);
  [[nodiscard]] static ArtifactPayload binary(std::string bytes);
  [[nodiscard]] static ArtifactPayload json(const json::Value& value);
  // What a JSON value asks for: a string is text, everything else JSON.
  [[nodiscard]] static ArtifactPayload of(const json::Value& value);
  // From canonical bytes read back; the shape is trusted.
  [[nodiscard]] static ArtifactPayload from_canonical(PayloadShape shape,
                                                      std::shared_ptr<const std::string> bytes);

  [[nodiscard]] PayloadShape shape() const noexcept { return shape_; }
  [[nodiscard]] const std::string& bytes() const noexcept { return *bytes_; }
  [[nodiscard]] const std::shared_ptr<const std::string>& shared_bytes() const noexcept {
    return bytes_;
  }
  // Text as a string, JSON parsed (a fresh value each time), binary as its base64 text.
  [[nodiscard]] json::Value value() const;
  // Why these bytes cannot be stored; empty when they can.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

 private:
  ArtifactPayload(PayloadShape shape, std::shared_ptr<const std::string> bytes)
      : shape_(shape), bytes_(std::move(bytes)) {}
  PayloadShape shape_;
  std::shared_ptr<const std::string> bytes_;
  std::string problem_;
};

// Stamped by the framework only, never by a tool.
struct ArtifactOrigin {
  std::optional<std::string> run_id;
  std::optional<std::string> tool_call_id;
  std::optional<std::string> query;  // the SQL that made a child ticket

  ArtifactOrigin() {}  // NOLINT
  [[nodiscard]] bool empty() const noexcept { return !run_id && !tool_call_id && !query; }
  friend bool operator==(const ArtifactOrigin&, const ArtifactOrigin&) = default;
};

struct ArtifactMeta {
  std::string ref;
  std::string kind;
  std::string media_type;
  std::uint64_t bytes = 0;
  std::int64_t created_at = 0;
  std::optional<std::string> label;
  std::optional<std::string> digest;  // `sha-256:` and 64 hex digits
  std::optional<std::int64_t> expires_at;
  ArtifactOrigin origin;
  std::vector<std::string> parent_refs;
  std::optional<json::Value> time_axis;

  ArtifactMeta() {}  // NOLINT
  friend bool operator==(const ArtifactMeta&, const ArtifactMeta&) = default;
};
// Absent members are left out.
[[nodiscard]] json::Value to_json(const ArtifactMeta& meta);
// Empty when the value is not what `to_json` writes.
[[nodiscard]] std::optional<ArtifactMeta> artifact_meta_from_json(const json::Value& value);

// The last time a store makes up by itself: what every reader of JSON holds exactly.
inline constexpr std::int64_t kLastArtifactTime = 9'007'199'254'740'991;

// What a put and a streamed put have in common.
struct ArtifactDeclaration {
  std::string kind;
  std::string media_type;
  std::optional<std::string> label;
  std::optional<std::string> digest;  // "sha-256" asks for one
  std::optional<std::int64_t> expires_at;
  ArtifactOrigin origin;
  std::vector<std::string> parent_refs;
  std::optional<json::Value> time_axis;

  ArtifactDeclaration() {}  // NOLINT
  ArtifactDeclaration(std::string kind_name, std::string media)
      : kind(std::move(kind_name)), media_type(std::move(media)) {}
};

struct PutArtifactInput : ArtifactDeclaration {
  std::optional<ArtifactPayload> payload;  // absent is refused

  PutArtifactInput() {}  // NOLINT
  PutArtifactInput(std::string kind_name, std::string media, ArtifactPayload data)
      : ArtifactDeclaration(std::move(kind_name), std::move(media)), payload(std::move(data)) {}
};
// Reads `{kind, mediaType, data, label?, digest?, expiresAt?, origin?, parentRefs?, timeAxis?}`. A
// member of a wrong type is kept as something the put refuses, so that the order of refusals stays
// the put's.
[[nodiscard]] PutArtifactInput put_input_from_json(const json::Value& value);

// `bytes` must be known before the first one is read: budgets are planned on it, and stores whose
// wire states a length first need it. `digest` is "sha-256" (computed while the bytes pass) or a
// full `sha-256:<hex>` (checked while they pass), for stores that must state it first.
struct ArtifactStreamPutInput : ArtifactDeclaration {
  std::optional<std::uint64_t> bytes;
  PayloadShape shape = PayloadShape::binary;

  ArtifactStreamPutInput() {}  // NOLINT
  ArtifactStreamPutInput(std::string kind_name, std::string media, std::uint64_t declared_bytes)
      : ArtifactDeclaration(std::move(kind_name), std::move(media)), bytes(declared_bytes) {}
};

enum class SweepReason : std::uint8_t { ttl, max_bytes, max_count };
[[nodiscard]] std::string_view name_of(
    SweepReason reason) noexcept;  // "ttl" "max-bytes" "max-count"

// A row that retention removed; a put reports every one of its scope that was not reported yet.
struct SweptArtifact {
  std::string ref;
  SweepReason reason = SweepReason::ttl;
  std::string kind;
  std::uint64_t bytes = 0;

  friend bool operator==(const SweptArtifact&, const SweptArtifact&) = default;
};
[[nodiscard]] json::Value to_json(const SweptArtifact& swept);

struct ArtifactPutResult {
  ArtifactMeta meta;
  std::vector<SweptArtifact> swept;
};

struct ArtifactRecord {
  ArtifactMeta meta;
  ArtifactPayload payload;
};

struct ArtifactListOptions {
  std::optional<std::string> cursor;  // a cursor the store did not mint reads as the start
  std::int64_t limit = 50;            // clamped to 1 … 1,000

  ArtifactListOptions() {}  // NOLINT
};
inline constexpr std::int64_t kMaxArtifactListLimit = 1'000;

struct ArtifactListResult {
  std::vector<ArtifactMeta> artifacts;  // newest first; ties by ref
  std::optional<std::string> cursor;    // there exactly when more rows exist
};

[[nodiscard]] json::Value to_json(const ArtifactScope& scope);  // fields that are given
[[nodiscard]] ArtifactScope artifact_scope_from_json(const json::Value& value);

}  // namespace agentfootprint
