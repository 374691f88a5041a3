// Tools: what a model may call, and what a call can reach while it runs.
//
// What: a `Tool` is a schema, a function or coroutine from JSON arguments and a `ToolContext` to a
// `ToolResult`, and declarations the dispatch pipeline honours (ceiling, timeout, check-in,
// credentials, datasets wanted, capabilities). It is a value; the spec keeps an immutable copy.
//
// When to use: declare tools with the fluent members and give them to an AgentBuilder. Declarations
// that cannot work are refused where they are written.
//
// Not guaranteed: that execute runs at all (permission, middleware, validation and check-in come
// first), or that the model reads the result whole.
//
// Limits: names match ^[a-zA-Z0-9_-]{1,64}$; `_findings` is reserved when findings are armed.
//
// Example:
//   Tool ports("ports", "State of one port.");
//   json::Value text = json::object({{"type", "string"}});
//   ports.input(json::object({{"type", "object"},
//                             {"properties", json::object({{"port", text}})},
//                             {"required", json::array({"port"})}}))
//       .result_ceiling(20'000, "a port name")
//       .run([](const json::Value& arguments, ToolContext&) {
//         return ToolResult::text(std::string(*arguments.at("port").as_string()) + " is down");
//       });
//   (void)ports.schema().name;
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/agent/tool_result.hpp"
#include "agentfootprint/artifacts/capability.hpp"
#include "agentfootprint/artifacts/wants.hpp"
#include "agentfootprint/base/cancel.hpp"
#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/base/task.hpp"
#include "agentfootprint/conversation/message.hpp"
#include "agentfootprint/model/port.hpp"

namespace agentfootprint {

// Who the run is for; only what the application states.
struct Identity {
  std::string conversation_id;
  std::optional<std::string> tenant;
  std::optional<std::string> principal;

  explicit Identity(std::string conversation) : conversation_id(std::move(conversation)) {}
  friend bool operator==(const Identity&, const Identity&) = default;
};

// A secret for one service; nothing that prints reaches inside.
class Credential {
 public:
  Credential(std::string kind, std::map<std::string, std::string> headers)
      : kind_(std::move(kind)), headers_(std::move(headers)) {}
  [[nodiscard]] const std::string& kind() const noexcept { return kind_; }
  [[nodiscard]] const std::map<std::string, std::string>& headers() const noexcept {
    return headers_;
  }

 private:
  std::string kind_;
  std::map<std::string, std::string> headers_;
};

// When a cleanup registered by a tool runs: behind the call, or at the end of the turn.
enum class TeardownScope : std::uint8_t { call, run };

class ToolContext {
 public:
  virtual ~ToolContext() = default;
  [[nodiscard]] virtual CallKey call() const noexcept = 0;
  [[nodiscard]] virtual const std::string& tool_name() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t iteration() const noexcept = 0;
  // Cancelled with the run, and when the tool's own time is over.
  [[nodiscard]] virtual const CancelToken& cancel() const noexcept = 0;
  [[nodiscard]] virtual const Clock& clock() const noexcept = 0;
  // Tells observers; never throws, is never waited for.
  virtual void progress(json::Value payload) noexcept = 0;
  [[nodiscard]] virtual const std::optional<Identity>& identity() const noexcept = 0;
  // The credential declared by `needs_credential`; null without one.
  [[nodiscard]] virtual const Credential* credential() const noexcept = 0;
  // The run's artifacts, bound to this call; without a store its verbs say how to get one.
  [[nodiscard]] virtual ArtifactContext& artifacts() noexcept = 0;
  // For coroutines: runs work that waits for the store (a page, a query, staging) on the store's
  // own thread, so that the run's thread goes on with other runs. Without a store, or with one that
  // does not wait, it runs here. `work` must not throw.
  [[nodiscard]] virtual Task<void> on_store(std::function<void()> work) = 0;
  // Runs once, in reverse order of registration; what it throws is kept from the others.
  virtual void on_teardown(std::function<void()> cleanup,
                           TeardownScope scope = TeardownScope::call) = 0;
  // The same for a cleanup that waits. It is left behind when it is not done within the agent's
  // time for cleanups, and is not stopped by the run's cancellation. False: the call is over, or
  // this door cannot wait; clean up yourself.
  virtual bool on_teardown_task(std::function<Task<void>()> cleanup,
                                TeardownScope scope = TeardownScope::call) {
    static_cast<void>(cleanup);
    static_cast<void>(scope);
    return false;
  }
};

struct CredentialNeed {
  explicit CredentialNeed(std::string service_name) : service(std::move(service_name)) {}
  std::string service;
  std::vector<std::string> scopes;
};

class Tool {
 public:
  using Function = std::function<ToolResult(const json::Value& arguments, ToolContext& context)>;
  using Coroutine = std::function<Task<ToolResult>(json::Value arguments, ToolContext& context)>;
  using Predicate = std::function<bool(const json::Value& arguments)>;

