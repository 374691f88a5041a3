// The scanner: events, spans, the four modes.
#include "agentfootprint/json/scanner.hpp"

#include <gtest/gtest.h>

#include <string>

namespace agentfootprint::json {
namespace {

// Writes every event with the text of its span.
class Recorder {
 public:
  explicit Recorder(std::string_view text) : text_(text) {}
  void begin_object(std::size_t at) { add("{" + std::to_string(at)); }
  void end_object(std::size_t at) { add("}" + std::to_string(at)); }
  void begin_array(std::size_t at) { add("[" + std::to_string(at)); }
  void end_array(std::size_t at) { add("]" + std::to_string(at)); }
  void key(Span raw, bool escaped) { leaf("k", raw, escaped); }
  void string(Span raw, bool escaped) { leaf("s", raw, escaped); }
  void number(Span raw) { leaf("n", raw, false); }
  void literal(Span raw) { leaf("l", raw, false); }
  void cut_string(Span raw, bool escaped) { leaf("c", raw, escaped); }
  void tolerated(const char* what, std::size_t at) { add(what + ("@" + std::to_string(at))); }
  [[nodiscard]] const std::string& events() const { return events_; }

 private:
  void leaf(const char* sort, Span raw, bool escaped) {
    add(sort + std::to_string(raw.begin) + (escaped ? "!" : "") + "=" + std::string(raw.in(text_)));
  }
  void add(const std::string& event) {
    if (!events_.empty()) events_ += ' ';
    events_ += event;
  }
  std::string_view text_;
  std::string events_;
};

std::string events_of(std::string_view text, const ScanOptions& options = {}) {
  Recorder recorder(text);
  const ScanResult result = scan(text, recorder, options);
  static constexpr const char* kStatus[] = {"complete", "cut", "syntax", "deep"};
  return recorder.events() + " " + kStatus[static_cast<int>(result.status)] + "@" +
         std::to_string(result.at);
}

TEST(Scanner, GivesEventsWithSpans) {
  EXPECT_EQ(events_of(R"({"a": [1.5, "x\n"], "b": true} )"),
            R"({0 k2=a [6 n7=1.5 s13!=x\n ]17 k21=b l25=true }29 complete@30)");
  EXPECT_EQ(events_of(" null"), "l1=null complete@5");
  EXPECT_EQ(events_of("12"), "n0=12 complete@2");
  EXPECT_EQ(events_of("[[],{}]"), "[0 [1 ]2 {4 }5 ]6 complete@7");
}

TEST(Scanner, StopsQuietlyBehindOneOfSeveral) {
  ScanOptions options;
  options.one_value = false;
  EXPECT_EQ(events_of("{} [1]", options), "{0 }1 complete@2");
  options.start = 2;
  EXPECT_EQ(events_of("{} [1]", options), "[3 n4=1 ]5 complete@6");
  options.start = 0;
  EXPECT_EQ(events_of("12 13", options), "n0=12 complete@2");
  options.start = 99;
  EXPECT_EQ(events_of("[]", options), " cut@2");
}

TEST(Scanner, ReportsCutStringsAndNoCutNumbers) {
  EXPECT_EQ(events_of(R"(["ab\n c)"), R"([0 c2!=ab\n c cut@8)");
  EXPECT_EQ(events_of("[12"), "[0 cut@3");
  EXPECT_EQ(events_of("[12 "), "[0 n1=12 cut@4");
  EXPECT_EQ(events_of(R"({"ab)"), "{0 cut@4");
  EXPECT_EQ(events_of("\"ab\xE2\x82"), "c1=ab\xE2\x82 cut@5");
}

TEST(Scanner, TellsWhereItWentWrong) {
  EXPECT_EQ(events_of("[1,]"), "[0 n1=1 syntax@3");
  ScanOptions options;
  options.max_depth = 1;
  EXPECT_EQ(events_of("[1,[]]", options), "[0 n1=1 deep@3");
}

TEST(Scanner, ReportsToleranceInPlace) {
  ScanOptions options;
  options.lenient = true;
  EXPECT_EQ(events_of("{'a': NaN,}", options),
            "{0 single-quotes@1 k2=a nan@6 l6=NaN trailing-comma@9 }10 complete@11");
}

struct DecodeCase {
  const char* raw;
  const char* text;
  bool good;
};

TEST(Scanner, DecodesEscapes) {
  const DecodeCase cases[] = {
      {"plain", "plain", true},
      {R"(\"\\\/\b\f\n\r\t)", "\"\\/\b\f\n\r\t", true},
      {R"(\u0041\u00e9\u20AC)", "A\xC3\xA9\xE2\x82\xAC", true},
      {R"(\ud83d\ude00!)", "\xF0\x9F\x98\x80!", true},
      {R"(\ud83d!)", "\xEF\xBF\xBD!", true},
      {R"(\ud83d\u0041)",
       "\xEF\xBF\xBD"
       "A",
       true},
      {R"(\ud83d)", "\xEF\xBF\xBD", true},
      {R"(\ud83d\)", "\xEF\xBF\xBD\\", false},
      {R"(\q\'\x41\xg)", "\\q'A\\xg", false},
      {R"(\u12g4)", "\\u12g4", false},
      {R"(a\)", "a\\", false},
      {R"(a\u12)", "a\\u12", false},
  };
  for (const DecodeCase& test : cases) {
    std::string out = ">";
    EXPECT_EQ(decode_string(test.raw, out), test.good) << test.raw;
    EXPECT_EQ(out, std::string(">") + test.text) << test.raw;
  }
}

// Strings whose end, escapes and odd bytes stand at every place of the blocks that are scanned at
// once.
TEST(Scanner, FindsEndsAtEveryOffset) {
  for (std::size_t lead = 0; lead < 40; ++lead) {
    for (const char* odd : {"", "\\n", "\\\"", "\\\\", "\xC3\xA9", "\xF0\x9F\x98\x80"}) {
      const std::string inner = std::string(lead, 'a') + odd + std::string(lead % 7, 'b');
      const std::string text = "[\"" + inner + "\",1]";
      const std::string escaped = odd[0] == '\\' ? "!" : "";
      EXPECT_EQ(events_of(text),
                "[0 s2" + escaped + "=" + inner + " n" + std::to_string(text.size() - 2) + "=1 ]" +
                    std::to_string(text.size() - 1) + " complete@" + std::to_string(text.size()));
    }
    const std::string control = "[\"" + std::string(lead, 'a') + "\x01\"]";
    EXPECT_EQ(events_of(control), "[0 syntax@" + std::to_string(lead + 2));
    const std::string invalid = "[\"" + std::string(lead, 'a') + "\x80\"]";
    EXPECT_EQ(events_of(invalid), "[0 syntax@" + std::to_string(lead + 2));
  }
}

}  // namespace
}  // namespace agentfootprint::json
