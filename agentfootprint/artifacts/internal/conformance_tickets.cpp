// Conformance cases about tickets, payloads, expiry, listing and deletion.
#include <set>

#include "agentfootprint/artifacts/internal/conformance_cases.hpp"
#include "agentfootprint/artifacts/ticket.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

void put_head_get(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("basic");
  const json::Value rows = json::array({json::object({{"vm", "a"}, {"n", 1}})});
  PutArtifactInput input("dataset/rows", "application/json", ArtifactPayload::json(rows));
  input.label = "all rows";
  const ArtifactPutResult done = store.put(scope, input);
  expect(done.swept.empty(), "the put of an empty scope swept something");
  expect(is_artifact_ref(done.meta.ref), "the ref is no ticket");
  expect(done.meta.kind == "dataset/rows" && done.meta.label == "all rows",
         "kind or label changed");
  expect(done.meta.bytes == input.payload->bytes().size(), "bytes is not the payload's size");
  expect(done.meta.created_at > 0, "createdAt is not stamped");
  const auto head = store.head(scope, done.meta.ref);
  expect(head && *head == done.meta, "head differs from what the put returned");
  expect_payload(store, scope, done.meta.ref, *input.payload, "get");
}

void payloads_round_trip(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("shapes");
  const auto check = [&](std::string media, const ArtifactPayload& payload, std::string_view what) {
    const auto done = store.put(scope, PutArtifactInput("blob", media, payload));
    expect(done.meta.media_type == media, fmt::format("{}: mediaType changed", what));
    expect_payload(store, scope, done.meta.ref, payload, what);
  };
  check("application/json",
        ArtifactPayload::json(json::object({{"z", 1},
                                            {"a", json::Value::number("1.50")},
                                            {"deep", json::array({nullptr, true, "é"})},
                                            {"id", json::Value::number("19158835881748060580")}})),
        "JSON");
  check("application/json", ArtifactPayload::json(json::Value()), "null");
  check("text/plain", ArtifactPayload::text("naïve 文字 🍸 and a NUL:" + std::string(1, '\0')),
        "text");
  check("text/plain", ArtifactPayload::text(""), "empty text");
  check("application/octet-stream", ArtifactPayload::binary(std::string("\x00\x01\x02\xFA\xFF", 5)),
        "binary");
}

void refs_are_minted(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("twins");
  PutArtifactInput input = text_input("the same bytes");
  input.digest = "sha-256";
  const ArtifactMeta first = store.put(scope, input).meta;
  const ArtifactMeta second = store.put(scope, input).meta;
  expect(first.ref != second.ref, "two puts of one payload gave one ref");
  expect(first.digest.has_value(), "no digest though one was asked for");
  expect(first.digest->find(first.ref.substr(4)) == std::string::npos,
         "the ref is cut from the digest");
  store.remove(scope, first.ref);
  expect(!store.head(scope, first.ref), "the deleted twin is still there");
  expect_payload(store, scope, second.ref, *input.payload, "the other twin");
}

void absence_is_one(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("absence");
  PutArtifactInput mortal = text_input("short-lived");
  mortal.expires_at = kit.now() + 1'000;
  const std::string expired = store.put(scope, mortal).meta.ref;
  const std::string foreign = put_text(store, kit.scope("absence-other"), "not yours");
  kit.advance(2'000);
  SystemRandom random;
  for (const std::string& ref :
       {expired, foreign, mint_artifact_ref(random), std::string("not-a-ref"), std::string(),
        std::string("../../etc/passwd")}) {
    expect(!store.head(scope, ref), "head found something under " + ref);
    expect(!store.get(scope, ref), "get found something under " + ref);
  }
  expect(list_all(store, scope).empty(), "the listing shows an expired row");
}

void expiry_is_stated(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("expiry");
  const std::int64_t now = kit.now();
  PutArtifactInput input = text_input("until then");
  input.expires_at = now + 60'000;
  const ArtifactMeta meta = store.put(scope, input).meta;
  expect(meta.expires_at.has_value(), "expiresAt is not on the ticket");
  expect(*meta.expires_at <= now + 60'000, "the store extended the expiry");
  const auto head = store.head(scope, meta.ref);
  expect(head && head->expires_at == meta.expires_at, "head states another expiry");
  input.expires_at = now - 1;
  const std::string code =
      code_of_refusal("an expiry in the past", [&] { store.put(scope, input); });
  expect(code == "ERR_INVALID_ARTIFACT", "an expiry in the past: code " + code);
}

void remove_agrees(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("remove");
  const std::string ref = put_text(store, scope, "soon gone");
  const std::string kept = put_text(store, scope, "kept");
  store.remove(scope, ref);
  expect(!store.head(scope, ref) && !store.get(scope, ref), "the deleted artifact answers");
  const auto rows = list_all(store, scope);
  expect(rows.size() == 1 && rows.front().ref == kept, "the listing is not the one that was kept");
  store.remove(scope, ref);
  SystemRandom random;
  store.remove(scope, mint_artifact_ref(random));
  store.remove(scope, "not-a-ref");
  store.remove(kit.scope("remove-elsewhere"), kept);
  expect(store.head(scope, kept).has_value(), "a delete from another scope reached this one");
}

void list_pages(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const ArtifactScope scope = kit.scope("pages");
  std::vector<std::string> newest_first;
  for (int i = 0; i < 5; ++i) {
    newest_first.insert(newest_first.begin(), put_text(store, scope, fmt::format("row {}", i)));
    kit.advance(10);
  }
  std::vector<std::string> seen;
  ArtifactListOptions options;
  options.limit = 2;
  for (int page = 0; page < 3; ++page) {
    const ArtifactListResult result = store.list(scope, options);
    for (const ArtifactMeta& meta : result.artifacts) seen.push_back(meta.ref);
    expect(result.cursor.has_value() == (page < 2), "a cursor exactly between pages");
    // A row that comes and goes between pages moves nobody.
    if (page == 0) store.remove(scope, put_text(store, scope, "between"));
    options.cursor = result.cursor;
  }
  expect(seen == newest_first, "the pages are not each row once, newest first");
  options.cursor = "no cursor of this store";
  const auto start = store.list(scope, options).artifacts;
  expect(start.size() == 2 && start.front().ref == newest_first.front(),
         "a foreign cursor does not read as the start");
}

}  // namespace

std::vector<ConformanceCase> ticket_cases() {
  return {
      {"a-put-mints-a-ticket-that-head-describes-and-get-redeems", nullptr, put_head_get},
      {"payloads-come-back-as-they-were-given", nullptr, payloads_round_trip},
      {"tickets-are-minted-not-derived", nullptr, refs_are_minted},
      {"missing-expired-foreign-and-malformed-are-one-absence", nullptr, absence_is_one},
      {"expiry-is-on-the-ticket-from-the-start", nullptr, expiry_is_stated},
      {"deleting-removes-and-deleting-nothing-agrees", nullptr, remove_agrees},
      {"listing-pages-newest-first-without-payloads", nullptr, list_pages},
  };
}

}  // namespace agentfootprint::artifacts_internal
