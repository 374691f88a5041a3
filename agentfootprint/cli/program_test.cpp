// The built program: exit codes, help, bad inputs, and that nothing in an input can forge its
// output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/schema.hpp"
#include "tests/run_program.hpp"

namespace agentfootprint {
namespace {

using cli_test::Folder;
using cli_test::Outcome;
using cli_test::quoted;
using cli_test::run_program;
using ::testing::HasSubstr;
using ::testing::Not;

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

TEST(Program, HelpAndVersionExitZero) {
  const Outcome help = run_program("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* command : {"audit", "eval", "verify", "show"}) {
    EXPECT_THAT(help.out, HasSubstr(command));
    const Outcome own = run_program(std::string(command) + " --help");
    EXPECT_EQ(own.code, 0) << command;
    EXPECT_THAT(own.out, HasSubstr("Exit codes")) << command;
  }
  const Outcome version = run_program("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, HasSubstr("agentfootprint " AGENTFOOTPRINT_VERSION));
}

TEST(Program, UsageErrorsExitTwo) {
  for (const char* line : {"", "nonsense", "audit --nonsense", "eval", "eval no.such.function",
                           "verify", "show --json extra arguments"}) {
    const Outcome outcome = run_program(line);
    EXPECT_EQ(outcome.code, 2) << line;
    EXPECT_FALSE(outcome.err.empty()) << line;
  }
}

TEST(Program, EvalAnswersLineByLine) {
  const Outcome list = run_program("eval --list");
  EXPECT_EQ(list.code, 0);
  EXPECT_THAT(list.out, HasSubstr("transcript.read\n"));
  const Outcome answers = run_program(
      "eval transcript.read", R"({"id":"a","text":"[{\"role\":\"user\",\"content\":\"x\"}]"})"
                              "\n\n"
                              R"({"id":2})"
                              "\n7\n");
  EXPECT_EQ(answers.code, 0);
  EXPECT_THAT(answers.out, HasSubstr(R"({"id":"a","out":{"format":"openai-chat")"));
  EXPECT_THAT(answers.out, HasSubstr(R"({"id":2,"refused":{"code":"eval-input")"));
  EXPECT_EQ(std::count(answers.out.begin(), answers.out.end(), '\n'), 3);
}

TEST(Program, EvalNamesTheLineItCannotRead) {
  const Outcome outcome = run_program("eval transcript.read", "{\"id\":1}\n{\"id\":\n{\"id\":3}\n");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("line 2"));
  EXPECT_THAT(outcome.out, HasSubstr("{\"id\":1,"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\"id\":3")));
  EXPECT_EQ(run_program("eval transcript.read", repeated("[", 100'000)).code, 2);
}

TEST(Program, BadInputsGiveAClearErrorAndExitTwo) {
  const Folder folder;
  const std::string conversation =
      R"([{"role":"user","content":"x"},{"role":"assistant","content":"y"}])";
  const std::pair<std::string, std::string> inputs[] = {
      {"empty", ""},
      {"blank", "  \n"},
      {"binary", std::string("\x00\x01PNG\xff", 6)},
      {"torn", "{\"messages\": " + conversation.substr(0, 40)},
      {"prose", "hello\n"},
      {"unknown", R"({"spans":[]})"},
      {"deep", repeated("[", 100'000)},
      {"deep-object", repeated("{\"a\":", 100'000)},
      {"closed-deep", repeated("[", 100'000) + repeated("]", 100'000)},
  };
  for (const auto& [name, text] : inputs) {
    const std::string path = folder.write(name, text);
    for (const char* command : {"audit", "show"}) {
      const Outcome outcome = run_program(std::string(command) + " " + quoted(path));
      EXPECT_EQ(outcome.code, 2) << command << " " << name << outcome.out;
      EXPECT_FALSE(outcome.err.empty()) << command << " " << name;
      EXPECT_LT(outcome.err.size(), 2'000U) << command << " " << name;
    }
  }
  EXPECT_EQ(run_program("audit " + quoted((folder.path() / "none.json").string())).code, 2);
}

TEST(Program, UnknownShapesNameTheKeysAndTheShapes) {
  const Outcome outcome = run_program("audit -", R"({"resourceSpans":[],"scope":1})");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("resourceSpans"));
  EXPECT_THAT(outcome.err, HasSubstr("openai-chat"));
}

constexpr const char* kGrounded =
    R"([{"role":"user","content":"how many?"},
       {"role":"assistant","tool_calls":[{"id":"a","function":{"name":"count","arguments":"{}"}}]},
       {"role":"tool","tool_call_id":"a","content":"{\"n\":41200}"},
       {"role":"assistant","content":"There are 41,200."}])";
constexpr const char* kInvented =
    R"([{"role":"user","content":"how many?"},
       {"role":"assistant","tool_calls":[{"id":"a","function":{"name":"count","arguments":"{}"}}]},
       {"role":"tool","tool_call_id":"a","content":"{\"n\":41200}"},
       {"role":"assistant","content":"There are 77,123 and 41,200."}])";

TEST(Audit, ExitCodeSaysWhetherThereAreFindings) {
  const Outcome clean = run_program("audit", kGrounded);
  EXPECT_EQ(clean.code, 0) << clean.out << clean.err;
  EXPECT_THAT(clean.out, HasSubstr("No findings."));
  EXPECT_THAT(clean.out, HasSubstr("Not checked:"));
  const Outcome found = run_program("audit -", kInvented);
  EXPECT_EQ(found.code, 1);
  EXPECT_THAT(found.out, HasSubstr("77,123"));
  EXPECT_THAT(found.out, HasSubstr("unsupported"));
  EXPECT_THAT(found.out, HasSubstr("[1,0] count /n"));
  EXPECT_THAT(found.out, Not(HasSubstr("\x1b")));
}

TEST(Audit, JsonIsOneDocument) {
  const Outcome outcome = run_program("audit --json", kInvented);
  EXPECT_EQ(outcome.code, 1);
  const json::Value root = json::parse_or_throw(outcome.out);
  const json::Value& answer = root.at("inputs").at(0).at("conversations").at(0).at("answers").at(0);
  EXPECT_EQ(answer.at("message").as_int64(), 3);
  EXPECT_EQ(answer.at("unsupported").at(0).as_string(), "77,123");
  EXPECT_EQ(answer.at("values").at(1).at("carriers").at(0).at("pointer").as_string(), "/n");
  EXPECT_EQ(root.at("summary").at("findings").as_int64(), 1);
  EXPECT_EQ(root.at("summary").at("results").as_int64(), 1);
  EXPECT_FALSE(root.at("notChecked").as_string()->empty());
}

TEST(Audit, JsonFitsThePublishedSchema) {
  const auto schema = json::Schema::compile(json::parse_or_throw(cli_test::read_file(
      std::string(AGENTFOOTPRINT_SOURCE_DIR) + "/docs/schemas/audit.schema.json")));
  ASSERT_TRUE(schema) << schema.error();
  for (const char* input : {kGrounded, kInvented, "[]", "{"}) {
    const Outcome outcome = run_program("audit --json - examples/storage-incident.json", input);
    const auto issues = schema->check(json::parse_or_throw(outcome.out), 5);
    EXPECT_TRUE(issues.empty()) << issues.front().path << " " << issues.front().message;
  }
}

TEST(Audit, OptionsMakeItQuiet) {
  EXPECT_EQ(run_program("audit --exempt 77,123", kInvented).code, 0);
  EXPECT_EQ(run_program("audit --exempt-regex '77,[0-9]+'", kInvented).code, 0);
  EXPECT_EQ(run_program("audit --min-digits 6", kInvented).code, 0);
  const Outcome only = run_program("audit --only unsupported", kInvented);
  EXPECT_THAT(only.out, Not(HasSubstr("[1,0] count")));
  EXPECT_EQ(run_program("audit --only nonsense", kInvented).code, 2);
  EXPECT_EQ(run_program("audit --exempt-regex '('", kInvented).code, 2);
  EXPECT_EQ(run_program("audit --shape nonsense", kInvented).code, 2);
  EXPECT_EQ(run_program("audit --format nonsense", kInvented).code, 2);
  EXPECT_EQ(run_program("audit --min-digits 0", kInvented).code, 2);
}

TEST(Audit, ABaselineSilencesWhatIsKnown) {
  const Folder folder;
  const std::string path = folder.write("a.json", kInvented);
  const std::string baseline =
      folder.write("known.json", run_program("audit --json " + quoted(path)).out);
  const Outcome known = run_program("audit --baseline " + quoted(baseline) + " " + quoted(path));
  EXPECT_EQ(known.code, 0) << known.out;
  EXPECT_THAT(known.out, HasSubstr("1 finding known from the baseline"));
  EXPECT_EQ(
      run_program("audit --baseline " + quoted(folder.write("bad", "{")) + " " + quoted(path)).code,
      2);
  EXPECT_EQ(run_program("audit --baseline /nowhere " + quoted(path)).code, 2);
}

TEST(Audit, ABadBaselineIsNamed) {
  const Folder folder;
  for (const char* text : {"not json", R"({"a":1})", "[]"}) {
    const std::string path = folder.write("known.json", text);
    const Outcome outcome = run_program("audit - --baseline " + quoted(path), kInvented);
    EXPECT_EQ(outcome.code, 2) << text;
    EXPECT_THAT(outcome.err, HasSubstr("known.json")) << text;
    EXPECT_THAT(outcome.err, HasSubstr("audit --json")) << text;
    EXPECT_EQ(outcome.out, "") << text;
  }
}

TEST(Audit, OptionsAreNamedAsTheyWereTyped) {
  const std::pair<const char*, const char*> options[] = {{"--min-digits 0", "--min-digits"},
                                                         {"--exempt-regex '('", "--exempt-regex"},
                                                         {"--shape 'x=('", "--shape"}};
  for (const auto& [typed, named] : options) {
    const Outcome outcome = run_program(std::string("audit - ") + typed, kGrounded);
    EXPECT_EQ(outcome.code, 2) << typed;
    EXPECT_THAT(outcome.err, HasSubstr(named)) << typed;
    EXPECT_THAT(outcome.err, Not(HasSubstr("minDigits"))) << typed;
  }
}

TEST(Audit, AnAnswerThatIsAStructureIsJudged) {
  const Outcome outcome = run_program(
      "audit -",
      R"([{"role":"user","content":"q"},{"role":"assistant","content":{"id":"Q-4471"}}])");
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("Q-4471"));
}

TEST(Audit, FoldersAreReadWhole) {
  const Folder folder;
  (void)folder.write("a/one.json", kGrounded);
  (void)folder.write("b/two.jsonl", "{\"role\":\"user\",\"content\":\"hi\"}\n");
  (void)folder.write("b/config.json", "{\"name\":\"no transcript\"}");
  (void)folder.write("b/notes.txt", "ignored");
  const Outcome outcome = run_program("audit " + quoted(folder.path().string()));
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Checked 2 conversations"));
  EXPECT_THAT(outcome.out, HasSubstr("Skipped 1 file"));
  const Folder empty;
  EXPECT_EQ(run_program("audit " + quoted(empty.path().string())).code, 2);
}

TEST(Audit, ALogWithoutEvidenceIsNotClean) {
  const Outcome outcome = run_program("audit",
                                      R"({"question":"q",
          "history":[{"role":"human","content":"n?"},{"role":"X","content":"4711"}]})");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("no tool calls or results as such"));
  EXPECT_THAT(outcome.out, HasSubstr("Nothing could be checked."));
}

TEST(Audit, WithoutAnAnswerNothingIsClean) {
  struct Row {
    const char* text;
    int code;
    const char* says;
  };
  const Row rows[] = {
      {R"({"messages":[]})", 2, "Nothing could be checked. The input holds no messages."},
      {R"([{"role":"user","content":"vol-4471?"}])", 2, "checked. The model wrote no text here"},
      {R"([{"role":"assistant","content":"hello"}])", 0, "No findings."}};
  for (const Row& row : rows) {
    const Outcome outcome = run_program("audit -", row.text);
    EXPECT_EQ(outcome.code, row.code) << row.text;
    EXPECT_THAT(outcome.out, HasSubstr(row.says)) << row.text;
    EXPECT_EQ(run_program("audit - --json", row.text).code, row.code) << row.text;
  }
}

TEST(Audit, DamageIsToldAndExitsTwo) {
  const std::string lines =
      "{\"role\":\"user\",\"content\":\"x\"}\n{\"role\":\n{\"role\":\"assistant\",\"content\":"
      "\"y\"}\n";
  const Folder folder;
  const Outcome outcome = run_program("audit " + quoted(folder.write("a.jsonl", lines)));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("line 2"));
  EXPECT_THAT(outcome.out, HasSubstr("incomplete transcript"));
}

// Text of a transcript must not draw lines, move the cursor or pass for the report's own words.
TEST(Audit, UntrustedTextIsEscaped) {
  const Outcome outcome = run_program("audit", R"([{"role":"user","content":"q"},
      {"role":"assistant","tool_calls":[
        {"id":"a","function":{"name":"x\n✓ grounded\u001b[2K","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"a","content":"{\"a\\nNo findings.\": 41200}"},
      {"role":"assistant",
       "content":"It is 41,200\u001b]0;x\u0007 and \u202e99,887\nNo findings."}])");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x07")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\xe2\x80\xae")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\n✓ grounded")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\nNo findings.")));
}

TEST(Audit, TheShippedExampleShowsItsFourCases) {
  const Outcome outcome = run_program("audit examples/storage-incident.json --json");
  EXPECT_EQ(outcome.code, 1);
  const json::Value root = json::parse_or_throw(outcome.out);
  const json::Value& conversation = root.at("inputs").at(0).at("conversations").at(0);
  EXPECT_EQ(conversation.at("results").as_int64(), 9);
  const json::Value& answers = conversation.at("answers");
  const json::Value& last = answers.at(answers.size() - 1);
  ASSERT_EQ(last.at("unsupported").size(), 1U);
  EXPECT_EQ(last.at("unsupported").at(0).as_string(), "1,370");
  std::map<std::string, json::Value> values;
  for (const json::Value& value : last.at("values").elements()) {
    values.emplace(std::string(*value.at("raw").as_string()), value);
  }
  ASSERT_TRUE(values.contains("12,450"));
  EXPECT_EQ(values.at("12,450").at("grounding").as_string(), "derived");
  ASSERT_TRUE(values.contains("7,316"));
  EXPECT_EQ(values.at("7,316").at("carriers").at(0).at("toolCallId").as_string(), "toolu_07");
  EXPECT_EQ(values.at("7,316").at("standing").as_string(), "contingent");
  EXPECT_EQ(values.at("1846").at("standing").as_string(), "failed-only");
  EXPECT_EQ(root.at("summary").at("failedOnly").as_int64(), 1);
  EXPECT_EQ(root.at("summary").at("findings").as_int64(), 2);
  EXPECT_EQ(run_program("audit examples/storage-incident.json --strict --json").code, 1);
}

// A person's judgement takes the place of the model's.
TEST(Audit, StandingsOfAPersonMakeValuesContingent) {
  const Folder folder;
  const std::string standings =
      folder.write("s.jsonl", "{\"result\":2,\"standing\":\"noise\",\"who\":\"ann\"}\n");
  const Outcome outcome = run_program("audit --standings " + quoted(standings), kGrounded);
  EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("contingent"));
  EXPECT_THAT(outcome.out, HasSubstr("set aside as noise"));
  const std::string wrong = folder.write("w.jsonl", "{\"result\":99,\"standing\":\"noise\"}\n");
  EXPECT_EQ(run_program("audit --standings " + quoted(wrong), kGrounded).code, 2);
  EXPECT_EQ(run_program("audit --standings /nowhere", kGrounded).code, 2);
}

TEST(Why, TracesAValueToItsCallAndThePerson) {
  const Outcome outcome = run_program("why examples/storage-incident.json 12,450");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("derived: 41,200 - 28,750"));
  EXPECT_THAT(outcome.out, HasSubstr("[10,0] array_performance at /before/iops"));
  EXPECT_THAT(outcome.out, HasSubstr("/host = db-prod-03: said by the person"));
  const Outcome json = run_program("why examples/storage-incident.json 18432 --json");
  const json::Value root = json::parse_or_throw(json.out);
  EXPECT_EQ(root.at("values").at(0).at("carriers").at(0).at("pointer").as_string(),
            "/interfaces/2/crc_errors");
  EXPECT_EQ(run_program("why examples/storage-incident.json").code, 0);
  EXPECT_EQ(run_program("why examples/storage-incident.json 999999").code, 2);
  EXPECT_EQ(run_program("why examples/storage-incident.json --conversation 2").code, 2);
  EXPECT_EQ(run_program("why examples/storage-incident.json --message 1").code, 2);
}

