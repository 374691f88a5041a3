// The run's side of findings: what the model declares is filed at its moments, and the values it
// uses all the same are recorded as contingent. Unarmed, every function returns at once.
#include "agentfootprint/agent/internal/run_findings.hpp"

#include "agentfootprint/agent/internal/race.hpp"
#include "agentfootprint/agent/internal/run_state.hpp"
#include "agentfootprint/findings/headline.hpp"
#include "agentfootprint/findings/used_values.hpp"

namespace agentfootprint::internal {
namespace {

findings::ContingentOptions contingent_options(const RunState& run, bool corpus_cut) {
  findings::ContingentOptions options;
  options.echoes_clear = run.config().findings->echoes_clear;
  options.corpus_cut = corpus_cut;
  return options;
}

// The one way into the ledger: events go out without values, rows into the record.
void file(RunState& run, std::vector<findings::Row> rows) {
  RunFindings& own = *run.findings;
  const findings::WriteReceipt receipt = own.ledger.record(std::move(rows));
  for (const findings::FindingsEvent& event : receipt.events) {
    run.emit(EventKind::findings, [&](Event& told) {
      told.text = event.name;
      told.detail = &event.payload;
    });
  }
  for (std::size_t i = 0; i < receipt.rows_added; ++i) {
    const json::Value value = findings::to_json(*own.ledger.rows()[receipt.first + i]);
    run.record_row("row", json::object({{"row", "findings"}, {"value", value}}));
  }
}

// Values are looked up only when somebody set something aside and the gate is armed too.
bool rule_applies(const RunState& run) {
  return run.findings && run.config().gate &&
         findings::has_set_aside_standing(run.findings->ledger.fold());
}

}  // namespace

void RunState::arm_findings() {
  if (!config().findings) return;
  findings = std::make_unique<RunFindings>(*config().findings);
  if (config().judge) {
    findings->judge.emplace(config().judge_name, config().findings->judge, *clock);
  }
  for (const json::Value& row : options.finding_rows) {
    if (auto read = findings::row_from_json(row)) findings->ledger.restore({std::move(*read)});
  }
}

// Before any call of the batch runs, the standings of all of them are filed.
void RunState::on_batch() {
  if (!findings) return;
  findings->batch.clear();
  findings->desk.sync(conversation);
  for (CallState& call : batch) {
    static const json::Value kNoSchema;
    const json::Value& schema =
        call.tool != nullptr ? call.tool->tool.schema().input_schema : kNoSchema;
    findings->batch.push_back(
        findings::batch_call(findings::ResultRef(findings->desk.ids().name_of(call.key), call.key),
                             call.wire.name, call.wire.arguments, schema));
    call.arguments = findings->batch.back().split.arguments;
  }
  file(*this, findings::rows_at_batch_start(findings->batch, findings->desk.known(conversation),
                                            iteration));
}

void RunState::on_call(const CallState& call) {
  if (!findings || call.key.ordinal >= findings->batch.size()) return;
  const findings::BatchCall& declared = findings->batch[call.key.ordinal];
  std::vector<findings::CarriedValue> values;
  bool cut = false;
  if (rule_applies(*this)) {
    index_conversation();
    const evidence::Judge judge(index, config().gate->judge);
    findings::ArgumentUse use;
    use.arguments.numbers = config().findings->numeric_arguments;
    if (call.tool != nullptr) use.arguments.schema = call.tool->tool.schema().input_schema;
    values = findings::carried_argument_values(declared.split.arguments, judge, use);
    cut = index.truncated();
  }
  file(*this, findings::rows_at_call(declared, values, findings->ledger.fold(), iteration,
                                     contingent_options(*this, cut)));
}

// The application's own standing for what the model left undeclared, recorded as its choice.
void RunState::on_batch_end() {
  if (!findings || !config().findings->default_standing) return;
  std::vector<findings::Row> rows;
  for (findings::StandingRow& row :
       findings::default_standing_rows(findings->desk.served_now(conversation, findings->ledger),
                                       *config().findings->default_standing, iteration)) {
    rows.emplace_back(std::move(row));
  }
  file(*this, std::move(rows));
}

void RunState::peel_answer() {
  said = response.text;
  peeled = response.text;
  if (!findings) return;
  findings->desk.sync(conversation);
  findings::PeeledAnswer read = findings::peel_answer(response.text);
  response.text = std::move(read.text);
  peeled = response.text;
  findings->malformed_in_answer = read.notes.malformed;
  file(*this, findings::rows_at_answer(read.notes, findings->desk.known(conversation), iteration));
}

void RunState::judge_used_values(bool stands) {
  if (!findings || !verdict) return;
  findings->answer_rows.clear();
  if (!rule_applies(*this)) {
    note_check(kContingentCheck, CheckRow::Outcome::not_applicable, "no result was set aside");
    return;
  }
  const evidence::Judge judge(index, config().gate->judge);
  std::vector<findings::Row> rows = findings::rows_of_answer_values(
      findings::carried_answer_values(*verdict, judge), findings->ledger.fold(), iteration,
      contingent_options(*this, verdict->truncated));
  if (verdict->truncated) {
    note_check(kContingentCheck, CheckRow::Outcome::could_not_run,
               "the evidence index is incomplete");
  } else {
    note_check(kContingentCheck,
               rows.empty() ? CheckRow::Outcome::passed : CheckRow::Outcome::fired);
  }
  for (findings::Row& row : rows) {
    std::get<findings::ContingentRow>(row).draft = !stands;
    findings->answer_rows.push_back(findings::to_json(row));
  }
  file(*this, std::move(rows));
}

std::vector<json::Value> RunState::answer_contingent_rows() const {
  return findings ? findings->answer_rows : std::vector<json::Value>();
}

std::vector<json::Value> RunState::finding_rows() const {
  std::vector<json::Value> rows;
  if (!findings) return rows;
  for (const findings::SharedRow& row : findings->ledger.rows()) {
    rows.push_back(findings::to_json(*row));
  }
  return rows;
}

void RunState::restore_findings(const json::Value& rows) {
  if (!findings) return;
  for (const json::Value& row : rows.elements()) {
    auto read = findings::row_from_json(row);
    if (!read) throw Error("resume-checkpoint", "a findings row cannot be read: " + read.error());
    findings->ledger.restore({std::move(*read)});
  }
}

std::size_t RunState::malformed_declarations() const {
  return findings ? findings->ledger.fold().malformed() : 0;
}

// The second opinion, between a result and the next model call; its failures are rows.
Task<void> ask_judge(RunState& run) {
  if (!run.findings || !run.findings->judge) co_return;
  RunFindings& own = *run.findings;
  for (const CallState& call : run.batch) {
    if (!call.executed || !call.settled || call.refused_by_ceiling) continue;
    findings::JudgeSubject subject;
    subject.result = findings::ResultRef(own.desk.ids().name_of(call.key), call.key);
    subject.tool_name = call.wire.name;
    subject.question = run.input;
    subject.text = call.served;
    subject.basis = own.ledger.fold().last_basis(subject.result);
    subject.iteration = run.iteration;
    auto asked = own.judge->ask(subject);
    if (auto* row = std::get_if<findings::Row>(&asked)) {
      file(run, {std::move(*row)});
      continue;
    }
    const findings::JudgeRequest request = std::get<findings::JudgeRequest>(std::move(asked));
    auto slot = std::make_shared<RaceSlot>();
    auto reply = std::make_shared<std::optional<findings::JudgeOutcome>>();
    run.config().judge(request, [slot, reply](findings::JudgeOutcome outcome) {
      if (slot->done) return;
      reply->emplace(std::move(outcome));
      slot->done = true;
      slot->wake.cancel("done");
    });
    const std::int64_t until =
        request.started_ns + static_cast<std::int64_t>(request.timeout_ms) * 1'000'000;
    co_await wait_for_slot(*run.clock, slot, until, run.cancel.token());
    run.cancel.token().throw_if_cancelled();
    slot->done = true;  // a reply from now on is too late
    file(run, {reply->has_value() ? own.judge->settle(request, **reply)
                                  : own.judge->timed_out(request)});
  }
}

}  // namespace agentfootprint::internal
