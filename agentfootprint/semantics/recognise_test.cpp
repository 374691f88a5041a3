// Recognition: random valid declarations go through, every corruption of one key is unrecognised
// and explained, and the funnel says once what it leaves as data.
#include "agentfootprint/semantics/recognise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/semantics/absent.hpp"
#include "agentfootprint/semantics/internal/random_declaration.hpp"
#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics {
namespace {

using internal::corrupt;
using internal::RandomDeclaration;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

json::Value parsed(std::string_view text) {
  return json::parse_or_throw(text);
}

TEST(RecogniseProperty, MintRecogniseViewRoundTrips) {
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    const json::Value declaration = RandomDeclaration(seed).declaration();
    const ToolSemantics minted = described_result(declaration);
    ASSERT_THAT(semantic_issues(minted.envelope()), IsEmpty()) << seed;
    // Through bytes, as a record keeps it.
    const std::string bytes = json::dump(minted.envelope());
    const auto read = read_semantics(parsed(bytes));
    ASSERT_TRUE(read.has_value()) << bytes;
    EXPECT_EQ(json::dump(read->envelope()), bytes);
    EXPECT_EQ(json::dump(model_view(*read)), json::dump(model_view(minted))) << seed;
    EXPECT_EQ(read->coverage(), minted.coverage());
    EXPECT_EQ(json::dump(described_result(declaration).envelope()), bytes)
        << "the mint is not stable";
    for (const std::string_view key : {"series", "facts", "edges"}) {
      const json::Value* rows = declaration.find(key);
      ASSERT_EQ(rows == nullptr, !minted.envelope().contains(key));
      if (rows != nullptr) {
        EXPECT_TRUE(minted.envelope().find(key)->same_storage(*rows));
      }
    }
  }
}

TEST(RecogniseProperty, EveryCorruptionOfOneKeyIsUnrecognisedAndExplained) {
  std::size_t corruptions = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const json::Value envelope = described_result(RandomDeclaration(seed).declaration()).envelope();
    const auto judge = [&](const json::Value& broken) {
      ++corruptions;
      ASSERT_FALSE(read_semantics(broken).has_value()) << json::dump(broken);
      if (broken.contains(kSemanticsMarker)) {
        const std::vector<Issue> issues = explain_semantics(broken);
        ASSERT_THAT(issues, Not(IsEmpty()));
        ASSERT_THAT(issues.front().message, HasSubstr("(field: "));
      }
    };
    corrupt(envelope, judge);
    for (const std::string_view part :
         {"grain", "provenance", "period", "coverage", "clarify", "render"}) {
      const json::Value* object = envelope.find(part);
      if (object == nullptr) continue;
      corrupt(*object, [&](const json::Value& broken) {
        // A clarify question whose candidates changed is still one; all else has a rule.
        judge(json::with_member(envelope, part, broken));
      });
    }
    for (const std::string_view list : {"checked", "not_checked", "cannot_cover"}) {
      const json::Value* coverage = envelope.find("coverage");
      const json::Value* items = coverage == nullptr ? nullptr : coverage->find(list);
      if (items == nullptr) continue;
      corrupt(items->elements()[0], [&](const json::Value& broken) {
        std::vector<json::Value> all(items->elements().begin(), items->elements().end());
        all[0] = broken;
        judge(json::with_member(envelope, "coverage",
                                json::with_member(*coverage, list, json::array(std::move(all)))));
      });
    }
  }
  EXPECT_GT(corruptions, 2000U);
}

TEST(RecogniseProperty, CorruptedRowsAreExplainedWhereTheyStand) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const json::Value envelope = described_result(RandomDeclaration(seed).declaration()).envelope();
    for (const std::string_view key : {"series", "facts", "edges"}) {
      const json::Value* rows = envelope.find(key);
      if (rows == nullptr) continue;
      const std::size_t last = rows->size() - 1;
      std::vector<json::Value> all(rows->elements().begin(), rows->elements().end());
      for (const std::string_view required :
           key == "series"  ? std::vector<std::string_view>{"t", "entity", "metric", "value"}
           : key == "facts" ? std::vector<std::string_view>{"entity"}
                            : std::vector<std::string_view>{"from", "to", "kind"}) {
        const json::Value row = rows->elements()[last];
        all[last] = json::without_member(row, required);
        const json::Value broken = json::with_member(envelope, key, json::array(all));
        ASSERT_FALSE(read_semantics(broken).has_value());
        EXPECT_THAT(explain_semantics(broken).front().field,
                    testing::StartsWith(std::string(key) + "[" + std::to_string(last) + "]"));
        all[last] = row;
      }
    }
  }
}

struct Heard {
  std::vector<Diagnostic> said;
  [[nodiscard]] DiagnosticPort port() {
    return [this](const Diagnostic& diagnostic) { said.push_back(diagnostic); };
  }
};

