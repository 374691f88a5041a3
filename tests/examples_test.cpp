// The examples and the quick starts of the pages do what the pages say, and the shipped record is
// the one the example writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "agentfootprint/record/reader.hpp"
#include "tests/run_program.hpp"

namespace agentfootprint {
namespace {

using cli_test::Folder;
using cli_test::Outcome;
using cli_test::quoted;
using cli_test::read_file;
using cli_test::run_built;
using cli_test::run_program;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::filesystem::path kTop = AGENTFOOTPRINT_SOURCE_DIR;
constexpr const char* kRecord = "examples/storage-triage.footprint.jsonl";

// The first block of a page marked with this word.
std::string block_of(const std::string& page, const std::string& word) {
  const std::string text = read_file(kTop / page);
  const std::string opening = "\n```" + word + "\n";
  const std::size_t from = text.find(opening);
  if (from == std::string::npos) return {};
  const std::size_t begin = from + opening.size();
  return text.substr(begin, text.find("```\n", begin) - begin);
}

TEST(Examples, TheQuickStartOfTheAgentPageIsShortAndPrintsWhatThePageSays) {
  const std::string program = block_of("docs/agent.md", "cpp");
  EXPECT_LT(std::count(program.begin(), program.end(), '\n'), 30);
  const Outcome outcome = run_built("quick_start_agent", "");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, block_of("docs/agent.md", "text"));
}

TEST(Examples, TheQuickStartOfTheReadmePrintsWhatThePageSays) {
  const std::string program = block_of("README.md", "cpp");
  EXPECT_LT(std::count(program.begin(), program.end(), '\n'), 30);
  const Outcome outcome = run_built("quick_start_readme", "");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, block_of("README.md", "text"));
}

// A command of a page and the lines printed below it, up to an empty one.
struct PageCommand {
  std::string page;
  std::string command;
  std::string printed;
};

std::vector<PageCommand> commands_of(const std::filesystem::path& page) {
  std::vector<PageCommand> found;
  std::istringstream lines(read_file(page));
  bool quoted_over_lines = false;
  for (std::string line; std::getline(lines, line);) {
    const bool opens = line.rfind("    $ ", 0) == 0;
    if (opens) found.push_back({page.filename().string(), line.substr(6), ""});
    if (found.empty()) continue;
    if (opens || quoted_over_lines) {
      if (!opens) found.back().command += "\n" + line;
      if (std::count(line.begin(), line.end(), '\'') % 2 == 1) {
        quoted_over_lines = !quoted_over_lines;
      }
    } else if (line.rfind("    ", 0) != 0) {
      found.back().printed += '\0';  // closed: nothing more belongs to it
    } else if (found.back().printed.find('\0') == std::string::npos) {
      found.back().printed += line.substr(4) + "\n";
    }
  }
  for (PageCommand& one : found) one.printed = one.printed.substr(0, one.printed.find('\0'));
  return found;
}

TEST(Examples, CommandsOfThePagesPrintWhatThePagesSay) {
  std::size_t checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kTop / "docs")) {
    if (entry.path().extension() != ".md") continue;
    for (const PageCommand& one : commands_of(entry.path())) {
      const Outcome outcome = cli_test::run_shell(one.command);
      EXPECT_EQ(outcome.out, one.printed) << one.page << ": " << one.command << outcome.err;
      ++checked;
    }
  }
  EXPECT_GE(checked, 1u);
}

// Lines may be shortened with an ellipsis at their end.
TEST(Examples, TheReadmeShowsWhatTheAuditPrints) {
  const std::string readme = read_file(kTop / "README.md");
  const std::size_t from = readme.find("examples/storage-incident.json  anthropic");
  ASSERT_NE(from, std::string::npos);
  std::istringstream shown(readme.substr(from, readme.find("```", from) - from));
  const Outcome audit = run_program("audit examples/storage-incident.json");
  std::size_t lines = 0;
  for (std::string line; std::getline(shown, line); ++lines) {
    const std::size_t ellipsis = line.rfind("…");
    const bool cut = ellipsis != std::string::npos && ellipsis + 3 == line.size();
    const std::string said = cut ? line.substr(0, ellipsis) : line + "\n";
    EXPECT_THAT("\n" + audit.out, HasSubstr("\n" + said));
  }
  EXPECT_GT(lines, 8u);
}

TEST(Examples, TheLoanDecisionExplainsItself) {
  const Outcome outcome = run_built("loan_decision", "");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("/decision = \"referred to a person\", because"));
}

TEST(Examples, TheStorageTriageWritesTheShippedRecord) {
  const Folder folder;
  const Outcome outcome = run_built("storage_triage", quoted(folder.path().string()));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("Answer: vol-0031 suffers"),
                    HasSubstr("The evidence gate asked for 1 revision"),
                    HasSubstr("vol-0031 is used in the call [7,0], and only [5,0] carries it"),
                    HasSubstr("6120 is used in the answer, and only [5,0] carries it"),
                    HasSubstr("alerts of hosts — the monitor sees the fabric only")));
  EXPECT_TRUE(read_file(folder.path() / "storage-triage.footprint.jsonl") ==
              read_file(kTop / kRecord))
      << "the example writes another record than the shipped one; look at both, then write it anew "
         "with: build/release/bin/storage_triage examples && rm examples/storage-triage.db*";
}

TEST(Examples, TheStorageTriageSaysWhereItCannotWrite) {
  const Outcome outcome = run_built("storage_triage", "/dev/null/x");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, testing::StartsWith("storage_triage: "));
}

TEST(Examples, TheShippedRecordHoldsTheParts) {
  const Footprint footprint = read_footprint_file((kTop / kRecord).string());
  EXPECT_TRUE(footprint.complete());
  std::size_t described = 0;
  std::size_t stored = 0;
  std::size_t contingent = 0;
  std::size_t standings = 0;
  for (const RecordedLine& line : footprint.lines) {
    const bool event = line.kind == "event";
    described += event && line.value.contains("semantics") ? 1 : 0;
    stored += event && line.value.contains("artifact") ? 1 : 0;
    if (line.kind != "row" || line.value.at("row").as_string() != "findings") continue;
    const std::string_view kind = *line.value.at("value").at("kind").as_string();
    contingent += kind == "contingent" ? 1 : 0;
    standings += kind == "standing" ? 1 : 0;
  }
  EXPECT_EQ(described, 4u);
  EXPECT_EQ(stored, 5u);
  EXPECT_EQ(standings, 3u);
  EXPECT_EQ(contingent, 2u);
  for (const std::uint32_t index : footprint.conversation.results()) {
    EXPECT_THAT(footprint.conversation[index].text(), Not(HasSubstr("vol-0012"))) << "a parked row";
  }
}

TEST(Examples, TheShippedRecordIsIntactAndShown) {
  const Outcome verified = run_program(std::string("verify ") + kRecord);
  EXPECT_EQ(verified.code, 0) << verified.out;
  EXPECT_THAT(verified.out, HasSubstr("intact"));
  const Outcome shown = run_program(std::string("show ") + kRecord);
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("call [7,0] latency_history"),
                    HasSubstr("standing: [5,0] query is noise (on call [7,0])"),
                    HasSubstr("contingent: 6120 (in the answer) stands only on [5,0] noise"),
                    HasSubstr("described: [7,0] latency_history, measured 2026-04-12T02:40:00Z by "
                              "array statistics, grain p99 over 5m"),
                    HasSubstr("artifact: [3,0] volumes minted art_"),
                    HasSubstr("decided: unsupported values"),
                    HasSubstr("all stand (grounded, after a revision)")));
}

}  // namespace
}  // namespace agentfootprint
