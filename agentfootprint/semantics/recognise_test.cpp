// Recognition: random valid declarations go through, every corruption of one key is unrecognised
// and explained, and the funnel says once what it leaves as data.
#include "agentfootprint/semantics/recognise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/semantics/absent.hpp"
#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

json::Value parsed(std::string_view text) {
  return json::parse_or_throw(text);
}

// Random valid declarations of the JSON door.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  bool coin(int of = 2) { return random_() % static_cast<unsigned>(of) == 0; }
  std::string word() {
    static constexpr const char* kWords[] = {"vm-1",        "ß 漢",   "fc1/3", "a",
                                             "size \"tb\"", "41,200", "x\ty"};
    return kWords[random_() % std::size(kWords)];
  }
  json::Value scalar() {
    switch (random_() % 5) {
      case 0:
        return json::Value::number("1.50");
      case 1:
        return json::Value(word());
      case 2:
        return json::Value(true);
      case 3:
        return json::Value();
      default:
        return json::Value::number("123456789012345678901234567890");
    }
  }
  json::Value item(bool why, bool kind) {
    if (!why && coin(3)) return json::Value(word());
    json::ObjectBuilder built;
    built.add("what", word() + " ground");
    if (why || coin()) built.add("why", word());
    if (coin(4)) built.add("short", "s");
    if (kind && coin(4)) built.add("kind", coin() ? "scope" : "existence");
    return built.build();
  }
  json::Value items(bool why, bool kind) {
    json::ArrayBuilder list;
    for (std::size_t i = 0; i <= random_() % 3; ++i) list.add(item(why, kind));
    return list.build();
  }
  json::Value rows(std::string_view of) {
    json::ArrayBuilder list;
    for (std::size_t i = 0; i <= random_() % 4; ++i) {
      json::ObjectBuilder row;
      if (of == "series") {
        row.add("t", coin() ? json::Value(word()) : json::Value(7)).add("entity", word());
        row.add("metric", word()).add("value", scalar());
      } else if (of == "facts") {
        row.add("entity", word()).add("size", scalar()).add("nested", parsed(R"({"a":[1,{}]})"));
      } else {
        row.add("from", word()).add("to", word()).add("kind", word());
      }
      list.add(row.build());
    }
    return list.build();
  }
  json::Value provenance() {
    json::ObjectBuilder built;
    if (coin()) built.add("source", word());
    built.add("measuredAt", word());
    if (coin(3)) built.add("ageSeconds", 30);
    if (coin(3)) built.add("sourceExportDate", word());
    json::Value value = built.build();
    return value.contains("source") ? value : json::with_member(value, "source", word());
  }
  json::Value grain() {
    json::ObjectBuilder built;
    built.add("interval", word());
    if (coin()) built.add("aggregation", coin() ? "sum" : "avg").add("isCounter", coin());
    if (coin(3)) built.add("collapsed", word());
    return built.build();
  }
  json::Value declaration() {
    json::ObjectBuilder built;
    const bool series = coin();
    const bool facts = coin();
    const bool edges = coin(3);
    const bool question = coin(3) || !(series || facts || edges);
    if (series) built.add("series", rows("series"));
    if (facts) built.add("facts", rows("facts"));
    if (edges) built.add("edges", rows("edges"));
    if (series || coin(3)) built.add("grain", grain());
    if (series || facts || coin(3)) built.add("provenance", provenance());
    if (coin(3)) {
      built.add("period",
                parsed(R"({"queried":{"from":"2026-11-01T09:00Z","to":"2026-11-01T10:00Z"},
        "held":{"from":"2026-10-01T00:00Z","to":"2026-11-01T02:00Z"},
        "readAt":"2026-11-01T10:00Z"})"));
    }
    if (coin()) {
      json::ObjectBuilder lists;
      lists.add("checked", items(false, false));
      if (coin()) lists.add("notChecked", items(false, true));
      if (coin()) lists.add("cannotCover", items(true, true));
      built.add("coverage", lists.build());
    }
    if (question) built.add("clarify", parsed(R"({"question":"which?","candidates":["v1","v2"]})"));
    if (coin(3))
      built.add("render", parsed(R"({"default":"table","columns":["entity"],"filterNote":"f"})"));
    return built.build();
  }

 private:
  std::mt19937_64 random_;
};

TEST(RecogniseProperty, MintRecogniseViewRoundTrips) {
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    const json::Value declaration = Generator(seed).declaration();
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

// Copies of a value with one key of one object renamed, and with the value behind it of another
// type.
void corrupt(const json::Value& value, const std::function<void(json::Value)>& emit) {
  if (!value.is_object()) return;
  for (std::size_t i = 0; i < value.members().size(); ++i) {
    const auto with = [&](std::string_view key, json::Value replaced) {
      std::vector<json::Member> members(value.members().begin(), value.members().end());
      members[i] = json::Member(key, std::move(replaced));
      emit(json::object(std::move(members)));
    };
    const json::Member& member = value.members()[i];
    with(std::string(member.key()) + "x", member.value);
    // `value` of a point may be any scalar, so only what no rule accepts anywhere is put in.
    with(member.key(), parsed(R"({"7":[{"7":7}]})"));
  }
}

TEST(RecogniseProperty, EveryCorruptionOfOneKeyIsUnrecognisedAndExplained) {
  std::size_t corruptions = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const json::Value envelope = described_result(Generator(seed).declaration()).envelope();
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
        // Record-only parts have no form on the wire that a rule could hold them to.
        if (broken.contains("short") && broken.at("short").is_object()) return;
        if (broken.contains("kind") && broken.at("kind").is_object()) return;
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
    const json::Value envelope = described_result(Generator(seed).declaration()).envelope();
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
