// The JSON form of the audit report, written piece by piece as one document.
#include "agentfootprint/findings/towers.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/report/audit_report.hpp"
#include "agentfootprint/report/verdict_json.hpp"

namespace agentfootprint {
namespace {

json::Value gaps_value(const std::vector<ReportGap>& gaps) {
  json::ArrayBuilder built;
  for (const ReportGap& gap : gaps) {
    json::ObjectBuilder one;
    one.add("code", gap.code).add("message", gap.message);
    if (!gap.where.empty()) one.add("where", gap.where);
    one.add("count", gap.count);
    if (gap.damage) one.add("damage", true);
    built.add(one.build());
  }
  return built.build();
}

class JsonReport final : public AuditReport {
 public:
  JsonReport(AuditReportOptions options, ReportWriter writer)
      : AuditReport(std::move(options)), write_(std::move(writer)) {
    write_("{\"command\":\"audit\",\"version\":" + json::dump(json::Value(options_.version)) +
           ",\"inputs\":[");
  }

  void begin_input(const std::string& name) override {
    input_ = name;
    write_((totals_.inputs++ > 0 ? ",\n{\"input\":" : "\n{\"input\":") +
           json::dump(json::Value(name)) + ",\"conversations\":[");
    first_ = true;
  }

  void conversation(const AuditedConversation& conversation) override {
    count(conversation);
    write_(first_ ? "\n" : ",\n");
    first_ = false;
    write_(json::dump(conversation_value(conversation)));
  }

  void input_gaps(const std::vector<ReportGap>& gaps) override { gaps_ = gaps_value(gaps); }

  void input_error(std::string_view code, const std::string& message) override {
    ++totals_.errors;
    error_ = json::object({{"code", code}, {"message", message}});
  }

  void input_skipped(const std::string& reason) override {
    ++totals_.skipped;
    skipped_ = json::Value(reason);
  }

  void end_input() override {
    std::string text = "]";
    add_member(text, "gaps", gaps_);
    add_member(text, "error", error_);
    add_member(text, "skipped", skipped_);
    write_(text + "}");
    gaps_ = error_ = skipped_ = json::Value();
  }

  void finish() override {
    write_("\n],\"summary\":" + json::dump(summary()) +
           ",\"notChecked\":" + json::dump(json::Value(not_checked(options_.audit))) + "}\n");
  }

 private:
  static void add_member(std::string& text, const char* key, const json::Value& value) {
    if (value.is_null() || (value.is_array() && value.empty())) return;
    text += std::string(",\"") + key + "\":" + json::dump(value);
  }

  json::Value answer_value(const AuditedConversation& conversation, const AnswerAudit& answer) {
    const evidence::ConversationIndex& index = conversation.audit->index;
    json::ArrayBuilder values;
    json::ArrayBuilder found;
    for (std::size_t i = 0; i < answer.standings.size(); ++i) {
      const evidence::JudgedValue& value = answer.verdict.values[i];
      if (shown(answer, i)) {
        values.add(json::with_member(judged_value_to_json(value, index, true), "standing",
                                     name_of(answer.standings[i])));
      }
      if (!is_finding(answer.standings[i], answer.verdict.truncated, options_.audit)) continue;
      json::ObjectBuilder finding;
      finding.add("raw", value.value.raw).add("finding", name_of(answer.standings[i]));
      if (!is_new(conversation.label, answer, i)) finding.add("known", true);
      found.add(finding.build());
    }
    json::ArrayBuilder contingent;
    for (const findings::ContingentRow& row : answer.contingent) {
      contingent.add(findings::to_json(findings::Row(row)));
    }
    json::ArrayBuilder unsupported;
    for (const std::size_t at : answer.verdict.unsupported) {
      unsupported.add(answer.verdict.values[at].value.raw);
    }
    json::ObjectBuilder built;
    built.add("message", answer.message)
        .add("values", values.build())
        .add("unsupported", unsupported.build())
        .add("findings", found.build())
        .add("candidates", answer.verdict.candidates)
        .add("truncated", answer.verdict.truncated);
    if (!contingent.empty()) built.add("contingent", contingent.build());
    return built.build();
  }

  json::Value conversation_value(const AuditedConversation& conversation) {
    json::ObjectBuilder built;
    built.add("label", conversation.label)
        .add("format", conversation.format)
        .add("messages", conversation.messages)
        .add("calls", conversation.calls)
        .add("results", conversation.results)
        .add("checked", conversation.audit != nullptr)
        .add("incomplete", conversation.incomplete)
        .add("gaps", gaps_value(conversation.gaps));
    json::ArrayBuilder answers;
    if (conversation.audit != nullptr) {
      for (const AnswerAudit& answer : conversation.audit->answers) {
        answers.add(answer_value(conversation, answer));
      }
    }
    built.add("answers", answers.build());
    if (conversation.audit != nullptr && conversation.audit->headline.declared() > 0) {
      built.add("declared", findings::to_json(conversation.audit->headline));
      const findings::LedgerFold& fold = conversation.audit->replay.ledger().fold();
      built.add("towers", findings::towers_to_json(fold));
    }
    return built.build();
  }

  json::Value summary() {
    const AuditCounts& counts = totals_.counts;
    json::ObjectBuilder levels;
    for (std::size_t i = 0; i < counts.by_level.size(); ++i) {
      levels.add(evidence::name_of(static_cast<evidence::Level>(i)), counts.by_level[i]);
    }
    json::ObjectBuilder built;
    built.add("inputs", totals_.inputs)
        .add("errors", totals_.errors)
        .add("skipped", totals_.skipped)
        .add("conversations", totals_.conversations)
        .add("unstructured", totals_.unstructured)
        .add("incomplete", totals_.incomplete)
        .add("messages", totals_.messages)
        .add("calls", totals_.calls)
        .add("results", totals_.results)
        .add("answers", counts.answers)
        .add("values", counts.values)
        .add("levels", levels.build())
        .add("weak", counts.weak)
        .add("contingent", counts.contingent)
        .add("echoOnly", counts.echo_only)
        .add("failedOnly", counts.failed_only)
        .add("notAssociated", counts.not_associated)
        .add("truncatedAnswers", counts.truncated_answers)
        .add("findings", counts.findings)
        .add("known", totals_.known);
    return built.build();
  }

  ReportWriter write_;
  bool first_ = true;
  json::Value gaps_;
  json::Value error_;
  json::Value skipped_;
};

}  // namespace

std::unique_ptr<AuditReport> json_report(AuditReportOptions options, ReportWriter writer) {
  return std::make_unique<JsonReport>(std::move(options), std::move(writer));
}

}  // namespace agentfootprint