TEST(Why, AnswersKindlyWhatItCannotExplain) {
  const std::string record = "examples/storage-triage.footprint.jsonl";
  const Outcome carried = run_program("why " + record + " 41180");
  EXPECT_EQ(carried.code, 2);
  EXPECT_THAT(carried.out, HasSubstr("It holds no value \"41180\""));
  EXPECT_THAT(carried.out, HasSubstr("Elsewhere, 41180: exact"));
  EXPECT_THAT(carried.out, HasSubstr("Its values: vol-0031, p99, 41.18"));
  EXPECT_THAT(run_program("why " + record + " 999999").out, HasSubstr("nobody said it"));
  EXPECT_THAT(run_program("why " + record + " 'CRC errors'").out, HasSubstr("no value is read"));
  EXPECT_THAT(run_program("why " + record + " 41.18").out,
              HasSubstr("at /series/2/value as \"41180\", converted"));
  const Outcome invalid = run_program("why " + record + " \"$(printf '\\377\\001')\"");
  EXPECT_EQ(invalid.code, 2);
  EXPECT_THAT(invalid.out, HasSubstr("no value \"\\xff\\x01\""));
  const Outcome empty = run_program("why " + record + " ''");
  EXPECT_EQ(empty.code, 2);
  EXPECT_THAT(empty.err, HasSubstr("VALUE is empty"));
}

