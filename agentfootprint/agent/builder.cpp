// Collects what an agent is made of and refuses, at once, everything that could not work.
#include <fmt/format.h>

#include <algorithm>

#include "agentfootprint/agent/internal/config.hpp"
#include "agentfootprint/agent/internal/loop.hpp"
#include "agentfootprint/agent/spec.hpp"
#include "agentfootprint/base/hash.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

bool is_blank(std::string_view text) noexcept {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// What a checkpoint must agree on: the tools and what they take. A changed prompt or model is no
// mismatch.
std::string fingerprint_of(const AgentConfig& config) {
  json::ObjectBuilder shape;
  shape.add("name", config.name);
  json::ArrayBuilder tools;
  for (const RegisteredTool& registered : config.tools) {
    tools.add(registered.tool.schema().name);
  }
  shape.add("tools", tools.build());
  return sha256_hex(json::dump_canonical(shape.build())).substr(0, 16);
}

}  // namespace

std::string_view AgentSpec::name() const noexcept {
  return config_->name;
}

AgentBuilder::AgentBuilder(std::shared_ptr<Model> model, std::string model_name)
    : config_(std::make_unique<AgentConfig>()) {
  if (!model) {
    issues_.push_back(
        {"agent-model", "model", "the agent has no model: give one that can be called"});
  }
  if (is_blank(model_name)) {
    issues_.push_back({"agent-model", "modelName",
                       "the model's name is blank: providers need to know which model to run"});
  }
  config_->model = std::move(model);
  config_->model_name = std::move(model_name);
}

AgentBuilder::~AgentBuilder() = default;
AgentBuilder::AgentBuilder(AgentBuilder&&) noexcept = default;
AgentBuilder& AgentBuilder::operator=(AgentBuilder&&) noexcept = default;

void AgentBuilder::refuse(std::string_view code, std::string_view field, std::string message) {
  issues_.push_back({std::string(code), std::string(field), std::move(message)});
}

bool AgentBuilder::once(std::string_view member) {
  if (seen_.insert(std::string(member)).second) return true;
  refuse("agent-twice", member,
         fmt::format("{} was given twice: the second would silently replace the first; keep one",
                     member));
  return false;
}

bool AgentBuilder::positive(std::string_view member, std::int64_t value) {
  if (value > 0) return true;
  refuse("agent-number", member,
         fmt::format("{} is {}: give a positive whole number, or leave it out", member, value));
  return false;
}

AgentBuilder& AgentBuilder::name(std::string name) {
  if (is_blank(name))
    refuse("agent-name", "name", "the agent's name is blank: leave it out or name it");
  config_->name = std::move(name);
  return *this;
}

AgentBuilder& AgentBuilder::system(std::string text) {
  if (once("system")) config_->system = std::move(text);
  return *this;
}

AgentBuilder& AgentBuilder::tool(Tool tool) {
  const std::string name = tool.schema().name;
  if (config_->tool_index.contains(name)) {
    refuse("tool-duplicate", name,
           fmt::format("two tools are named '{}': the model could not tell them apart; rename one",
                       name));
    return *this;
  }
  if (!tool.function() && !tool.coroutine()) {
    refuse("tool-function", name,
           fmt::format("the tool '{}' has nothing to run: call run or run_async on it", name));
  }
  config_->tool_index.emplace(name, config_->tools.size());
  config_->tools.emplace_back(std::move(tool));
  return *this;
}

AgentBuilder& AgentBuilder::temperature(double value) {
  config_->temperature = value;
  return *this;
}

AgentBuilder& AgentBuilder::max_tokens(std::int64_t value) {
  if (positive("maxTokens", value)) config_->max_tokens = value;
  return *this;
}

AgentBuilder& AgentBuilder::max_iterations(std::int64_t value) {
  if (positive("maxIterations", value)) {
    config_->max_iterations = static_cast<std::uint32_t>(std::min<std::int64_t>(value, 1'000'000));
  }
  return *this;
}

