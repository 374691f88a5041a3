// What an AgentBuilder collected and an AgentSpec shares: plain data, immutable after build.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "agentfootprint/agent/policy.hpp"
#include "agentfootprint/agent/spec.hpp"
#include "agentfootprint/agent/tool.hpp"
#include "agentfootprint/artifacts/async_store.hpp"
#include "agentfootprint/context/window.hpp"
#include "agentfootprint/evidence/claims.hpp"
#include "agentfootprint/evidence/gate.hpp"
#include "agentfootprint/findings/judge_desk.hpp"
#include "agentfootprint/findings/options.hpp"
#include "agentfootprint/flow/chart.hpp"
#include "agentfootprint/json/schema.hpp"
#include "agentfootprint/model/port.hpp"

namespace agentfootprint {

// A tool with what is computed from it once.
struct RegisteredTool {
  explicit RegisteredTool(Tool declared) : tool(std::move(declared)) {}
  Tool tool;
  std::optional<json::Schema> arguments;  // compiled input schema
};

struct CostBudget {
  double usd = 0;
  std::optional<Prices> prices;
  bool halt = false;
};

struct OutputContract {
  json::Value schema;
  std::optional<json::Schema> compiled;
  std::uint32_t retries = 1;
  std::optional<std::string> canned;
};

// The model that writes summaries, and what it costs.
struct Summariser {
  std::shared_ptr<Model> model;
  std::string model_name;
  std::optional<Prices> prices;  // empty: those of the cost budget
};

struct AgentConfig {
  std::shared_ptr<Model> model;
  std::string model_name;
  std::string name = "agent";
  std::string system;
  std::vector<RegisteredTool> tools;
  std::unordered_map<std::string, std::size_t> tool_index;
  std::shared_ptr<const std::vector<ToolSchema>> schemas;  // in order of declaration
  std::optional<double> temperature;
  std::optional<std::int64_t> max_tokens;
  std::uint32_t max_iterations = 10;
  std::uint32_t max_corrections = 3;
  bool wrap_up = true;
  std::optional<std::int64_t> max_result_chars;
  std::optional<std::int64_t> tool_timeout_ms;
  std::int64_t teardown_timeout_ms = 5'000;
  std::optional<CostBudget> cost;
  std::shared_ptr<PermissionPolicy> permission;
  std::vector<Middleware> middleware;
  std::shared_ptr<CredentialProvider> credentials;
  ConsentPosture consent = ConsentPosture::pause;
  std::shared_ptr<ArtifactStore> artifacts;
  std::shared_ptr<AsyncArtifactStore> store;  // the same on its own thread; made at build
  std::int64_t max_inline_chars = 0;
  std::optional<evidence::GateOptions> gate;
  std::optional<findings::FindingsOptions> findings;
  std::string judge_name;
  findings::JudgeCallback judge;
  bool limits_travel = false;
  std::optional<OutputContract> output;
  std::vector<evidence::ClaimPath> claims;
  std::optional<context::WindowStrategy> window;
  std::optional<Summariser> summariser;
  bool notice_prior_turn = false;
  bool notice_empty_lookups = false;
  bool repeated_call_note = true;
  // Two agents with the same fingerprint can resume each other's checkpoints.
  std::string fingerprint;
  std::optional<flow::Chart> chart;

  [[nodiscard]] const RegisteredTool* find_tool(std::string_view tool) const {
    const auto found = tool_index.find(std::string(tool));
    return found == tool_index.end() ? nullptr : &tools[found->second];
  }
};

}  // namespace agentfootprint
