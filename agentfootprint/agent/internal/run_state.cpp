// A run's own things: where they come from and how events leave.
#include "agentfootprint/agent/internal/run_state.hpp"

#include "agentfootprint/agent/internal/run_findings.hpp"
#include "agentfootprint/base/random.hpp"

namespace agentfootprint::internal {
namespace {

Random& system_random() {
  static SystemRandom random;
  return random;
}

}  // namespace

RunState::RunState(AgentSpec agent_spec, Conversation start, RunOptions run_options)
    : spec(std::move(agent_spec)),
      options(std::move(run_options)),
      conversation(std::move(start)),
      clock(options.clock != nullptr ? options.clock : &SystemClock::instance()),
      random(options.random != nullptr ? options.random : &system_random()),
      cancel(options.cancel),
      started_ns(clock->steady_ns()) {
  IdSource ids(*clock, *random);
  run_id = ids.next("run");
  arm_findings();
  if (config().window) window.emplace();
  if (options.deadline_ms) {
    cancel.set_deadline(*clock, started_ns + *options.deadline_ms * 1'000'000);
  }
}

RunState::~RunState() = default;

void RunState::deliver(const Event& event) noexcept {
  try {
    options.events->on(event);
  } catch (...) {
    // A sink that throws must not change the run; it loses this event only.
  }
}

void RunState::index_conversation() {
  if (!system_supplied && !config().system.empty()) {
    index.supply(config().system, evidence::SuppliedBy::app);
  }
  system_supplied = true;
  index.extend(conversation);
}

void RunState::tell_artifact(const CallKey& key, std::string_view tool, const ArtifactFact& fact) {
  const json::Value payload = to_json(fact, tool);
  record_row("event",
             json::object({{"name", fmt::format("agentfootprint.artifacts.{}", name_of(fact.kind))},
                           {"call", to_json(key)},
                           {"iteration", iteration},
                           {"artifact", payload}}));
  emit_call(EventKind::artifact, key, [&](Event& event) {
    event.name = tool;
    event.text = name_of(fact.kind);
    event.detail = &payload;
  });
}

void RunState::note_check(std::string_view check, CheckRow::Outcome what, std::string note,
                          const json::Value* detail) {
  CheckRow* row = nullptr;
  for (CheckRow& known : checks) {
    if (known.check == check) row = &known;
  }
  if (row == nullptr) {
    checks.emplace_back();
    row = &checks.back();
    row->check = std::string(check);
  }
  using Outcome = CheckRow::Outcome;
  std::uint32_t* const counts[] = {&row->fired, &row->passed, &row->did_not_apply, &row->could_not};
  ++*counts[static_cast<std::size_t>(what)];
  // What happened once is not undone by a later encounter.
  row->outcome = row->fired > 0       ? Outcome::fired
                 : row->could_not > 0 ? Outcome::could_not_run
                 : row->passed > 0    ? Outcome::passed
                                      : Outcome::not_applicable;
  if (!note.empty() && what == row->outcome) row->note = std::move(note);
  emit(EventKind::check, [&](Event& event) {
    event.name = check;
    event.text = name_of(what);
    event.detail = detail;
  });
}

}  // namespace agentfootprint::internal
