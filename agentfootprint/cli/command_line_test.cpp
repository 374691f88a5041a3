// The face over the command line library: what is bound, what is refused, what help says.
#include "agentfootprint/cli/command_line.hpp"

#include <gmock/gmock.h>

namespace agentfootprint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Values {
  std::string word;
  std::vector<std::string> words;
  std::vector<std::string> list;
  int small = 4;
  std::int64_t whole = 0;
  std::uint64_t count = 50;
  std::optional<std::uint32_t> maybe;
  bool flag = false;
};

// Parses ARGUMENTS with a program of one command that has every kind of option; 7 when it ran.
int parse(Values& values, std::vector<const char*> arguments) {
  CommandLine program("A program.", "p", "p 1.2");
  program.footer("The end.");
  Command command = program.command("c", "A command");
  command.option("WORD", values.word, "A word").required();
  command.option("--words", values.words, "Words").repeatable();
  command.option("--list", values.list, "A list").comma_list();
  command.option("--small", values.small, "Small").shows_default();
  command.option("--whole", values.whole, "Whole");
  command.option("-n,--count", values.count, "Count").shows_default();
  command.option("--maybe", values.maybe, "Maybe");
  command.flag("--flag", values.flag, "Flag");
  command.footer("That was c.");
  command.runs([] { return 7; });
  program.command("parent", "Has a child").command("child", "A child").runs([] { return 8; });
  arguments.insert(arguments.begin(), "p");
  return program.run(static_cast<int>(arguments.size()), arguments.data());
}

TEST(CommandLine, BindsEveryKind) {
  Values values;
  EXPECT_EQ(parse(values, {"c", "--words", "a b", "--words", "c", "--list", "x,y", "--small", "-2",
                           "--whole", "-9000000000", "-n", "9000000000", "--maybe", "3", "--flag",
                           "hello"}),
            7);
  EXPECT_EQ(values.word, "hello");
  EXPECT_THAT(values.words, ElementsAre("a b", "c"));
  EXPECT_THAT(values.list, ElementsAre("x", "y"));
  EXPECT_EQ(values.small, -2);
  EXPECT_EQ(values.whole, -9'000'000'000);
  EXPECT_EQ(values.count, 9'000'000'000U);
  EXPECT_EQ(values.maybe, 3U);
  EXPECT_TRUE(values.flag);
}

TEST(CommandLine, LeavesWhatIsNotNamed) {
  Values values;
  EXPECT_EQ(parse(values, {"c", "w"}), 7);
  EXPECT_EQ(values.small, 4);
  EXPECT_EQ(values.count, 50U);
  EXPECT_EQ(values.maybe, std::nullopt);
  EXPECT_FALSE(values.flag);
}

TEST(CommandLine, AnOptionTakesOneValueAndLeavesThePositionalAlone) {
  Values values;
  EXPECT_EQ(parse(values, {"c", "--list", "x", "word"}), 7);
  EXPECT_THAT(values.list, ElementsAre("x"));
  EXPECT_EQ(values.word, "word");
}

TEST(CommandLine, RefusesInOneLine) {
  const std::vector<std::pair<std::vector<const char*>, const char*>> cases = {
      {{"c"}, "WORD"},
      {{"c", "w", "--nope"}, "--nope"},
      {{"c", "w", "--small", "x"}, "--small"},
      {{"c", "w", "--count", "-1"}, "cannot be negative: -1"},
      {{"c", "w", "--maybe", "-1"}, "cannot be negative: -1"},
      {{"c", "w", "--maybe", "4294967296"}, "--maybe"},
      {{"nobody\x1b"}, "no command"},
      {{}, "subcommand"},
      {{"parent"}, "subcommand"},
  };
  for (const auto& [arguments, named] : cases) {
    Values values;
    testing::internal::CaptureStderr();
    EXPECT_EQ(parse(values, arguments), kExitUsage) << named;
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, HasSubstr(named));
    EXPECT_THAT(said, testing::Not(HasSubstr("\x1b")));
    EXPECT_THAT(said, HasSubstr("Try `agentfootprint --help`."));
  }
}

TEST(CommandLine, HelpAndVersionExitCleanly) {
  const std::vector<std::pair<std::vector<const char*>, std::vector<const char*>>> cases = {
      {{"--version"}, {"p 1.2"}},
      {{"--help"}, {"A program.", "A command", "Has a child", "The end."}},
      {{"c", "--help"}, {"--small", "4", "-n,--count", "50", "WORD", "That was c."}},
  };
  for (const auto& [arguments, wanted] : cases) {
    Values values;
    testing::internal::CaptureStdout();
    EXPECT_EQ(parse(values, arguments), kExitClean);
    const std::string said = testing::internal::GetCapturedStdout();
    for (const char* word : wanted) EXPECT_THAT(said, HasSubstr(word));
  }
}

TEST(CommandLine, RunsACommandOfACommand) {
  Values values;
  EXPECT_EQ(parse(values, {"parent", "child"}), 8);
}

}  // namespace
}  // namespace agentfootprint
