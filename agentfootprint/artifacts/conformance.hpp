// The conformance suite of artifact stores: twenty cases any store can be held against.
//
// What: each case makes a store of its own through the harness, uses only the port, and throws to
// fail. A harness says what it can do beside (move time, corrupt a payload, make a store with a
// byte budget); a case that needs a hook nobody gave fails unless the harness declares it with a
// reason. A declared case is run all the same, and one that passes is reported as stale. Refusals
// are known by their code, so stores with error classes of their own qualify.
//
// When to use: in the tests of a store, and as `agentfootprint artifacts conformance --store URL`.
//
// Not guaranteed: durability and behaviour under several processes; those need tests of their own.
//
// Example:
//   ConformanceHarness harness;
//   harness.name = "memory";
//   harness.create_store = [] { return open_artifact_store("memory:", ArtifactStoreOptions()); };
//   harness.declared["listing-pages-newest-first-without-payloads"] = "no clock to move";
//   ConformanceReport report = run_artifact_store_conformance(harness);
//   (void)report.failed;
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/artifacts/store.hpp"

namespace agentfootprint {

struct ConformanceHarness {
  std::string name;
  std::function<std::shared_ptr<ArtifactStore>()> create_store;  // fresh for every case
  std::function<void(ArtifactStore&)> dispose_store;             // optional
  std::function<void(std::int64_t ms)> advance_time;             // optional
  // Changes stored payload bytes of a ticket behind the store's back; optional.
  std::function<void(ArtifactStore&, const ArtifactScope&, const std::string& ref)> corrupt;
  std::function<std::shared_ptr<ArtifactStore>(std::uint64_t max_bytes)> bounded_store;  // optional
  std::map<std::string, std::string> declared;  // case name to reason
};

class ConformanceKit;
struct ConformanceCase {
  std::string_view name;
  bool (*applies)(const ArtifactStore& store);  // null: always
  void (*run)(ConformanceKit& kit);
};
[[nodiscard]] const std::vector<ConformanceCase>& artifact_store_conformance();

struct ConformanceOutcome {
  enum class Status : std::uint8_t { passed, failed, not_applicable, declared };
  std::string name;
  Status status = Status::passed;
  std::string detail;        // the failure, the missing member, or the declared reason
  bool still_fails = false;  // declared: false is stale
};
struct ConformanceReport {
  std::string store;
  std::vector<ConformanceOutcome> outcomes;
  std::size_t passed = 0, failed = 0, not_applicable = 0, declared = 0;
  [[nodiscard]] bool ok() const noexcept { return failed == 0; }
};
[[nodiscard]] ConformanceOutcome run_artifact_store_case(const ConformanceCase& one,
                                                         const ConformanceHarness& harness);
[[nodiscard]] ConformanceReport run_artifact_store_conformance(const ConformanceHarness& harness);
[[nodiscard]] std::string format_artifact_store_report(const ConformanceReport& report);
[[nodiscard]] json::Value to_json(const ConformanceReport& report);

// What a case works with.
class ConformanceKit {
 public:
  ConformanceKit(const ConformanceHarness& harness, std::shared_ptr<ArtifactStore> store)
      : harness_(harness), store_(std::move(store)) {}
  [[nodiscard]] ArtifactStore& store() { return *store_; }
  // A scope no other case uses.
  [[nodiscard]] ArtifactScope scope(std::string_view suffix) const;
  // The store's own idea of now: when a probe was created.
  [[nodiscard]] std::int64_t now();
  void advance(std::int64_t ms);
  void corrupt(const ArtifactScope& scope, const std::string& ref);
  // Replaces the store of this case by one with a byte budget.
  void bound(std::uint64_t max_bytes);

 private:
  const ConformanceHarness& harness_;
  std::shared_ptr<ArtifactStore> store_;
};

}  // namespace agentfootprint
