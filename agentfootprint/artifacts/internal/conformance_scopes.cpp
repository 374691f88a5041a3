// Conformance cases about scopes: a ticket alone opens nothing, and names are data.
#include <fmt/format.h>

#include "agentfootprint/artifacts/internal/conformance_cases.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

void expect_apart(ArtifactStore& store, const ArtifactScope& owner, const ArtifactScope& other,
                  std::string_view what) {
  const std::string ref = put_text(store, owner, "private");
  expect(!store.head(other, ref) && !store.get(other, ref), fmt::format("{}: read across", what));
  for (const ArtifactMeta& meta : list_all(store, other)) {
    expect(meta.ref != ref, fmt::format("{}: listed across", what));
  }
  store.remove(other, ref);
  expect(store.head(owner, ref).has_value(), fmt::format("{}: deleted across", what));
}

void a_ref_alone(ConformanceKit& kit) {
  const ArtifactScope owner = kit.scope("owner");
  ArtifactScope other = owner;
  other.conversation_id += "-2";
  expect_apart(kit.store(), owner, other, "another conversation");
  other = owner;
  other.tenant = "tenant-other";
  expect_apart(kit.store(), owner, other, "another tenant");
  other = owner;
  other.principal = "principal-other";
  expect_apart(kit.store(), owner, other, "another principal");
  other.principal.clear();
  expect_apart(kit.store(), owner, other, "no principal");
}

void confusable_scopes(ConformanceKit& kit) {
  struct Pair {
    ArtifactScope one, two;
    std::string_view what;
  };
  const std::vector<Pair> pairs{
      {{"acme/hr", "alice", "c"}, {"acme", "hr/alice", "c"}, "slash between tenant and principal"},
      {{"acme", "alice/c", "d"},
       {"acme", "alice", "c/d"},
       "slash between principal and conversation"},
      {{"", "p", "c"}, {"_", "p", "c"}, "no tenant and a tenant named _"},
      {{"a%2Fb", "p", "c"}, {"a/b", "p", "c"}, "an encoded and a plain slash"},
      {{"Acme", "p", "c"}, {"acme", "p", "c"}, "case of the tenant"},
      {{"t", "Bob", "c"}, {"t", "bob", "c"}, "case of the principal"},
      {{"t", "p", "Talk"}, {"t", "p", "talk"}, "case of the conversation"},
      {{"~a", "p", "c"}, {"A", "p", "c"}, "a tilde and an upper-case letter"},
      {{"a.", "p", "c"}, {"a%2E", "p", "c"}, "an encoded and a plain dot"},
      {{"%5F", "p", "c"}, {"_", "p", "c"}, "an encoded and a plain underscore"},
  };
  for (const Pair& pair : pairs) {
    expect_apart(kit.store(), pair.one, pair.two, pair.what);
    expect_apart(kit.store(), pair.two, pair.one, pair.what);
  }
}

void awkward_scopes(ConformanceKit& kit) {
  ArtifactStore& store = kit.store();
  const std::string long_name(200, 'x');
  const std::vector<std::string> values{"..",
                                        ".",
                                        "../../escape",
                                        "/etc/passwd",
                                        "a/b",
                                        "back\\slash",
                                        "quote'\"`",
                                        "'; DROP TABLE t; --",
                                        "日本語 🍸",
                                        "new\nline",
                                        "tab\t",
                                        std::string("nul\0nul", 7),
                                        " ",
                                        "con",
                                        "%",
                                        "*?<>|:",
                                        long_name,
                                        fmt::format("\xF0\x9F\x8D\xB8{}", long_name),
                                        fmt::format("UPPER{}", std::string(195, 'U'))};
  for (std::size_t field = 0; field < 3; ++field) {
    for (const std::string& value : values) {
      ArtifactScope scope = kit.scope("awkward");
      (field == 0 ? scope.tenant : field == 1 ? scope.principal : scope.conversation_id) = value;
      const std::string ref = put_text(store, scope, "x");
      expect(store.get(scope, ref).has_value(), "an awkward scope does not read back");
      expect(list_all(store, scope).size() == 1, "an awkward scope lists another's rows");
    }
  }
  ArtifactScope none;
  const std::string ref = put_text(store, none, "no scope at all");
  expect(store.get(none, ref).has_value(), "the empty scope does not read back");
  ArtifactScope left = kit.scope("long"), right = left;
  left.tenant = fmt::format("{}-left", std::string(195, 'y'));
  right.tenant = fmt::format("{}-right", std::string(195, 'y'));
  expect_apart(store, left, right, "long names that differ at their end");
  left.tenant = fmt::format("{}1", std::string(2'000, 'Z'));
  right.tenant = fmt::format("{}2", std::string(2'000, 'Z'));
  expect_apart(store, left, right, "very long names that differ at their end");
}

}  // namespace

std::vector<ConformanceCase> scope_cases() {
  return {
      {"a-ticket-alone-opens-nothing", nullptr, a_ref_alone},
      {"confusable-scopes-are-different-scopes", nullptr, confusable_scopes},
      {"awkward-scope-values-are-names", nullptr, awkward_scopes},
  };
}

}  // namespace agentfootprint::artifacts_internal
