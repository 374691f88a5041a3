// The published schema of the envelope, and the published notes, held against the rules.
#include "agentfootprint/json/schema.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/semantics/described_result.hpp"
#include "agentfootprint/semantics/internal/random_declaration.hpp"
#include "agentfootprint/semantics/recognise.hpp"
#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics {
namespace {

json::Value published(const std::string& name) {
  std::ifstream in(AGENTFOOTPRINT_SOURCE_DIR "/docs/schemas/" + name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  return json::parse_or_throw(std::string{std::istreambuf_iterator<char>(in), {}});
}

json::Schema schema() {
  auto compiled = json::Schema::compile(published("described-result.schema.json"));
  EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error());
  return *compiled;
}

TEST(DescribedResultSchema, AcceptsWhatTheMintGives) {
  const json::Schema envelope_schema = schema();
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const json::Value envelope =
        described_result(internal::RandomDeclaration(seed).declaration()).envelope();
    const auto issues = envelope_schema.check(envelope);
    ASSERT_TRUE(issues.empty()) << issues.front().path << " " << issues.front().message << "\n"
                                << json::dump(envelope);
  }
}

TEST(DescribedResultSchema, RefusesEveryCorruptionButAWrongLine) {
  const json::Schema envelope_schema = schema();
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const json::Value envelope =
        described_result(internal::RandomDeclaration(seed).declaration()).envelope();
    const auto judge = [&](const json::Value& broken) {
      const bool accepted = envelope_schema.check(broken).empty();
      if (!accepted) ++refused;
      // What composes the lines is beyond a schema.
      const std::vector<Issue> issues = semantic_issues(broken);
      ASSERT_FALSE(issues.empty()) << json::dump(broken);
      ASSERT_TRUE(!accepted || issues.front().field == "not_covered") << json::dump(broken);
    };
    internal::corrupt(envelope, judge);
    for (const std::string_view part : {"grain", "provenance", "period", "clarify", "render"}) {
      const json::Value* object = envelope.find(part);
      if (object == nullptr) continue;
      internal::corrupt(*object, [&](const json::Value& broken) {
        judge(json::with_member(envelope, part, broken));
      });
    }
  }
  EXPECT_GT(refused, 500U);
}

TEST(DescribedResultSchema, AgreesWithTheRulesOnHandWrittenEnvelopes) {
  const json::Schema envelope_schema = schema();
  for (const char* text : {
           R"({"af_semantics":true})",
           R"({"af_semantics":true,"facts":[{"entity":"a"}]})",
           R"({"af_semantics":true,"facts":[{"entity":" "}],"provenance":{"measured_at":"x",
          "source":"y"}})",
           R"({"af_semantics":true,"series":[{"t":1,"entity":"a","metric":"m","value":1}],
               "provenance":{"measured_at":"x","source":"y"}})",
           R"({"af_semantics":true,"edges":[{"from":"a","to":"b","kind":"k"}],
          "grain":{"aggregation":"Totals"}})",
           R"({"af_semantics":true,"edges":[{"from":"a","to":"b","kind":"k"}],"grain":{}})",
           R"({"af_semantics":true,"clarify":null})",
           R"({"af_semantics":true,"clarify":{"question":"q","candidates":[]},
          "coverage":{"checked":[]}})",
           R"({"af_semantics":true,"clarify":{"question":"q","candidates":[]},
               "coverage":{"cannot_cover":[{"what":"a"}]}})",
           R"({"af_semantics":true,"clarify":{"question":"q","candidates":[]},"not_covered":[]})",
       }) {
    const json::Value value = json::parse_or_throw(text);
    EXPECT_FALSE(envelope_schema.check(value).empty()) << text;
    EXPECT_FALSE(read_semantics(value).has_value()) << text;
  }
  for (const char* text :
       {R"({"af_semantics":true,"edges":[{"from":"a","to":"b","kind":"k"}],
      "grain":{"aggregation":"summary"}})",
        R"({"af_semantics":true,"clarify":{"question":"q","candidates":[]},"note":""})"}) {
    const json::Value value = json::parse_or_throw(text);
    EXPECT_TRUE(envelope_schema.check(value).empty()) << text;
    EXPECT_TRUE(read_semantics(value).has_value()) << text;
  }
}

TEST(CanonicalNotes, ArePublishedAsTheyAre) {
  EXPECT_EQ(json::dump(published("canonical-notes.json")), json::dump(canonical_notes()));
}

}  // namespace
}  // namespace agentfootprint::semantics
