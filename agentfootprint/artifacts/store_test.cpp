// Every shipped store against the conformance suite.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agentfootprint/artifacts/conformance.hpp"
#include "agentfootprint/artifacts/internal/temporary_folder.hpp"
#include "agentfootprint/artifacts/memory_store.hpp"
#include "agentfootprint/artifacts/shipped_harness.hpp"

namespace agentfootprint {
namespace {

using artifacts_internal::TemporaryFolder;

struct Shipped {
  std::string url;
  std::size_t passed;
};

class Conformance : public testing::TestWithParam<Shipped> {};

TEST_P(Conformance, TwentyCases) {
  const TemporaryFolder folder;
  const ConformanceReport report =
      run_artifact_store_conformance(shipped_store_harness(GetParam().url, folder.path()));
  EXPECT_TRUE(report.ok()) << format_artifact_store_report(report);
  EXPECT_EQ(report.outcomes.size(), 20U);
  EXPECT_EQ(report.passed, GetParam().passed) << format_artifact_store_report(report);
}

// Memory has no streams, and nothing outside can corrupt it.
INSTANTIATE_TEST_SUITE_P(Stores, Conformance,
                         testing::Values(Shipped{"memory:", 17}, Shipped{"sqlite:x", 20},
                                         Shipped{"file:x?sync=off", 20}),
                         [](const auto& one) {
                           return one.param.url.substr(0, one.param.url.find(':'));
                         });

// A store with one habit changed; the suite must notice.
class Faulty final : public ArtifactStore {
 public:
  explicit Faulty(std::string fault) : fault_(std::move(fault)) {}
  ArtifactPutResult put(const ArtifactScope& scope, const PutArtifactInput& input) override {
    PutArtifactInput changed = input;
    if (fault_ == "loses the label") changed.label.reset();
    if (fault_ == "always has a digest") changed.digest = "sha-256";
    if (fault_ == "forgets parents") changed.parent_refs.clear();
    return inner_.put(confuse(scope), changed);
  }
  std::optional<ArtifactMeta> head(const ArtifactScope& scope, const std::string& ref) override {
    return inner_.head(confuse(scope), ref);
  }
  std::optional<ArtifactRecord> get(const ArtifactScope& scope, const std::string& ref) override {
    if (fault_ == "throws for absence" && !inner_.head(confuse(scope), ref)) {
      throw ArtifactStoreError("artifact-store-io", "there is no such artifact");
    }
    return inner_.get(confuse(scope), ref);
  }
  void remove(const ArtifactScope& scope, const std::string& ref) override {
    if (fault_ != "keeps what is deleted") inner_.remove(confuse(scope), ref);
  }
  ArtifactListResult list(const ArtifactScope& scope, const ArtifactListOptions& options) override {
    ArtifactListResult page = inner_.list(confuse(scope), options);
    if (fault_ == "has one page") page.cursor.reset();
    return page;
  }
  [[nodiscard]] std::string name() const override { return "faulty"; }

 private:
  [[nodiscard]] ArtifactScope confuse(ArtifactScope scope) const {
    if (fault_ == "folds case") {
      for (char& c : scope.tenant) c = static_cast<char>(std::tolower(c));
    }
    if (fault_ == "joins fields") return ArtifactScope(scope.tenant + scope.principal);
    return scope;
  }
  std::string fault_;
  MemoryArtifactStore inner_{ArtifactStoreOptions()};
};

TEST(ConformanceSuite, NoticesFaults) {
  const auto failed_of = [](const std::string& fault) {
    ConformanceHarness harness;
    harness.name = "faulty";
    harness.create_store = [fault] { return std::make_shared<Faulty>(fault); };
    for (const char* name : {"missing-expired-foreign-and-malformed-are-one-absence",
                             "an-oversized-payload-is-refused-and-removes-nothing",
                             "get-refuses-bytes-that-are-not-the-digests"}) {
      harness.declared[name] = "no hook";
    }
    harness.advance_time = [](std::int64_t) {};
    harness.declared["listing-pages-newest-first-without-payloads"] = "the clock stands";
    return run_artifact_store_conformance(harness).failed;
  };
  EXPECT_EQ(failed_of("nothing"), 0U);
  for (const char* fault :
       {"loses the label", "always has a digest", "forgets parents", "throws for absence",
        "keeps what is deleted", "folds case", "joins fields"}) {
    EXPECT_GT(failed_of(fault), 0U) << fault;
  }
}

TEST(ConformanceSuite, ADeclaredCaseIsStillRun) {
  ConformanceHarness harness = shipped_store_harness("memory:", "unused");
  harness.declared["tickets-are-minted-not-derived"] = "it passes";
  const ConformanceReport report = run_artifact_store_conformance(harness);
  EXPECT_EQ(report.declared, 2U);
  EXPECT_NE(format_artifact_store_report(report).find("take the declaration away"),
            std::string::npos);
  harness.declared.clear();
  EXPECT_EQ(run_artifact_store_conformance(harness).failed, 1U);  // a hook nobody gave
}

}  // namespace
}  // namespace agentfootprint
