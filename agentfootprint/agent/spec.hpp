// Agents: an immutable spec built once, and runs of it.
//
// What: `AgentBuilder` collects a model, tools, checks, budgets and ports, refuses what cannot
// work, and builds an `AgentSpec`: immutable, shareable across threads, good for any number of
// concurrent runs. A run takes a conversation and an input and gives a `RunResult`, which holds the
// conversation again.
//
// When to use: `run` blocks; `run_task` is the coroutine for any executor.
//
// Not guaranteed: cancellation of a tool that never looks at its token; it is left behind after its
// timeout, its late result is recorded and not used.
//
// A feature that is not armed changes no byte of requests, events or record.
//
// Example:
//   auto model = std::make_shared<ScriptedModel>();
//   model->then(ScriptedReply("hello"));
//   AgentSpec spec = AgentBuilder(model, "small-1").system("You are kind.").build();
//   RunResult result = run(spec, Conversation(), "hi");
//   (void)result.answer()->text;   // "hello"
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agentfootprint/agent/events.hpp"
#include "agentfootprint/agent/policy.hpp"
#include "agentfootprint/agent/run_result.hpp"
#include "agentfootprint/agent/tool.hpp"
#include "agentfootprint/base/random.hpp"
#include "agentfootprint/context/window.hpp"
#include "agentfootprint/evidence/claims.hpp"
#include "agentfootprint/evidence/gate.hpp"
#include "agentfootprint/findings/judge_desk.hpp"
#include "agentfootprint/findings/options.hpp"
#include "agentfootprint/model/port.hpp"
#include "agentfootprint/model/scripted.hpp"

namespace agentfootprint {

class ArtifactStore;
class RecordSink;
struct AgentConfig;  // what the builder collected; internal

// Prices in USD per one token; absent kinds cost nothing known.
struct Prices {
  Prices(double input_usd, double output_usd) : input(input_usd), output(output_usd) {}
  double input;
  double output;
  double cache_read = 0;
  double cache_write = 0;
};

class AgentSpec {
 public:
  [[nodiscard]] const AgentConfig& config() const noexcept { return *config_; }
  [[nodiscard]] std::string_view name() const noexcept;

 private:
  friend class AgentBuilder;
  explicit AgentSpec(std::shared_ptr<const AgentConfig> config) : config_(std::move(config)) {}
  std::shared_ptr<const AgentConfig> config_;
};

class AgentBuilder {
 public:
  AgentBuilder(std::shared_ptr<Model> model, std::string model_name);
  ~AgentBuilder();
  AgentBuilder(AgentBuilder&&) noexcept;
  AgentBuilder& operator=(AgentBuilder&&) noexcept;

  AgentBuilder& name(std::string name);
  AgentBuilder& system(std::string text);  // once
  AgentBuilder& tool(Tool tool);           // a duplicate name is refused
  AgentBuilder& temperature(double value);
  AgentBuilder& max_tokens(std::int64_t value);
  AgentBuilder& max_iterations(std::int64_t value);    // 10; refused unless positive
  AgentBuilder& max_corrections(std::int64_t value);   // 3; re-asks, apart from iterations
  AgentBuilder& wrap_up(bool on);                      // true
  AgentBuilder& max_result_chars(std::int64_t value);  // a net under tools without a ceiling
  AgentBuilder& tool_timeout_ms(std::int64_t value);   // for tools that state none; none by default
  AgentBuilder& teardown_timeout_ms(std::int64_t value);  // 5,000; for each cleanup that waits
  AgentBuilder& cost_budget(double usd, Prices prices, bool halt);
  AgentBuilder& permission(std::shared_ptr<PermissionPolicy> policy);
  AgentBuilder& middleware(Middleware middleware);
  AgentBuilder& credentials(std::shared_ptr<CredentialProvider> provider,
                            ConsentPosture missing_consent = ConsentPosture::pause);
  // Results longer than `max_inline_chars` are stored and replaced by a ticket; 0 places nothing.
  AgentBuilder& artifacts(std::shared_ptr<ArtifactStore> store, std::int64_t max_inline_chars = 0);
  // The evidence gate, with its posture: assist flags, guard asks once for a revision, rails
  // refuses.
  AgentBuilder& names_and_numbers_from_evidence(evidence::GateOptions options = {});
  // The findings ledger. A tool with an argument `_findings` of its own is refused.
  AgentBuilder& findings(findings::FindingsOptions options = {});
  // A second opinion about each result; needs findings.
  AgentBuilder& judge(std::string name, findings::JudgeCallback callback);
  AgentBuilder& limits_travel_with_the_answer();
  // The answer must be JSON that fits; `retries` (0 to 10) re-asks.
  AgentBuilder& output_schema(json::Value schema, std::int64_t retries = 1);
  AgentBuilder& output_fallback(std::string canned);
  // Places of the answer (JSON) that restate what described results read; a check, never enforced.
  // Refused without an output schema.
  AgentBuilder& claims(std::vector<evidence::ClaimPath> contract);
  // Which messages a request shows; without one it shows all of them. The conversation keeps every
  // message and the evidence index every result: a value whose carriers are no longer in view is
  // marked in the verdict.
  AgentBuilder& window(context::WindowStrategy strategy);
  // Needed by `WindowStrategy::summarise_oldest`, refused without it, and refused when it is the
  // agent's own model object under the same name. Its tokens count as the run's; `prices` are
  // those of the cost budget unless given.
  AgentBuilder& summariser(std::shared_ptr<Model> model, std::string model_name,
                           std::optional<Prices> prices = std::nullopt);
  // A check row that fires when an answer stands on nothing this turn read; needs the gate.
  AgentBuilder& notice_prior_turn_evidence();
  // Notes a lookup that found nothing for an argument which a ground of its tool has shown;
  // advisory. Refused unless a tool declares arguments_from.
  AgentBuilder& notice_empty_lookups();
  AgentBuilder& repeated_call_note(bool on);  // true