// Every command tells of what the reader left out, on lines of their own, and does not exit with 0.
TEST(Program, EveryReaderOfTranscriptsNamesDamage) {
  const Folder folder;
  const std::string chat = R"({"messages":[{"role":"assistant","content":"It is 41200."}]})";
  const std::string between = folder.write("a.jsonl", chat + "\n{\"x\":}\n" + chat + "\n");
  for (const char* line : {"audit ", "show ", "why --conversation 2 "}) {
    const Outcome outcome = run_program(line + quoted(between));
    EXPECT_EQ(outcome.code, 2) << line;
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr("lines that are not JSON")) << line;
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr("line 2")) << line;
  }
  EXPECT_THAT(run_program("why --conversation 3 " + quoted(between)).err,
              HasSubstr("holds 2 conversations, counted from 1: there is no number 3"));
  const std::string strange = folder.write("b.json", R"({"x\ny":1})");
  for (const char* line : {"audit ", "show ", "why "}) {
    const Outcome outcome = run_program(line + quoted(strange));
    EXPECT_EQ(outcome.code, 2) << line;
    EXPECT_THAT(outcome.err, HasSubstr("has no known shape: it has keys: x\\ny.\nKnown shapes:\n"))
        << line;
  }
  EXPECT_THAT(run_program("show", R"([{"role":"tool","content":"7"}])").out,
              HasSubstr("openai-chat, 1 message, 1 tool result\n"));
  EXPECT_THAT(run_program("show", R"([{"role":"tool","content":"7"}])").out,
              HasSubstr("result of [0,0] (no call): 7"));
}

