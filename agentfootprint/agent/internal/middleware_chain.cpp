// Middleware chains: order, throws as refusals, and the ledger of decisions.
#include "agentfootprint/agent/internal/middleware_chain.hpp"

namespace agentfootprint::internal {
namespace {

struct Site {
  Moment moment;
  CallKey key;
  std::string_view tool;
};

Decision decide(const Middleware& middleware, const Site& site, const RunState& run,
                const json::Value& value) {
  const MiddlewareView view{site.moment,   site.tool,        site.key,
                            run.iteration, run.conversation, value};
  try {
    return middleware.hook(site.moment)(view);
  } catch (const std::exception& error) {
    return Decision::deny(
        fmt::format("the middleware {} threw: {}", middleware.name(), error.what()));
  } catch (...) {
    return Decision::deny(fmt::format("the middleware {} threw", middleware.name()));
  }
}

// What a decision means at this moment: questions are for before_tool, texts must stay texts.
Decision settle_for(Decision decision, Moment moment) {
  if (decision.kind() == Decision::Kind::ask && moment != Moment::before_tool) {
    return Decision::deny(fmt::format("a question cannot be asked at {}", name_of(moment)));
  }
  const bool text_moment = moment == Moment::input || moment == Moment::output;
  if (decision.kind() == Decision::Kind::change && text_moment && !decision.value().is_string()) {
    return Decision::deny("a message was changed into something that is no text");
  }
  return decision;
}

void file_row(RunState& run, const Middleware& middleware, const Site& site,
              const Decision& decision, const json::Value& before) {
  static constexpr std::string_view kWords[] = {"allow", "allow", "deny", "ask"};
  const bool changed = decision.kind() == Decision::Kind::change;
  json::ObjectBuilder row;
  row.add("middleware", middleware.name()).add("moment", name_of(site.moment));
  if (!site.tool.empty()) row.add("toolName", site.tool).add("call", to_json(site.key));
  row.add("iteration", run.iteration);
  row.add("outcome", kWords[static_cast<std::size_t>(decision.kind())]).add("changed", changed);
  if (!decision.why().empty()) row.add("why", decision.why());
  if (changed) row.add("before", before).add("after", decision.value());
  run.middleware_rows.push_back(row.build());
  json::Value detail;
  const auto tell = [&](Event& event) {
    event.name = middleware.name();
    event.text = kWords[static_cast<std::size_t>(decision.kind())];
    json::ObjectBuilder built;
    built.add("moment", name_of(site.moment)).add("changed", changed);
    if (!decision.why().empty()) built.add("why", decision.why());
    detail = built.build();
    event.detail = &detail;
  };
  if (site.tool.empty()) {
    run.emit(EventKind::middleware, tell);
  } else {
    run.emit_call(EventKind::middleware, site.key, tell);
  }
}

// Applies one link; true when the chain goes on.
bool apply(RunState& run, const Middleware& middleware, const Site& site, ChainOutcome& chain) {
  const Decision decision = settle_for(decide(middleware, site, run, chain.value), site.moment);
  file_row(run, middleware, site, decision, chain.value);
  if (decision.kind() == Decision::Kind::allow) return true;
  chain.by = middleware.name();
  chain.why = decision.why();
  if (decision.kind() == Decision::Kind::change) {
    chain.value = decision.value();
    chain.changed = true;
    return true;
  }
  chain.kind = decision.kind();
  chain.question = decision.question();
  return false;
}

}  // namespace

ChainOutcome run_before_tool(RunState& run, const CallKey& key, std::string_view tool,
                             json::Value arguments, std::size_t first) {
  ChainOutcome chain;
  chain.value = std::move(arguments);
  const auto& links = run.config().middleware;
  for (std::size_t i = first; i < links.size(); ++i) {
    chain.next = i + 1;
    if (!links[i].hook(Moment::before_tool)) continue;
    if (!apply(run, links[i], {Moment::before_tool, key, tool}, chain)) return chain;
  }
  return chain;
}

ChainOutcome run_after_tool(RunState& run, const CallKey& key, std::string_view tool,
                            json::Value result) {
  ChainOutcome chain;
  chain.value = std::move(result);
  const auto& links = run.config().middleware;
  for (std::size_t i = links.size(); i-- > 0;) {
    if (!links[i].hook(Moment::after_tool)) continue;
    if (!apply(run, links[i], {Moment::after_tool, key, tool}, chain)) return chain;
  }
  return chain;
}

ChainOutcome run_message(RunState& run, Moment moment, std::string_view text) {
  ChainOutcome chain;
  chain.value = json::Value(text);
  for (const Middleware& link : run.config().middleware) {
    if (!link.hook(moment)) continue;
    if (!apply(run, link, {moment, CallKey{}, {}}, chain)) return chain;
  }
  return chain;
}

}  // namespace agentfootprint::internal
