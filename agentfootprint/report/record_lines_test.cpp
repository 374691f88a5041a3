// Every kind of line has a sentence; what is unknown is printed as it was written, and safely.
#include "agentfootprint/report/record_lines.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agentfootprint/json/parse.hpp"

namespace agentfootprint {
namespace {

std::string said(const std::string& kind, const std::string& value) {
  RecordedLine line;
  line.kind = kind;
  line.value = json::parse_or_throw(value);
  return record_line_text(line);
}

struct Case {
  std::string kind;
  std::string value;
  std::string want;
};

TEST(RecordLines, AreSentences) {
  const std::vector<Case> cases{
      {"row",
       R"x({"seq":19,"kind":"row","row":"findings","value":{"kind":"standing","toolCallId":"c3",
           "call":[5,0],"toolName":"query","standing":"noise",
           "declaredOn":{"toolCallId":"c4","call":[7,0]}}})x",
       "standing: [5,0] query is noise (on call [7,0])"},
      {"row",
       R"x({"row":"findings","value":{"kind":"standing","call":[5,0],"toolName":"query",
           "standing":"open","settles":"ask again","by":"person","who":"ann",
           "declaredOn":"answer"}})x",
       "standing: [5,0] query is open (by the person ann); to settle it: ask again"},
      {"row",
       R"x({"row":"findings","value":{"kind":"standing","toolCallId":"c9","standing":"fact",
           "declaredOn":"answer","unknownId":true}})x",
       "standing: c9 is fact (in the answer); no such result was known"},
      {"row",
       R"x({"row":"findings","value":{"kind":"contingent","declaredOn":"answer","value":"3,310",
           "formula":"sum(/used)","carriers":[{"call":[3,0],"standing":"ruled-out"},
           {"call":[5,0],"standing":"open"}]}})x",
       "contingent: 3,310 (in the answer) stands only on [3,0] ruled-out, [5,0] open through "
       "sum(/used)"},
      {"row",
       R"x({"row":"findings","value":{"kind":"judgment","call":[1,0],"toolName":"t",
           "judge":{"name":"critic"},"standing":"noise"}})x",
       "judgment: [1,0] t is noise in the eyes of critic"},
      {"row",
       R"x({"row":"findings","value":{"kind":"judgment-error","call":[1,0],"toolName":"t",
           "judge":{"name":"critic"},"message":"too late"}})x",
       "judgment: critic gave none about [1,0] t: too late"},
      {"row", R"x({"row":"findings","value":{"kind":"basis","call":[1,0],"basis":"direct"}})x",
       "basis: [1,0] is direct"},
      {"row",
       R"x({"row":"findings","value":{"kind":"malformed","declaredOn":"answer","malformed":2}})x",
       "malformed: 2 parts of a declaration could not be read (in the answer)"},
      {"row",
       R"x({"row":"coverage","value":{"toolName":"alerts","toolCallId":"[1,0]",
           "checked":[{"what":"array-1"}],"notChecked":["hosts"],
           "cannotCover":[{"what":"tapes","why":"no access"}]}})x",
       "coverage: [1,0] alerts checked array-1, not covered: hosts; tapes"},
      {"row",
       R"x({"row":"check","check":"evidence","outcome":"could-not-run","fired":0,"passed":0,
           "note":"cut"})x",
       "check evidence: could-not-run (0 fired, 0 passed), cut"},
      {"verdict",
       R"x({"candidates":7,"lookedUp":7,"unsupported":[{"value":"41.18"}],"action":"flagged",
           "afterRevision":true})x",
       "verdict: 7 of 7 values were looked up, from nowhere: 41.18 (flagged, after a revision)"},
      {"verdict", R"x({"candidates":2,"lookedUp":2,"unsupported":[],"action":"grounded"})x",
       "verdict: 2 of 2 values were looked up, all stand (grounded)"},
      {"event",
       R"x({"name":"agentfootprint.tools.semantics_declared","toolName":"history","call":[7,0],
           "semantics":{"grain":{"interval":"5m","aggregation":"p99"},
           "provenance":{"measured_at":"02:40","source":"array"}}})x",
       "described: [7,0] history, measured 02:40 by array, grain p99 over 5m"},
      {"event",
       R"x({"name":"agentfootprint.artifacts.minted","call":[1,0],"artifact":{"ref":"art_a",
           "kind":"dataset/rows","bytes":120,"tool":"volumes"}})x",
       "artifact: [1,0] volumes minted art_a (dataset/rows, 120 bytes)"},
      {"event",
       R"x({"name":"agentfootprint.artifacts.refused","call":[3,1],"artifact":{"op":"get",
           "reason":"missing-or-expired","tool":"rows"}})x",
       "artifact: [3,1] rows refused (get, missing-or-expired)"},
      {"event", R"x({"name":"agentfootprint.artifacts.minted","artifact":7})x",
       R"x(event: {"name":"agentfootprint.artifacts.minted","artifact":7})x"},
      {"row", R"x({"row":"supplied","by":"app","item":0})x",
       "supplied by the app, in its requests: (redacted)"},
      {"row", R"x({"seq":1,"kind":"row","row":"later","value":{"a":1}})x",
       R"x(row: {"row":"later","value":{"a":1}})x"},
      {"commit", R"x({"stage":"route#4","writes":[{"key":"/routeReason","value":"it stands"}]})x",
       "step route#4 decided: it stands"},
      {"commit", R"x({"stage":"seed#0","writes":[{"key":"/a","value":1},{"key":"/b","item":3}]})x",
       "step seed#0: wrote /a, /b"},
      {"commit", R"x({"stage":"idle#1"})x", "step idle#1: wrote nothing"},
      {"commit", R"x({"seq":1,"kind":"commit","later":"a\u001b[2J"})x",
       R"x(commit: {"later":"a\u001b[2J"})x"},
  };
  for (const Case& one : cases) EXPECT_EQ(said(one.kind, one.value), one.want);
}

TEST(RecordLines, TextOfOthersCannotMoveACursor) {
  const std::string line = said(
      "row",
      R"x({"row":"findings","value":{"kind":"basis","toolCallId":"a\u001b[2J\nb","basis":"x"}})x");
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace agentfootprint