  // Refused: a name outside the limits (code "tool-name"), a blank description
  // ("tool-description").
  Tool(std::string name, std::string description);

  // A JSON Schema of type object; by default one without properties. Refused when it does not
  // compile ("tool-schema").
  Tool& input(json::Value schema);
  Tool& run(Function function);
  Tool& run_async(Coroutine coroutine);
  // Calls of one batch to tools that say so may overlap in execute.
  Tool& parallel_safe(bool safe = true);
  // Refused unless positive ("tool-timeout").
  Tool& timeout_ms(std::int64_t ms);
  // A result of more code points is refused, not cut; `narrow_by` tells the model how to ask for
  // less.
  Tool& result_ceiling(std::int64_t max_chars, std::string narrow_by = {});
  // The argument holds a ticket; execute receives the dataset's data in its place. Refused unless
  // the schema has a string property of that name ("artifact-wants").
  Tool& wants(std::string argument, std::string kind);
  // Every call reads or writes tickets: an agent without a store is refused at build.
  Tool& needs_artifacts();
  // A result over the spec's inline limit is served as it is and not replaced by a ticket.
  Tool& keep_inline();
  Tool& needs_credential(CredentialNeed need);
  // A person must agree before execute: always, or when the predicate says so (one that throws says
  // so).
  Tool& check_in();
  Tool& check_in(Predicate demands);
  // Extra permission questions, asked when the checker governs them.
  Tool& capabilities(std::vector<std::string> names);
  // Tools whose results ground this tool's arguments; checked, never enforced.
  Tool& arguments_from(std::vector<std::string> tools);
  // Two calls with the same arguments count as repeated whatever they return.
  Tool& repeated_when_arguments_repeat();
  // Where the tool comes from (an MCP server); absent: the application's own.
  Tool& source(std::string name);

  [[nodiscard]] const ToolSchema& schema() const noexcept { return schema_; }
  [[nodiscard]] const Function& function() const noexcept { return function_; }
  [[nodiscard]] const Coroutine& coroutine() const noexcept { return coroutine_; }
  [[nodiscard]] bool is_parallel_safe() const noexcept { return parallel_safe_; }
  [[nodiscard]] std::optional<std::int64_t> timeout_ms() const noexcept { return timeout_ms_; }
  [[nodiscard]] std::optional<std::int64_t> max_result_chars() const noexcept { return max_chars_; }
  [[nodiscard]] const std::string& narrow_by() const noexcept { return narrow_by_; }
  [[nodiscard]] const ToolWants& wanted() const noexcept { return wants_; }
  [[nodiscard]] bool has_to_have_artifacts() const noexcept { return needs_artifacts_; }
  [[nodiscard]] bool stays_inline() const noexcept { return keep_inline_; }
  [[nodiscard]] const std::optional<CredentialNeed>& credential_need() const noexcept {
    return need_;
  }
  [[nodiscard]] bool demands_check_in(const json::Value& arguments) const;
  [[nodiscard]] bool declares_check_in() const noexcept { return check_in_always_ || check_in_; }
  [[nodiscard]] const std::vector<std::string>& capability_names() const noexcept {
    return capabilities_;
  }
  [[nodiscard]] const std::vector<std::string>& argument_grounds() const noexcept {
    return grounds_;
  }
  [[nodiscard]] bool repeats_by_arguments() const noexcept { return repeats_by_arguments_; }
  [[nodiscard]] const std::optional<std::string>& source_name() const noexcept { return source_; }

 private:
  ToolSchema schema_;
  Function function_;
  Coroutine coroutine_;
  bool parallel_safe_ = false;
  std::optional<std::int64_t> timeout_ms_;
  std::optional<std::int64_t> max_chars_;
  std::string narrow_by_;
  ToolWants wants_;
  bool needs_artifacts_ = false;
  bool keep_inline_ = false;
  std::optional<CredentialNeed> need_;
  bool check_in_always_ = false;
  Predicate check_in_;
  std::vector<std::string> capabilities_;
  std::vector<std::string> grounds_;
  bool repeats_by_arguments_ = false;
  std::optional<std::string> source_;
};

}  // namespace agentfootprint
