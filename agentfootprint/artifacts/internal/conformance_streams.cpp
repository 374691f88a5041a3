// Conformance cases about the optional streaming members.
#include "agentfootprint/artifacts/internal/conformance_cases.hpp"
#include "agentfootprint/artifacts/put_pipeline.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

bool has_put_stream(const ArtifactStore& store) {
  return store.can_put_stream();
}
bool has_get_stream(const ArtifactStore& store) {
  return store.can_get_stream();
}

// More than one chunk of any store, with every byte value in it.
std::string long_payload() {
  std::string bytes(3'000'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>((i * 131) >> 4);
  return bytes;
}

ArtifactStreamPutInput stream_input(const ArtifactStore& store, const std::string& bytes) {
  ArtifactStreamPutInput input("blob", "application/octet-stream", bytes.size());
  input.digest = store.needs_digest_before_bytes() ? payload_digest(bytes) : "sha-256";
  return input;
}

void stream_verifies(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("stream-corrupt");
  PutArtifactInput put = text_input("streamed and then changed");
  put.digest = "sha-256";
  const std::string ref = store.put(scope, put).meta.ref;
  kit.corrupt(scope, ref);
  auto record = store.get_stream(scope, ref);
  expect(record.has_value(), "the stream of a changed payload does not open");
  expect(record->meta.digest == payload_digest(put.payload->bytes()), "the digest changed");
  const std::string code = code_of_refusal("the end of a changed stream",
                                           [&] { (void)collect_stream(*record->body, 1 << 20); });
  expect(code == "ERR_ARTIFACT_INTEGRITY", "the end of a changed stream: code " + code);
}

void streamed_put(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("stream-put");
  const std::string bytes = long_payload();
  StringSource source(bytes);
  const ArtifactMeta meta = store.put_stream(scope, stream_input(store, bytes), source).meta;
  expect(meta.bytes == bytes.size(), "bytes is not what was declared");
  expect(meta.digest == payload_digest(bytes), "the digest is not of the bytes that passed");
  const auto head = store.head(scope, meta.ref);
  expect(head && *head == meta, "head differs from what the put returned");
  expect_payload(store, scope, meta.ref, ArtifactPayload::binary(bytes), "get of a streamed put");
  expect(list_all(store, scope).size() == 1, "the listing does not show the streamed put");
  for (const std::int64_t difference : {-1, 1}) {
    ArtifactStreamPutInput wrong = stream_input(store, bytes);
    wrong.bytes = static_cast<std::uint64_t>(static_cast<std::int64_t>(bytes.size()) + difference);
    StringSource again(bytes);
    const std::string code =
        code_of_refusal("a wrong length", [&] { store.put_stream(scope, wrong, again); });
    expect(code == "ERR_INVALID_ARTIFACT", "a wrong length: code " + code);
  }
  ArtifactStreamPutInput none = stream_input(store, bytes);
  none.bytes.reset();
  StringSource again(bytes);
  const std::string code =
      code_of_refusal("no length", [&] { store.put_stream(scope, none, again); });
  expect(code == "ERR_INVALID_ARTIFACT", "no length: code " + code);
  expect(list_all(store, scope).size() == 1, "a refused stream left a row");
}

void members_are_detected(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("members");
  if (store.can_get_stream()) {
    expect(!store.get_stream(scope, "art_AAAAAAAAAAAAAAAAAAAAAA"), "a stream of nothing");
    expect(!store.get_stream(scope, "not-a-ref"), "a stream of a malformed ref");
    const std::string bytes = long_payload();
    const std::string ref =
        store.put(scope, PutArtifactInput("b", "x/y", ArtifactPayload::binary(bytes))).meta.ref;
    auto record = store.get_stream(scope, ref);
    expect(record && collect_stream(*record->body, 1U << 23).bytes == bytes,
           "the stream of a stored payload has other bytes");
  } else {
    const std::string code =
        code_of_refusal("get_stream", [&] { (void)store.get_stream(scope, "not-a-ref"); });
    expect(code == "artifact-unsupported", "an absent get_stream: code " + code);
  }
  if (store.can_put_stream()) return;
  StringSource source("x");
  const std::string code = code_of_refusal("put_stream", [&] {
    store.put_stream(scope, ArtifactStreamPutInput("b", "x/y", 1), source);
  });
  expect(code == "artifact-unsupported", "an absent put_stream: code " + code);
}

}  // namespace

std::vector<ConformanceCase> stream_cases() {
  return {
      {"a-stream-out-fails-at-its-end-when-the-bytes-changed", has_get_stream, stream_verifies},
      {"a-stream-in-keeps-its-declared-length", has_put_stream, streamed_put},
      {"streaming-members-say-whether-they-are-there", nullptr, members_are_detected},
  };
}

}  // namespace agentfootprint::artifacts_internal
