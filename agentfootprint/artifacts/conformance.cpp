// Running the conformance cases.
#include "agentfootprint/artifacts/conformance.hpp"

#include <fmt/format.h>

#include "agentfootprint/artifacts/internal/conformance_cases.hpp"
#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint {
namespace {

using Status = ConformanceOutcome::Status;

std::string_view name_of(Status status) {
  switch (status) {
    case Status::passed:
      return "passed";
    case Status::failed:
      return "failed";
    case Status::not_applicable:
      return "not applicable";
    case Status::declared:
      break;
  }
  return "declared";
}

void dispose(const ConformanceHarness& harness, const std::shared_ptr<ArtifactStore>& store) {
  if (harness.dispose_store && store != nullptr) harness.dispose_store(*store);
}

// The failure of one run; empty when it passed.
std::optional<std::string> failure_of(const ConformanceCase& one, const ConformanceHarness& harness,
                                      const std::shared_ptr<ArtifactStore>& store) {
  try {
    ConformanceKit kit(harness, store);
    one.run(kit);
    return std::nullopt;
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

const std::vector<ConformanceCase>& artifact_store_conformance() {
  static const std::vector<ConformanceCase> cases = [] {
    std::vector<ConformanceCase> all = artifacts_internal::ticket_cases();
    for (const auto& more : {artifacts_internal::scope_cases(), artifacts_internal::put_cases(),
                             artifacts_internal::stream_cases()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }();
  return cases;
}

ConformanceOutcome run_artifact_store_case(const ConformanceCase& one,
                                           const ConformanceHarness& harness) {
  ConformanceOutcome outcome;
  outcome.name = one.name;
  std::shared_ptr<ArtifactStore> store;
  try {
    store = harness.create_store();
  } catch (const std::exception& error) {
    outcome.status = Status::failed;
    outcome.detail = fmt::format("the store could not be made: {}", error.what());
    return outcome;
  }
  if (one.applies != nullptr && !one.applies(*store)) {
    outcome.status = Status::not_applicable;
    outcome.detail = "the store does not offer the member";
    dispose(harness, store);
    return outcome;
  }
  const auto failure = failure_of(one, harness, store);
  dispose(harness, store);
  const auto declared = harness.declared.find(outcome.name);
  if (declared != harness.declared.end()) {
    outcome.status = Status::declared;
    outcome.detail = declared->second;
    outcome.still_fails = failure.has_value();
  } else if (failure) {
    outcome.status = Status::failed;
    outcome.detail = *failure;
  }
  return outcome;
}

ConformanceReport run_artifact_store_conformance(const ConformanceHarness& harness) {
  ConformanceReport report;
  report.store = harness.name;
  for (const ConformanceCase& one : artifact_store_conformance()) {
    report.outcomes.push_back(run_artifact_store_case(one, harness));
    switch (report.outcomes.back().status) {
      case Status::passed:
        ++report.passed;
        break;
      case Status::failed:
        ++report.failed;
        break;
      case Status::not_applicable:
        ++report.not_applicable;
        break;
      case Status::declared:
        ++report.declared;
        break;
    }
  }
  return report;
}

std::string format_artifact_store_report(const ConformanceReport& report) {
  std::string out = fmt::format("{}: {} cases\n", report.store, report.outcomes.size());
  for (const ConformanceOutcome& outcome : report.outcomes) {
    out += fmt::format("  {:<15} {}", name_of(outcome.status), outcome.name);
    if (!outcome.detail.empty()) out += fmt::format(": {}", utf8::printable(outcome.detail));
    if (outcome.status == Status::declared && !outcome.still_fails) {
      out += " (passes now: take the declaration away)";
    }
    out += '\n';
  }
  return out + fmt::format("{} passed, {} failed, {} not applicable, {} declared\n", report.passed,
                           report.failed, report.not_applicable, report.declared);
}

json::Value to_json(const ConformanceReport& report) {
  json::ArrayBuilder outcomes;
  for (const ConformanceOutcome& outcome : report.outcomes) {
    json::ObjectBuilder one;
    one.add("case", outcome.name).add("status", name_of(outcome.status));
    if (!outcome.detail.empty()) one.add("detail", outcome.detail);
    if (outcome.status == Status::declared) one.add("stillFails", outcome.still_fails);
    outcomes.add(one.build());
  }
  return json::object({{"store", report.store},
                       {"outcomes", outcomes.build()},
                       {"passed", report.passed},
                       {"failed", report.failed},
                       {"notApplicable", report.not_applicable},
                       {"declared", report.declared},
                       {"ok", report.ok()}});
}

ArtifactScope ConformanceKit::scope(std::string_view suffix) const {
  return {"tenant-k7", "principal-q2", fmt::format("conversation-{}", suffix)};
}

std::int64_t ConformanceKit::now() {
  const ArtifactScope probe = scope("clock-probe");
  const auto done =
      store_->put(probe, PutArtifactInput("probe", "text/plain", ArtifactPayload::text("x")));
  store_->remove(probe, done.meta.ref);
  return done.meta.created_at;
}

void ConformanceKit::advance(std::int64_t ms) {
  if (!harness_.advance_time) {
    throw std::runtime_error("needs the hook advance_time: give it or declare the case");
  }
  harness_.advance_time(ms);
}

void ConformanceKit::corrupt(const ArtifactScope& where, const std::string& ref) {
  if (!harness_.corrupt) {
    throw std::runtime_error("needs the hook corrupt: give it or declare the case");
  }
  harness_.corrupt(*store_, where, ref);
}

void ConformanceKit::bound(std::uint64_t max_bytes) {
  if (!harness_.bounded_store) {
    throw std::runtime_error("needs the hook bounded_store: give it or declare the case");
  }
  store_ = harness_.bounded_store(max_bytes);
}

}  // namespace agentfootprint
