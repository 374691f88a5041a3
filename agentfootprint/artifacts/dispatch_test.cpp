// What a dispatcher does with artifacts and no text case states: the capability's end, placement's
// edges, batches, tasks. The others are in tests/cases/artifacts.
#include <gtest/gtest.h>

#include "agentfootprint/artifacts/async_store.hpp"
#include "agentfootprint/artifacts/capability.hpp"
#include "agentfootprint/artifacts/datasets.hpp"
#include "agentfootprint/artifacts/internal/temporary_folder.hpp"
#include "agentfootprint/artifacts/memory_store.hpp"
#include "agentfootprint/artifacts/placement.hpp"
#include "agentfootprint/artifacts/recording.hpp"
#include "agentfootprint/artifacts/rows.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

constexpr const char* kUnknownRef = "art_AAAAAAAAAAAAAAAAAAAAAA";

PutArtifactInput rows_input(std::string kind = "dataset/rows") {
  return {std::move(kind), "application/json",
          ArtifactPayload::json(json::parse_or_throw(R"([{"vm":"a"}])"))};
}

class Dispatch : public testing::Test {
 protected:
  ArtifactBinding bind(const ArtifactScope& scope) {
    ArtifactOrigin origin;
    origin.run_id = "run-1";
    origin.tool_call_id = "c1";
    return bind_artifacts(store_, scope, origin,
                          [this](const ArtifactFact& fact) { facts_.push_back(fact); });
  }
  std::vector<std::string> fact_names() const {
    std::vector<std::string> names;
    for (const ArtifactFact& fact : facts_) names.emplace_back(name_of(fact.kind));
    return names;
  }

  ArtifactStoreOptions options_;
  std::shared_ptr<ArtifactStore> store_ = std::make_shared<MemoryArtifactStore>(options_);
  std::vector<ArtifactFact> facts_;
  ArtifactScope scope_{"conv-a"};
  ArtifactBinding binding_ = bind(scope_);
  ToolArtifacts artifacts_ = binding_.artifacts();
};

TEST_F(Dispatch, OriginAndScopeCannotBeWidened) {
  PutArtifactInput input = rows_input();
  input.origin.run_id = "another run";
  input.origin.query = "claimed";
  const ArtifactMeta meta = artifacts_.put(input);
  EXPECT_EQ(meta.origin.run_id, "run-1");
  EXPECT_EQ(meta.origin.tool_call_id, "c1");
  EXPECT_FALSE(meta.origin.query);
  ArtifactBinding other = bind(ArtifactScope("conv-b"));
  EXPECT_FALSE(other.artifacts().get(meta.ref));
  EXPECT_TRUE(other.artifacts().list(ArtifactListOptions()).artifacts.empty());
}

TEST_F(Dispatch, TheCapabilityEndsWithTheCall) {
  const ToolArtifacts copy = artifacts_;
  const std::string ref = artifacts_.put(rows_input()).ref;
  binding_.end();
  for (const ToolArtifacts& handle : {artifacts_, copy}) {
    try {
      (void)handle.head(ref);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "artifact-capability-ended");
    }
  }
  EXPECT_TRUE(store_->head(scope_, ref));
}

TEST_F(Dispatch, WithoutAStoreEveryVerbTeaches) {
  const ArtifactBinding none =
      unconfigured_artifacts([this](const ArtifactFact& fact) { facts_.push_back(fact); });
  const ToolArtifacts artifacts = none.artifacts();
  EXPECT_FALSE(ArtifactContext(artifacts).has_artifacts);
  const std::vector<std::function<void()>> verbs{
      [&] { artifacts.put(rows_input()); }, [&] { (void)artifacts.head(kUnknownRef); },
      [&] { (void)artifacts.get(kUnknownRef); }, [&] { artifacts.remove(kUnknownRef); },
      [&] { (void)artifacts.list(ArtifactListOptions()); }};
  for (const auto& verb : verbs) {
    try {
      verb();
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "ERR_NO_ARTIFACT_STORE");
      EXPECT_NE(std::string(error.what()).find("has_artifacts"), std::string::npos);
    }
  }
  ASSERT_EQ(facts_.size(), 5U);
  EXPECT_EQ(
      json::dump(to_json(facts_[1], "chart")),
      R"({"op":"head","reason":"no-store","ref":"art_AAAAAAAAAAAAAAAAAAAAAA","tool":"chart"})");
  const json::Value removed = to_json(facts_[3]);
  EXPECT_EQ(removed.at("op").as_string(), "delete");
}