TEST(ResultReader, LeavesAFaultyMarkedValueAsDataAndSaysSoOnce) {
  Heard heard;
  ResultReader reader(heard.port());
  const json::Value faulty =
      parsed(R"({"af_semantics":true,"series":[{"t":1,"entity":"a","metric":"m","value":1}]})");
  const ReadResult read = reader.read(faulty, "ports", "c1", 3);
  EXPECT_FALSE(read.semantics.has_value());
  EXPECT_THAT(read.declared, IsEmpty());
  EXPECT_TRUE(read.served.same_storage(faulty));
  ASSERT_EQ(heard.said.size(), 1U);
  EXPECT_EQ(heard.said[0].code, "semantics-ignored");
  EXPECT_EQ(heard.said[0].tool, "ports");
  EXPECT_EQ(heard.said[0].field, "provenance");
  EXPECT_THAT(heard.said[0].message, HasSubstr("and 1 more"));
  // Without a port it is silent.
  ResultReader deaf;
  EXPECT_FALSE(deaf.read(faulty, "ports").semantics.has_value());
}

TEST(ResultReader, WarnsOfAMalformedPeriodOnceATool) {
  Heard heard;
  ResultReader reader(heard.port());
  const json::Value value = parsed(
      R"({"af_absent":true,"checked":[{"what":"a"}],"period":{"queried":{"from":"noon",
      "to":"x"},"held":"unknown"}})");
  for (const char* tool : {"a", "a", "b"}) {
    const ReadResult read = reader.read(value, tool);
    EXPECT_TRUE(read.absent);
    EXPECT_FALSE(read.declared.front().period.has_value());
  }
  ASSERT_EQ(heard.said.size(), 2U);
  EXPECT_EQ(heard.said[0].field, "period.queried.from");
}

TEST(ResultReader, KeepsTheEnvelopeForTheRecordAndServesTheView) {
  ResultReader reader;
  const json::Value envelope =
      described_result(
          parsed(R"({"facts":[{"entity":"a"}],"provenance":{"measuredAt":"x","source":"y"},
                                  "coverage":{"checked":["all"]},"render":{"default":"table"}})"))
          .envelope();
  const ReadResult read = reader.read(envelope, "inventory", "c1", 2);
  ASSERT_TRUE(read.semantics.has_value());
  EXPECT_TRUE(read.semantics->envelope().same_storage(envelope));
  EXPECT_FALSE(read.served.contains("af_semantics"));
  ASSERT_EQ(read.declared.size(), 1U);
  EXPECT_EQ(json::dump(to_json(read.declared.front())),
            R"({"kind":"ledger","toolName":"inventory","toolCallId":"c1","iteration":2,)"
            R"("checked":[{"what":"all"}],"notChecked":[],"cannotCover":[]})");
}

TEST(ResultReader, SaysThatAnInnerDeclarationIsNotApplied) {
  Heard heard;
  ResultReader reader(heard.port());
  const ReadResult read =
      reader.read(parsed(
                      R"({"af_coverage":{"checked":[{"what":"a"}]},"result":{"af_semantics":true,
          "facts":[{"entity":"a"}]}})"),
                  "t");
  EXPECT_EQ(read.declared.size(), 1U);
  ASSERT_EQ(heard.said.size(), 1U);
  EXPECT_EQ(heard.said[0].code, "wrapped-declaration");
}

TEST(ServedView, SharesWhatHasNothingToHide) {
  for (const json::Value& value :
       {parsed("[1,2]"), parsed(R"({"af_coverage":{"checked":[{"what":"a"}]},"result":[1]})"),
        absent({.what = "x", .checked = {"a"}}), parsed(R"({"af_absent":"yes"})")}) {
    EXPECT_TRUE(served_view(value).same_storage(value)) << json::dump(value);
  }
}

TEST(ServedView, TellsWhatAPeriodOutsideTheStoreMeans) {
  const json::Value period = parsed(
      R"({"queried":{"from":"2026-11-01T09:00Z","to":"2026-11-01T10:00Z"},
      "held":{"from":"2026-10-01T00:00Z","to":"2026-11-01T02:00Z"}})");
  const json::Value declaration =
      json::object({{"what", "x"}, {"checked", json::array({"a"})}, {"period", period}});
  const json::Value served = served_view(absent(declaration));
  EXPECT_EQ(served.at("period").at("verdict"), json::Value("not-held"));
  EXPECT_EQ(served.at("note"), json::Value(kAbsenceOutsidePeriodNote));
  const json::Value ledger = served_view(
      coverage(1, parsed(R"({"checked":["a"],"inProgress":[{"what":"scan","short":"s"}]})")));
  EXPECT_THAT(std::string(*ledger.at("af_coverage").at("note").as_string()),
              HasSubstr("in_progress"));
  EXPECT_FALSE(ledger.at("af_coverage").at("in_progress").at(0).contains("short"));
}

}  // namespace
}  // namespace agentfootprint::semantics