  // Throws Refusal with every fault found.
  [[nodiscard]] AgentSpec build();

 private:
  void refuse(std::string_view code, std::string_view field, std::string message);
  bool once(std::string_view member);
  bool positive(std::string_view member, std::int64_t value);
  void check_together();
  void check_summariser();
  void check_tool(const Tool& tool);

  std::unique_ptr<AgentConfig> config_;
  std::vector<Issue> issues_;
  std::set<std::string> seen_;
  std::optional<std::string> canned_;
};

struct RunOptions {
  RunOptions() = default;
  CancelToken cancel;
  std::optional<std::int64_t> deadline_ms;  // for the whole run
  std::optional<Identity> identity;
  EventSink* events = nullptr;
  TextSink on_text;                    // the answer's text as it streams, without declarations
  std::shared_ptr<RecordSink> record;  // null: none is written
  // Rows of the conversation's earlier turns (RunFacts::finding_rows): towers cross turns.
  std::vector<json::Value> finding_rows;
  // The view that the conversation's last run ended with (RunFacts::window); null: all of it. One
  // that does not fit the conversation is refused: Error "window-state". A checkpoint has its own.
  json::Value window;
  const Clock* clock = nullptr;  // null: the system's
  Random* random = nullptr;      // null: the system's
};

// One turn. The coroutine holds what it needs of `spec`. Throws Error: "run-open-calls" when a call
// of the conversation has no result (a question is open: resume its checkpoint, or abandon it).
[[nodiscard]] Task<RunResult> run_task(AgentSpec spec, Conversation conversation, std::string input,
                                       RunOptions options = RunOptions());
// The same on a loop of its own. With an artifact store it returns when the store has let go of an
// operation it had begun, also after a cancellation: the store's own busy limit bounds that.
[[nodiscard]] RunResult run(const AgentSpec& spec, Conversation conversation, std::string input,
                            RunOptions options = RunOptions());

// The conversation of a pause without its questions: every open call is settled in the library's
// name, so that another turn may follow. The checkpoint is not changed.
[[nodiscard]] Conversation abandon_questions(Conversation conversation);

// One person's answer to one pending question.
class Resolution {
 public:
  // For an ask: any value, falsy ones too; it becomes the tool's result.
  [[nodiscard]] static Resolution value(std::string pending_id, json::Value answer);
  // For middleware and check-in.
  [[nodiscard]] static Resolution approve(std::string pending_id, std::string by,
                                          std::string note = {});
  [[nodiscard]] static Resolution decline(std::string pending_id, std::string by,
                                          std::string note = {});
  // For a credential: the provider is asked again.
  [[nodiscard]] static Resolution retry(std::string pending_id);
  // What the person was looking at when they decided. A question whose component has another
  // `propsRef` refuses the answer as stale.
  Resolution& seen(std::string shown_ref) {
    props_ref = std::move(shown_ref);
    return *this;
  }

  enum class Kind : std::uint8_t { value, approve, decline, retry };
  std::string id;
  Kind kind = Kind::value;
  json::Value answer;
  std::string by;
  std::string note;
  std::optional<std::string> props_ref;

 private:
  Resolution() = default;
};

// Goes on where a pause left off, in this process or another one. Throws Error: "resume-checkpoint"
// (not one of ours, another agent's, another version), "resume-unknown" (no such pending id),
// "resume-stale" (answered already), "resume-kind" (a decision is needed and a value was given, or
// the reverse). Unanswered questions stay pending.
[[nodiscard]] Task<RunResult> resume_task(AgentSpec spec, json::Value checkpoint,
                                          std::vector<Resolution> resolutions,
                                          RunOptions options = RunOptions());
[[nodiscard]] RunResult resume(const AgentSpec& spec, json::Value checkpoint,
                               std::vector<Resolution> resolutions,
                               RunOptions options = RunOptions());

// Goes on from a Failed or Stopped run's checkpoint; a call recorded as settled is not executed
// again.
[[nodiscard]] Task<RunResult> resume_on_error_task(AgentSpec spec, json::Value checkpoint,
                                                   RunOptions options = RunOptions());
[[nodiscard]] RunResult resume_on_error(const AgentSpec& spec, json::Value checkpoint,
                                        RunOptions options = RunOptions());

}  // namespace agentfootprint