TEST(Why, SaysThatARecordWasCut) {
  const Folder folder;
  const std::string whole =
      cli_test::read_file(AGENTFOOTPRINT_SOURCE_DIR "/examples/storage-triage.footprint.jsonl");
  const std::string cut = folder.write("cut.footprint.jsonl", whole.substr(0, whole.size() / 2));
  const Outcome outcome = run_program("why " + cut);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no answer of the assistant: no message of it has text"));
  EXPECT_THAT(outcome.err, HasSubstr("(note: "));
  EXPECT_THAT(outcome.err, HasSubstr("dropped, line "));
}

TEST(Verify, TellsIntactFromDamaged) {
  const std::string corpus = std::string(AGENTFOOTPRINT_SOURCE_DIR) + "/tests/corpus/record_fuzz/";
  const Outcome whole = run_program("verify " + quoted(corpus + "whole"));
  EXPECT_EQ(whole.code, 0);
  EXPECT_THAT(whole.out, HasSubstr("intact"));
  std::string text = cli_test::read_file(corpus + "whole");
  text.replace(text.find("fc1/3"), 5, "fc1/4");
  const Folder folder;
  const Outcome damaged = run_program("verify " + quoted(folder.write("a.footprint.jsonl", text)));
  EXPECT_EQ(damaged.code, 1);
  EXPECT_THAT(damaged.out, HasSubstr("damage: line 2"));
  EXPECT_EQ(run_program("verify " + quoted(folder.write("b.json", "[]"))).code, 2);
  EXPECT_EQ(run_program("verify --json " + quoted(corpus + "torn")).code, 0);
}

TEST(Show, PrintsMessagesOfARecordAndATranscript) {
  const Outcome record = run_program("show tests/corpus/record_fuzz/whole");
  EXPECT_EQ(record.code, 0);
  EXPECT_THAT(record.out, HasSubstr("result of [1,0] ports"));
  const Outcome json = run_program("show --json -", kGrounded);
  EXPECT_EQ(json.code, 0);
  const json::Value shown = json::parse_or_throw(json.out);
  EXPECT_EQ(shown.at("messages").size(), 4U);
}

}  // namespace
}  // namespace agentfootprint