TEST_F(Dispatch, OversizedResultsArePlaced) {
  EXPECT_FALSE(place_tool_result(artifacts_, "search", std::string(2'000, 'x'), 2'000, {}));
  // 1,500 code points in 3,000 bytes stay inline.
  std::string wide;
  for (int i = 0; i < 1'500; ++i) wide += "é";
  EXPECT_FALSE(place_tool_result(artifacts_, "search", wide, 2'000, {}));
  EXPECT_TRUE(facts_.empty());
  const auto text = place_tool_result(artifacts_, "search", std::string(5'000, 'x'), 2'000, {});
  ASSERT_TRUE(text);
  EXPECT_EQ(text->meta.kind, "tool-result/search");
  EXPECT_EQ(text->meta.media_type, "text/plain");
  EXPECT_EQ(text->meta.bytes, 5'000U);
  EXPECT_EQ(text->meta.label, "search result");
  EXPECT_TRUE(is_placed_tool_result(to_json(*text)));
  EXPECT_FALSE(is_placed_tool_result(json::object({{"placed", true}})));
}

TEST_F(Dispatch, APlacementTheStoreRefusesKeepsTheResult) {
  options_.retention.max_bytes_per_scope = 100;
  store_ = std::make_shared<MemoryArtifactStore>(options_);
  EXPECT_FALSE(place_tool_result(bind(scope_).artifacts(), "t", std::string(500, 'x'), 10, {}));
  ASSERT_EQ(fact_names(), std::vector<std::string>{"refused"});
  EXPECT_EQ(facts_.front().reason, ArtifactRefusalReason::invalid_input);
  EXPECT_THROW(check_max_inline_chars(0), Refusal);
  EXPECT_THROW(check_result_kind("t", "  "), Refusal);
  check_result_kind("t", "acme:dataset.rows.v2");
}

TEST(Recording, IsAnArtifactInput) {
  EXPECT_EQ(recording_put_input("{}", "r7", {}).label, "run r7");
  EXPECT_EQ(recording_put_input("{}", {}, {}).label, "run recording");
  EXPECT_EQ(recording_put_input("{}", "r7", "night run").label, "night run");
  EXPECT_EQ(recording_put_input("{}", "r7", {}).origin.run_id, "r7");
  EXPECT_THROW((void)recording_put_input("", "r7", {}), UnserializableRecordingError);
  EXPECT_THROW((void)recording_put_input("\xFF", "r7", {}), UnserializableRecordingError);
}

// An execute function over a fixed result.
struct Wrapped {
  json::Value result = json::parse_or_throw(R"({"rows":[{"vm":"a"}],"total":1})");

  DescribeDatasets describe() {
    return [](const json::Value& raw, const json::Value&) -> std::optional<DatasetResultPlan> {
      DatasetResultPlan plan;
      DatasetArtifactInput rows("vms", PutArtifactInput("dataset/rows", "application/json",
                                                        ArtifactPayload::json(raw.at("rows"))));
      rows.source = PutArtifactInput("export", "text/csv", ArtifactPayload::text("vm\na\n"));
      plan.datasets.push_back(std::move(rows));
      plan.project = [](const std::vector<DatasetPublication>& published) {
        return json::object({{"ref", published.front().artifact.meta->ref}});
      };
      return plan;
    };
  }
  ArtifactExecute execute() {
    return with_dataset_artifacts([this](const json::Value&, ArtifactContext&) { return result; },
                                  describe());
  }
};

TEST_F(Dispatch, DatasetsBecomeTickets) {
  Wrapped tool;
  ArtifactContext context(artifacts_);
  const json::Value out = tool.execute()(json::object({}), context);
  const auto meta = store_->head(scope_, std::string(*out.at("ref").as_string()));
  ASSERT_TRUE(meta);
  EXPECT_EQ(meta->origin.tool_call_id, "c1");
  ASSERT_EQ(meta->parent_refs.size(), 1U);
  EXPECT_EQ(store_->head(scope_, meta->parent_refs.front())->kind, "export");
}

TEST_F(Dispatch, AnAllOrNothingBatchStoresAllOrNothing) {
  DatasetArtifactInput good("a", rows_input());
  good.source = rows_input("export");
  DatasetArtifactInput bad("b", rows_input());
  bad.artifact.parent_refs = {kUnknownRef};
  DatasetStagingOptions options;
  options.all_or_nothing = true;
  const auto failed = stage_dataset_artifacts({good, bad}, artifacts_, options);
  for (const DatasetPublication& one : failed) {
    EXPECT_FALSE(one.artifact.stored());
    EXPECT_EQ(one.artifact.reason, "store-unavailable");
    EXPECT_EQ(one.artifact.detail, "ERR_UNKNOWN_PARENT_REF");
  }
  EXPECT_TRUE(store_->list(scope_, ArtifactListOptions()).artifacts.empty());
  const auto done = stage_dataset_artifacts({good}, artifacts_, options);
  EXPECT_EQ(done.front().artifact.meta->parent_refs,
            std::vector<std::string>{done.front().source->meta->ref});
}

Task<std::string> put_and_get(AsyncArtifactStore& store) {
  ArtifactScope scope("conv-a");
  PutArtifactInput input("k", "text/plain", ArtifactPayload::text("hello"));
  const ArtifactPutResult done = co_await store.put(scope, input);
  const auto record = co_await store.get(scope, done.meta.ref);
  const auto head = co_await store.head(scope, done.meta.ref);
  ArtifactListOptions options;
  const auto page = co_await store.list(scope, options);
  co_await store.remove(scope, done.meta.ref);
  const auto gone = co_await store.head(scope, done.meta.ref);
  if (!record || !head || page.artifacts.size() != 1 || gone) co_return "";
  co_return record->payload.bytes();
}

Task<std::string> refused_code(AsyncArtifactStore& store) {
  ArtifactScope scope("conv-a");
  PutArtifactInput input(" ", "text/plain", ArtifactPayload::text("hello"));
  std::string code;
  try {
    const ArtifactPutResult done = co_await store.put(scope, input);
  } catch (const Error& error) {
    code = error.code();
  }
  co_return code;
}

Task<json::Value> plain_result(json::Value, ArtifactContext) {
  co_return json::parse_or_throw(R"({"rows":[{"vm":"a"}]})");
}

TEST_F(Dispatch, TasksRunOnTheStoresWorker) {
  const artifacts_internal::TemporaryFolder folder;
  for (const std::string& url :
       {std::string("memory:"), "sqlite:" + folder.path("s.db"), "file:" + folder.path("f")}) {
    AsyncArtifactStore async(open_artifact_store(url, ArtifactStoreOptions()));
    EXPECT_EQ(run_blocking(put_and_get(async)), "hello") << url;
    EXPECT_EQ(run_blocking(refused_code(async)), "ERR_INVALID_ARTIFACT") << url;
    Wrapped tool;
    const auto execute = with_dataset_artifacts(async, plain_result, tool.describe());
    ArtifactBinding binding = bind_artifacts(async.store(), scope_, ArtifactOrigin(), nullptr);
    const json::Value out =
        run_blocking(execute(json::object({}), ArtifactContext(binding.artifacts())));
    EXPECT_TRUE(async.store()->head(scope_, std::string(*out.at("ref").as_string()))) << url;
  }
}

TEST(Capability, TellsOfEveryVerbWhoseStoreFailed) {
  const auto store = open_artifact_store("memory:", ArtifactStoreOptions());
  std::vector<ArtifactFact> facts;
  const ArtifactBinding binding =
      bind_artifacts(store, ArtifactScope("c"), ArtifactOrigin(),
                     [&](const ArtifactFact& fact) { facts.push_back(fact); });
  const ToolArtifacts artifacts = binding.artifacts();
  store->close();
  const std::string ref = "art_AAAAAAAAAAAAAAAAAAAAAA";
  EXPECT_THROW((void)artifacts.head(ref), ArtifactStoreError);
  EXPECT_THROW((void)artifacts.get(ref), ArtifactStoreError);
  EXPECT_THROW(artifacts.remove(ref), ArtifactStoreError);
  EXPECT_THROW((void)artifacts.list(ArtifactListOptions()), ArtifactStoreError);
  EXPECT_THROW((void)read_rows(artifacts, ref, RowsOptions()), ArtifactStoreError);
  const std::vector<ArtifactOp> ops{ArtifactOp::head, ArtifactOp::get, ArtifactOp::remove,
                                    ArtifactOp::list, ArtifactOp::get};
  ASSERT_EQ(facts.size(), ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    EXPECT_EQ(facts[i].op, ops[i]) << i;
    EXPECT_EQ(facts[i].reason, ArtifactRefusalReason::store_failed) << i;
    EXPECT_EQ(facts[i].detail, "artifact-store-closed") << i;
  }
}

}  // namespace
}  // namespace agentfootprint