AgentBuilder& AgentBuilder::max_corrections(std::int64_t value) {
  if (value < 0) {
    positive("maxCorrections", value);
  } else {
    config_->max_corrections = static_cast<std::uint32_t>(std::min<std::int64_t>(value, 1'000));
  }
  return *this;
}

AgentBuilder& AgentBuilder::wrap_up(bool on) {
  config_->wrap_up = on;
  return *this;
}

AgentBuilder& AgentBuilder::max_result_chars(std::int64_t value) {
  if (positive("maxResultChars", value)) config_->max_result_chars = value;
  return *this;
}

AgentBuilder& AgentBuilder::tool_timeout_ms(std::int64_t value) {
  if (positive("toolTimeoutMs", value)) config_->tool_timeout_ms = value;
  return *this;
}

AgentBuilder& AgentBuilder::teardown_timeout_ms(std::int64_t value) {
  if (positive("teardownTimeoutMs", value)) config_->teardown_timeout_ms = value;
  return *this;
}

AgentBuilder& AgentBuilder::cost_budget(double usd, Prices prices, bool halt) {
  if (!(usd > 0)) {
    refuse("agent-cost", "costBudget",
           "a cost budget must be more than 0 USD: leave it out to spend freely");
  }
  CostBudget budget;
  budget.usd = usd;
  budget.prices = prices;
  budget.halt = halt;
  config_->cost = budget;
  return *this;
}

AgentBuilder& AgentBuilder::permission(std::shared_ptr<PermissionPolicy> policy) {
  if (once("permission")) config_->permission = std::move(policy);
  return *this;
}

AgentBuilder& AgentBuilder::middleware(Middleware middleware) {
  if (!middleware.has_hook()) {
    refuse("middleware-hooks", middleware.name(),
           fmt::format("the middleware '{}' has no hook: it would never run; give it one with on()",
                       middleware.name()));
  }
  config_->middleware.push_back(std::move(middleware));
  return *this;
}

AgentBuilder& AgentBuilder::credentials(std::shared_ptr<CredentialProvider> provider,
                                        ConsentPosture missing_consent) {
  if (!once("credentials")) return *this;
  config_->credentials = std::move(provider);
  config_->consent = missing_consent;
  return *this;
}

AgentBuilder& AgentBuilder::artifacts(std::shared_ptr<ArtifactStore> store,
                                      std::int64_t max_inline_chars) {
  if (!store) {
    refuse("agent-artifacts", "artifacts",
           "artifacts without a store: open one, or leave them out");
  }
  if (max_inline_chars < 0) positive("maxInlineChars", max_inline_chars);
  config_->artifacts = std::move(store);
  config_->max_inline_chars = std::max<std::int64_t>(max_inline_chars, 0);
  return *this;
}

AgentBuilder& AgentBuilder::names_and_numbers_from_evidence(evidence::GateOptions options) {
  if (!once("namesAndNumbersFromEvidence")) return *this;
  try {
    evidence::check_gate_options(options);
  } catch (const Refusal& refusal) {
    issues_.insert(issues_.end(), refusal.issues().begin(), refusal.issues().end());
  }
  config_->gate = std::move(options);
  return *this;
}

AgentBuilder& AgentBuilder::findings(findings::FindingsOptions options) {
  if (!once("findings")) return *this;
  try {
    findings::check_findings_options(options);
  } catch (const Refusal& refusal) {
    issues_.insert(issues_.end(), refusal.issues().begin(), refusal.issues().end());
  }
  config_->findings = std::move(options);
  return *this;
}

AgentBuilder& AgentBuilder::judge(std::string name, findings::JudgeCallback callback) {
  if (is_blank(name) || !callback) {
    refuse("agent-judge", "judge", "a judge needs a name and a callback");
  }
  config_->judge_name = std::move(name);
  config_->judge = std::move(callback);
  return *this;
}

AgentBuilder& AgentBuilder::limits_travel_with_the_answer() {
  if (once("limitsTravelWithTheAnswer")) config_->limits_travel = true;
  return *this;
}

AgentBuilder& AgentBuilder::output_schema(json::Value schema, std::int64_t retries) {
  if (!once("outputSchema")) return *this;
  OutputContract contract;
  const auto compiled = json::Schema::compile(schema);
  if (!compiled) {
    refuse("agent-output-schema", "outputSchema",
           fmt::format("the output schema cannot judge an answer: {}", compiled.error()));
  } else {
    contract.compiled = *compiled;
  }
  if (retries < 0 || retries > 10) {
    refuse("agent-output-schema", "retries",
           fmt::format("{} retries: give a whole number from 0 to 10", retries));
  }
  contract.schema = std::move(schema);
  contract.retries = static_cast<std::uint32_t>(std::clamp<std::int64_t>(retries, 0, 10));
  config_->output = std::move(contract);
  return *this;
}

AgentBuilder& AgentBuilder::output_fallback(std::string canned) {
  canned_ = std::move(canned);
  return *this;
}

AgentBuilder& AgentBuilder::claims(std::vector<evidence::ClaimPath> contract) {
  if (!once("claims")) return *this;
  try {
    evidence::check_claims_contract(contract);
  } catch (const Refusal& refusal) {
    issues_.insert(issues_.end(), refusal.issues().begin(), refusal.issues().end());
  }
  config_->claims = std::move(contract);
  return *this;
}

AgentBuilder& AgentBuilder::window(context::WindowStrategy strategy) {
  if (!once("window")) return *this;
  try {
    context::check_window(strategy);
  } catch (const Refusal& refusal) {
    issues_.insert(issues_.end(), refusal.issues().begin(), refusal.issues().end());
  }
  config_->window = strategy;
  return *this;
}

AgentBuilder& AgentBuilder::summariser(std::shared_ptr<Model> model, std::string model_name,
                                       std::optional<Prices> prices) {
  if (!once("summariser")) return *this;
  if (!model || is_blank(model_name)) {
    refuse("agent-window", "summariser",
           "the summariser has no model or no model name: both are needed to call it");
  }
  config_->summariser = Summariser{std::move(model), std::move(model_name), prices};
  return *this;
}

AgentBuilder& AgentBuilder::notice_prior_turn_evidence() {
  config_->notice_prior_turn = true;
  return *this;
}

AgentBuilder& AgentBuilder::notice_empty_lookups() {
  config_->notice_empty_lookups = true;
  return *this;
}

AgentBuilder& AgentBuilder::repeated_call_note(bool on) {
  config_->repeated_call_note = on;
  return *this;
}

void AgentBuilder::check_together() {
  if (canned_) {
    if (!config_->output) {
      refuse("agent-output-fallback", "outputFallback",
             "a fallback answer needs an output schema: without one it would never be used");
    } else {
      const auto parsed = json::parse(*canned_);
      if (!parsed ||
          (config_->output->compiled && !config_->output->compiled->check(*parsed).empty())) {
        refuse("agent-output-fallback", "outputFallback",
               "the canned answer does not meet the output schema: it would be refused when it is "
               "needed");
      }
      config_->output->canned = canned_;
    }
  }
  if (config_->judge && !config_->findings) {
    refuse("agent-judge", "judge",
           "a judge gives standings to results: arm findings, or leave it out");
  }
  if (!config_->claims.empty() && !config_->output) {
    refuse("agent-claims", "claims",
           "claims are places of a JSON answer, and there is no output schema: call output_schema");
  }
  if (config_->notice_prior_turn && !config_->gate) {
    refuse("agent-prior-turn", "noticePriorTurnEvidence",
           "prior turns can be noticed only by the evidence gate: arm "
           "names_and_numbers_from_evidence");
  }
  check_summariser();
  const bool grounded =
      std::any_of(config_->tools.begin(), config_->tools.end(),
                  [](const RegisteredTool& one) { return !one.tool.argument_grounds().empty(); });
  if (config_->notice_empty_lookups && !grounded) {
    refuse("agent-empty-lookups", "noticeEmptyLookups",
           "no tool says where its arguments come from, so no lookup could be compared: call "
           "arguments_from on one");
  }
  for (const RegisteredTool& registered : config_->tools) check_tool(registered.tool);
}

void AgentBuilder::check_summariser() {
  const bool summarises =
      config_->window && config_->window->kind() == context::WindowKind::summarise_oldest;
  if (summarises && !config_->summariser) {
    refuse("agent-window", "window",
           "the window summarises, but there is no model to write summaries: call summariser()");
  }
  if (!config_->summariser) return;
  if (!summarises) {
    refuse("agent-window", "summariser",
           "the summariser would never be called: only WindowStrategy::summarise_oldest asks one");
  }
  if (config_->summariser->model == config_->model &&
      config_->summariser->model_name == config_->model_name) {
    refuse("agent-window", "summariser",
           "the summariser is the agent's own model: its claims could not be told from the "
           "agent's; give another model, or another name");
  }
}

void AgentBuilder::check_tool(const Tool& tool) {
  const std::string& name = tool.schema().name;
  if (!tool.wanted().empty() && !config_->artifacts) {
    refuse("tool-wants-store", name,
           fmt::format("'{}' wants a dataset, but no artifact store is attached: call artifacts()",
                       name));
  }
  if (tool.has_to_have_artifacts() && !config_->artifacts) {
    refuse("tool-wants-store", name,
           fmt::format("'{}' works on tickets, but no artifact store is attached: call artifacts()",
                       name));
  }
  if (tool.credential_need() && !config_->credentials) {
    refuse("tool-credential-provider", name,
           fmt::format("'{}' needs a credential for {}, but there is no credential provider", name,
                       tool.credential_need()->service));
  }
  if (config_->findings && !tool.source_name()) {
    try {
      findings::check_tool_schema(name, tool.schema().input_schema);
    } catch (const Refusal& refusal) {
      issues_.insert(issues_.end(), refusal.issues().begin(), refusal.issues().end());
    }
  }
}

AgentSpec AgentBuilder::build() {
  check_together();
  if (!issues_.empty()) throw Refusal(issues_);
  auto schemas = std::make_shared<std::vector<ToolSchema>>();
  for (RegisteredTool& registered : config_->tools) {
    const auto compiled = json::Schema::compile(registered.tool.schema().input_schema);
    if (compiled) registered.arguments = *compiled;
    schemas->push_back(registered.tool.schema());
  }
  config_->schemas = std::move(schemas);
  config_->fingerprint = fingerprint_of(*config_);
  if (config_->artifacts) config_->store = std::make_shared<AsyncArtifactStore>(config_->artifacts);
  config_->chart = internal::build_loop(*config_);
  return AgentSpec(std::shared_ptr<const AgentConfig>(std::move(config_)));
}

}  // namespace agentfootprint
