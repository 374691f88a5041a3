// Rendering an audit while it runs: for people, or as JSON.
//
// What: an `AuditReport` is told of each input, each conversation and each fault as the audit comes
// to them and writes at once, so that an audit of any size is rendered in the memory of one
// conversation. At the end it writes the summary.
//
// When to use: `agentfootprint audit`. `text_report` for people, `json_report` for programs.
//
// Not guaranteed: the wording of the text form. Programs read the JSON form
// (docs/schemas/audit.schema.json).
//
// Units and limits: the text form repeats at most 100 findings in its summary.
//
// Example:
//   std::string out;
//   AuditReportOptions options;
//   auto report = text_report(options, [&out](std::string_view piece) { out += piece; });
//   report->begin_input("a.json");
//   report->end_input();
//   report->finish();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/explain/audit.hpp"

namespace agentfootprint {

struct ReportGap {
  std::string code;
  std::string message;
  std::string where;
  std::uint64_t count = 1;
  bool damage = false;
};

// A conversation as the report sees it.
struct AuditedConversation {
  std::string format;
  std::string label;
  std::uint64_t messages = 0;
  std::uint64_t calls = 0;
  std::uint64_t results = 0;
  bool structured = true;
  bool incomplete = false;
  std::vector<ReportGap> gaps;
  const ConversationAudit* audit = nullptr;  // null when there was nothing to judge with
};

struct AuditTotals {
  std::uint64_t inputs = 0;
  std::uint64_t conversations = 0;
  std::uint64_t unstructured = 0;  // read, but without evidence to check against
  std::uint64_t incomplete = 0;
  std::uint64_t messages = 0;
  std::uint64_t calls = 0;
  std::uint64_t results = 0;
  std::uint64_t errors = 0;   // inputs that could not be read to the end
  std::uint64_t skipped = 0;  // files of a directory that are no transcripts
  std::uint64_t known = 0;    // findings the baseline holds
  AuditCounts counts;

  // No answer was judged, so the absence of findings says nothing: there was no message, no text of
  // the model, or no evidence as such. Such an audit is never called clean.
  [[nodiscard]] bool nothing_checked() const noexcept { return counts.answers == 0; }
};

// One finding, as a baseline names it.
[[nodiscard]] std::string finding_key(std::string_view input, std::string_view label,
                                      std::uint32_t message, std::string_view raw);

struct AuditReportOptions {
  AuditOptions audit;
  std::string version;
  std::set<std::string> only;      // levels and standings to show; empty shows all
  std::set<std::string> baseline;  // finding keys
  bool color = false;
};

class AuditReport {
 public:
  virtual ~AuditReport() = default;
  virtual void begin_input(const std::string& name) = 0;
  virtual void conversation(const AuditedConversation& conversation) = 0;
  virtual void input_gaps(const std::vector<ReportGap>& gaps) = 0;
  virtual void input_error(std::string_view code, const std::string& message) = 0;
  virtual void input_skipped(const std::string& reason) = 0;
  virtual void end_input() = 0;
  virtual void finish() = 0;
  [[nodiscard]] const AuditTotals& totals() const noexcept { return totals_; }

 protected:
  explicit AuditReport(AuditReportOptions options) : options_(std::move(options)) {}
  void count(const AuditedConversation& conversation);
  // Of value `at` of an answer.
  [[nodiscard]] bool shown(const AnswerAudit& answer, std::size_t at) const;
  // Is it a finding, and one the baseline does not hold?
  [[nodiscard]] bool is_new(std::string_view label, const AnswerAudit& answer,
                            std::size_t at) const;

  AuditReportOptions options_;
  AuditTotals totals_;
  std::string input_;
};

using ReportWriter = std::function<void(std::string_view)>;
[[nodiscard]] std::unique_ptr<AuditReport> text_report(AuditReportOptions options,
                                                       ReportWriter writer);
[[nodiscard]] std::unique_ptr<AuditReport> json_report(AuditReportOptions options,
                                                       ReportWriter writer);

}  // namespace agentfootprint
