// Runs the worked example of docs/flow.md and holds it to the output printed there.
#define AGENTFOOTPRINT_EXAMPLE_WITHOUT_MAIN
#include <gtest/gtest.h>

#include "examples/loan_decision.cpp"

namespace {

TEST(LoanExample, EveryBecauseIsASlice) {
  EXPECT_EQ(loan::run(loan::kLateApplication),
            "/decision = \"referred to a person\", because\n"
            "  refer: neither clear case\n"
            "    /score is 680, gte 750: no\n"
            "    /ratio is 4, lte 5: yes\n"
            "    /score is 680, lt 600: no\n"
            "refer#5\n"
            "  assess#4  <- refer#5 (decided 'neither clear case')\n"
            "    check-credit#2  <- assess#4 (/score)\n"
            "    check-income#3  <- assess#4 (/ratio)\n"
            "      read-application#0  <- check-credit#2 (/history)  <- check-income#3 (/amount)"
            "  <- check-income#3 (/income)\n");
}

TEST(LoanExample, TheRateIsExplainedByWhatItUsed) {
  const std::string text = loan::run(loan::kGoodApplication);
  EXPECT_NE(text.find("/decision = \"approved\", because\n  approve: good and small\n"),
            std::string::npos);
  EXPECT_NE(text.find("/rate = 5, because\n"), std::string::npos);
  EXPECT_NE(text.find("check-income#3  <- set-rate#6 (/ratio)"), std::string::npos) << text;
}

}  // namespace
