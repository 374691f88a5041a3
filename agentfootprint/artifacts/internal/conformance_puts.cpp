// Conformance cases about what a put refuses and stamps.
#include <algorithm>

#include "agentfootprint/artifacts/internal/conformance_cases.hpp"
#include "agentfootprint/artifacts/put_pipeline.hpp"
#include "agentfootprint/artifacts/ticket.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

void expect_invalid(ArtifactStore& store, const ArtifactScope& scope, const PutArtifactInput& input,
                    std::string_view what) {
  const std::string code = code_of_refusal(what, [&] { store.put(scope, input); });
  expect(code == "ERR_INVALID_ARTIFACT", fmt::format("{}: code {}", what, code));
}

void oversized_is_refused(ConformanceKit& kit) {
  kit.bound(64);
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("budget");
  const std::string keeper = put_text(store, scope, "small");
  expect_invalid(store, scope, text_input(std::string(500, 'x')), "500 bytes in a budget of 64");
  expect(store.head(scope, keeper).has_value(), "the refused put removed another row");
  expect(list_all(store, scope).size() == 1, "the refused put left a row");
}

void parents_are_proven(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("parents");
  const std::string parent = put_text(store, scope, "parent");
  PutArtifactInput child = text_input("child");
  child.parent_refs = {parent};
  const ArtifactMeta meta = store.put(scope, child).meta;
  expect(meta.parent_refs == child.parent_refs, "the put's answer lost the parent");
  const auto head = store.head(scope, meta.ref);
  expect(head && head->parent_refs == child.parent_refs, "head lost the parent");
  const auto children = store.children(scope, parent);
  expect(children == std::vector<std::string>{meta.ref}, "the child is not found from its parent");
  SystemRandom random;
  const std::string elsewhere = put_text(store, kit.scope("parents-other"), "not yours");
  for (const std::string& bad : {mint_artifact_ref(random), elsewhere, std::string("not-a-ref")}) {
    child.parent_refs = {parent, bad};
    std::string message;
    const std::string code =
        code_of_refusal("an unknown parent", [&] { store.put(scope, child); }, &message);
    expect(code == "ERR_UNKNOWN_PARENT_REF", "an unknown parent: code " + code);
    expect(message.find(bad) != std::string::npos, "the refusal does not name the parent");
  }
  expect(list_all(store, scope).size() == 2, "a refused child was stored");
}

void malformed_puts(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("malformed");
  PutArtifactInput input = text_input("x", "  ");
  expect_invalid(store, scope, input, "a blank kind");
  input = text_input("x");
  input.media_type = " \t";
  expect_invalid(store, scope, input, "a blank mediaType");
  input = text_input("x");
  input.digest = "md5";
  expect_invalid(store, scope, input, "an unknown digest");
  input = text_input("x");
  input.payload.reset();
  expect_invalid(store, scope, input, "no data");
  input.payload = ArtifactPayload::text("broken \xC3( text");
  expect_invalid(store, scope, input, "a text that is not UTF-8");
  input.payload = ArtifactPayload::json(json::array({json::Value(std::string_view("\xFF"))}));
  expect_invalid(store, scope, input, "a JSON value with a string that is not UTF-8");
  expect(list_all(store, scope).empty(), "a refused put was stored");
}

void refusals_are_discreet(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  ArtifactScope scope = kit.scope("discreet");
  scope.tenant = "tenant-9x";
  scope.principal = "principal-7z";
  std::vector<std::string> messages(3);
  PutArtifactInput input = text_input("payload-4w", " ");
  (void)code_of_refusal("a blank kind", [&] { store.put(scope, input); }, &messages[0]);
  input = text_input("payload-4w");
  input.digest = "crc";
  (void)code_of_refusal("an unknown digest", [&] { store.put(scope, input); }, &messages[1]);
  input = text_input("payload-4w");
  input.parent_refs = {"art_AAAAAAAAAAAAAAAAAAAAAA"};
  (void)code_of_refusal("an unknown parent", [&] { store.put(scope, input); }, &messages[2]);
  for (const std::string& message : messages) {
    for (const std::string_view secret : {"payload-4w", "tenant-9x", "principal-7z"}) {
      expect(message.find(secret) == std::string::npos, "a refusal quotes payload or scope");
    }
  }
}

void digest_rides(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("digest");
  PutArtifactInput input("n", "application/json", ArtifactPayload::json(json::object({{"n", 7}})));
  expect(!store.put(scope, input).meta.digest, "a digest nobody asked for");
  input.digest = "sha-256";
  const ArtifactMeta first = store.put(scope, input).meta;
  const ArtifactMeta second = store.put(scope, input).meta;
  input.payload = ArtifactPayload::json(json::object({{"n", 8}}));
  const ArtifactMeta third = store.put(scope, input).meta;
  expect(first.digest && is_payload_digest(*first.digest), "the digest has another form");
  expect(*first.digest == payload_digest("{\"n\":7}"), "the digest is not of the canonical bytes");
  expect(first.digest == second.digest, "twins have two digests");
  expect(first.digest != third.digest, "different payloads have one digest");
  const auto head = store.head(scope, first.ref);
  expect(head && head->digest == first.digest, "head lost the digest");
}

void corruption_is_refused(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("corrupt");
  PutArtifactInput input = text_input("the bytes as they were");
  input.digest = "sha-256";
  const std::string ref = store.put(scope, input).meta.ref;
  kit.corrupt(scope, ref);
  const std::string code =
      code_of_refusal("a changed payload", [&] { (void)store.get(scope, ref); });
  expect(code == "ERR_ARTIFACT_INTEGRITY", "a changed payload: code " + code);
  expect(store.head(scope, ref).has_value(), "head does not answer any more");
}

void time_axis_rides(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("axis");
  PutArtifactInput input("dataset/rows", "application/json",
                         ArtifactPayload::json(json::array({})));
  const json::Value axis = json::object({{"column", "ts"},
                                         {"unit", "epoch-s"},
                                         {"interval", "1h"},
                                         {"aggregate", json::object({{"iops", "avg"}})}});
  input.time_axis = axis;
  const ArtifactMeta meta = store.put(scope, input).meta;
  expect(meta.time_axis == axis, "the put's answer lost the time axis");
  const auto head = store.head(scope, meta.ref);
  const auto record = store.get(scope, meta.ref);
  const auto rows = list_all(store, scope);
  expect(head && head->time_axis == axis, "head lost the time axis");
  expect(record && record->meta.time_axis == axis, "get lost the time axis");
  expect(rows.size() == 1 && rows.front().time_axis == axis, "list lost the time axis");
  input.time_axis = json::object({{"column", " "}, {"unit", "epoch-s"}});
  expect_invalid(store, scope, input, "a malformed time axis");
  expect(list_all(store, scope).size() == 1, "a malformed time axis was stored");
}

}  // namespace

std::vector<ConformanceCase> put_cases() {
  return {
      {"an-oversized-payload-is-refused-and-removes-nothing", nullptr, oversized_is_refused},
      {"parents-are-proven-at-mint", nullptr, parents_are_proven},
      {"malformed-puts-are-refused-by-name", nullptr, malformed_puts},
      {"refusals-quote-no-payload-and-no-scope", nullptr, refusals_are_discreet},
      {"a-digest-is-over-the-canonical-bytes-and-on-the-ticket", nullptr, digest_rides},
      {"get-refuses-bytes-that-are-not-the-digests", nullptr, corruption_is_refused},
      {"a-time-axis-is-on-the-ticket", nullptr, time_axis_rides},
  };
}

}  // namespace agentfootprint::artifacts_internal
