// Charts from JSON.
#include "agentfootprint/cli/flow_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/cli/eval_messages.hpp"
#include "agentfootprint/flow/scope.hpp"

namespace agentfootprint {
namespace {

using flow::Path;
using json::Kind;
using json::Value;

// What the operations of a step share while it runs.
struct Running {
  flow::Scope& scope;
  ManualClock& clock;
  const Value* answer = nullptr;
};
using Op = std::function<void(Running&)>;
using Ops = std::vector<Op>;
using Expression = std::function<Value(Running&)>;

Path path_of(const Value& value, std::string_view field) {
  const auto text = value.as_string();
  if (!text) eval_refuse(field, fmt::format("{}: a key is written as a JSON pointer", field));
  return Path::from_pointer(*text);
}

std::int64_t integer_of(const Value& value) {
  const auto number = value.as_int64();
  if (!number) throw Error("flow-type", "only integers can be calculated with");
  return *number;
}

class Reader {
 public:
  explicit Reader(ManualClock& clock) : clock_(clock) {}

  flow::Chart chart(const Value& in) {
    if (!in.is_object()) eval_refuse("chart", "a chart is an object with steps");
    const Value* name = eval_optional(in, "name", Kind::string);
    flow::ChartBuilder builder(std::string(name == nullptr ? "" : *name->as_string()));
    add_steps(builder, in);
    return builder.build();
  }

 private:
  // Expressions.

  Expression expression(const Value& in) {
    const bool special = in.is_object() && in.size() == 1 && in.members()[0].key().starts_with('$');
    if (!special) return [in](Running&) { return in; };
    const std::string verb(in.members()[0].key());
    const Value& of = in.members()[0].value;
    if (verb == "$value") return [of](Running&) { return of; };
    if (verb == "$read") return read_expression(of);
    if (verb == "$answer") {
      return [](Running& run) { return run.answer == nullptr ? Value() : *run.answer; };
    }
    if (verb == "$attempt") return [](Running& run) { return Value(run.scope.attempt()); };
    if (verb == "$add" || verb == "$times") return sum_expression(of, verb == "$add");
    if (verb == "$element") {
      if (of.size() != 2 || !of.is_array() || !of.at(1).as_uint64()) {
        eval_refuse(verb, "$element takes [KEY, N]");
      }
      const Path path = path_of(of.at(0), verb);
      const std::size_t index = *of.at(1).as_uint64();
      return
          [path, index](Running& run) { return run.scope.element(path, index).value_or(Value()); };
    }
    return text_expression(verb, of);
  }

  Expression text_expression(const std::string& verb, const Value& of) {
    const auto given = of.as_string();
    if (!given) eval_refuse(verb, fmt::format("{} takes a text", verb));
    if (verb == "$fail") {
      return
          [message = std::string(*given)](Running&) -> Value { throw std::runtime_error(message); };
    }
    if (verb == "$input") {
      return [pointer = std::string(*given)](Running& run) {
        const Value* found = run.scope.input().find_pointer(pointer);
        return found == nullptr ? Value() : *found;
      };
    }
    const Path path = path_of(of, verb);
    if (verb == "$peek") {
      return [path](Running& run) { return run.scope.peek(path).value_or(Value()); };
    }
    if (verb == "$has") return [path](Running& run) { return Value(run.scope.has(path)); };
    if (verb == "$size") return [path](Running& run) { return Value(run.scope.size(path)); };
    eval_refuse(verb,
                fmt::format("there is no expression {}; {{\"$value\": …}} writes a literal", verb));
  }

  static Expression read_expression(const Value& of) {
    if (of.is_array() && of.size() == 2) {
      const Path path = path_of(of.at(0), "$read");
      return [path, fallback = of.at(1)](Running& run) {
        return run.scope.get(path).value_or(fallback);
      };
    }
    const Path path = path_of(of, "$read");
    return [path](Running& run) { return run.scope.require(flow::Key<Value>(path)); };
  }

  Expression sum_expression(const Value& of, bool add) {
    std::vector<Expression> terms;
    for (const Value& term : of.elements()) terms.push_back(expression(term));
    return [terms, add](Running& run) {
      std::int64_t total = add ? 0 : 1;
      for (const Expression& term : terms) {
        const std::int64_t value = integer_of(term(run));
        const bool over = add ? __builtin_add_overflow(total, value, &total)
                              : __builtin_mul_overflow(total, value, &total);
        if (over) throw Error("flow-type", "a calculation leaves 64 bits");
      }
      return Value(total);
    };
  }

  // Conditions and operations.

  static flow::Operator operator_of(const Value& name) {
    using flow::Operator;
    for (const Operator one :
         {Operator::eq, Operator::ne, Operator::gt, Operator::gte, Operator::lt, Operator::lte,
          Operator::one_of, Operator::not_in, Operator::absent, Operator::present}) {
      if (name.as_string() == flow::name_of(one)) return one;
    }
    eval_refuse("when", "a condition is [KEY, OPERATOR, THRESHOLD]");
  }

  static std::vector<flow::Condition> conditions(const Value& in) {
    std::vector<flow::Condition> out;
    for (const Value& one : in.elements()) {
      if (!one.is_array() || one.size() < 2) {
        eval_refuse("when", "a condition is [KEY, OPERATOR, THRESHOLD]");
      }
      out.push_back({path_of(one.at(0), "when"), operator_of(one.at(1)),
                     one.size() > 2 ? one.at(2) : Value()});
    }
    return out;
  }

  static bool hold(const std::vector<flow::Condition>& conditions, Running& run) {
    return std::all_of(conditions.begin(), conditions.end(), [&](const flow::Condition& one) {
      return flow::holds(one, run.scope.get(one.path));
    });
  }

  Ops operations(const Value& in, std::string_view key) {
    Ops out;
    const Value* list = eval_optional(in, key, Kind::array);
    if (list == nullptr) return out;
    for (const Value& one : list->elements()) {
      if (!one.is_object() || one.empty()) eval_refuse(key, "an operation is an object");
      out.push_back(operation(one));
    }
    return out;
  }

  Op operation(const Value& in) {
    const std::string verb(in.members()[0].key());
    const Value& of = in.members()[0].value;
    if (verb == "set" || verb == "append" || verb == "merge") return write_operation(in, verb);
    if (verb == "erase") {
      return [path = path_of(of, verb)](Running& run) { run.scope.erase(path); };
    }
    if (verb == "read") {
      return [path = path_of(of, verb)](Running& run) { (void)run.scope.get(path); };
    }
    if (verb == "fail") {
      const std::string message = eval_required_text(in, "fail");
      const Value* times = eval_optional(in, "times", Kind::number);
      const std::int64_t attempts = times == nullptr ? INT64_MAX : times->as_int64().value_or(0);
      return [message, attempts](Running& run) {
        if (run.scope.attempt() <= attempts) throw std::runtime_error(message);
      };
    }
    if (verb == "break") {
      const std::string reason = eval_required_text(in, "break");
      return [reason](Running& run) { run.scope.break_chart(reason); };
    }
    if (verb == "interrupt") {
      const Path path = path_of(eval_required(in, "into"), "into");
      return [path, ask = expression(of)](Running& run) {
        run.scope.set(path, run.scope.interrupt(ask(run)));
      };
    }
    if (verb == "emit") {
      const std::string name = eval_required_text(in, "emit");
      return [name, to = expression(eval_required(in, "to"))](Running& run) {
        run.scope.emit(name, to(run));
      };
    }
    if (verb == "advance") {
      const auto ms = of.as_int64();
      if (!ms) eval_refuse(verb, "advance takes milliseconds");
      return [ms](Running& run) { run.clock.advance_ms(*ms); };
    }
    if (verb == "if") {
      return [when = conditions(of), then = operations(in, "do")](Running& run) {
        if (!hold(when, run)) return;
        for (const Op& one : then) one(run);
      };
    }
    eval_refuse("do", fmt::format("there is no operation \"{}\"", verb));
  }

  Op write_operation(const Value& in, const std::string& verb) {
    const Path path = path_of(in.members()[0].value, verb);
    const Expression to = expression(eval_required(in, "to"));
    if (verb == "set") return [path, to](Running& run) { run.scope.set(path, to(run)); };
    if (verb == "append") return [path, to](Running& run) { run.scope.append(path, to(run)); };
    return [path, to](Running& run) { run.scope.merge(path, to(run)); };
  }

  flow::Stage stage_of(Ops ops) {
    return [ops = std::move(ops), &clock = clock_](flow::Scope& scope) {
      Running run{scope, clock, nullptr};
      for (const Op& one : ops) one(run);
    };
  }

  // Steps.

  void add_steps(flow::ChartBuilder& builder, const Value& in) {
    for (const Value& step : eval_required(in, "steps", Kind::array).elements()) {
      if (!step.is_object()) eval_refuse("steps", "a step is an object");
      add_step(builder, step);
    }
    if (const Value* loop = eval_optional(in, "loopTo", Kind::string)) {
      builder.loop_to(std::string(*loop->as_string()));
    }
  }

  void add_step(flow::ChartBuilder& builder, const Value& in) {
    const std::string id = eval_required_text(in, "id");
    if (in.contains("ask")) {
      add_ask(builder, id, in);
    } else if (in.contains("decide")) {
      const Value& choice = eval_required(in, "decide", Kind::object);
      if (choice.contains("rules")) {
        builder.decide(id, rules(choice));
      } else {
        builder.decide(id, chooser(choice));
      }
    } else if (in.contains("select")) {
      const Value& choice = eval_required(in, "select", Kind::object);
      if (choice.contains("rules")) {
        builder.select(id, rules(choice), fork_options(in));
      } else {
        builder.select(id, selector(choice), fork_options(in));
      }
    } else if (in.contains("fork")) {
      builder.fork(id, fork_options(eval_required(in, "fork", Kind::object)));
    } else if (in.contains("forEach")) {
      builder.for_each(id, for_each(eval_required(in, "forEach", Kind::object)),
                       chart(eval_required(in, "chart")));
    } else if (in.contains("chart")) {
      builder.mount(id, chart(in.at("chart")), mount_options(in));
    } else {
      (void)eval_required(in, "do", Kind::array);
      builder.stage(id, stage_of(operations(in, "do")));
    }
    add_branches(builder, in);
    if (const Value* text = eval_optional(in, "describe", Kind::string)) {
      builder.describe(std::string(*text->as_string()));
    }
    if (const Value* policy = eval_optional(in, "retry", Kind::object)) {
      builder.retry(retry(*policy));
    }
  }

  void add_branches(flow::ChartBuilder& builder, const Value& in) {
    const Value* branches = eval_optional(in, "branches", Kind::array);
    if (branches == nullptr) return;
    for (const Value& branch : branches->elements()) {
      if (!branch.is_object()) eval_refuse("branches", "a branch is an object");
      const std::string id = eval_required_text(branch, "id");
      if (branch.contains("steps")) {
        flow::ChartBuilder steps;
        add_steps(steps, branch);
        builder.branch(id, std::move(steps));
      } else if (branch.contains("chart")) {
        builder.branch(id, chart(branch.at("chart")), mount_options(branch));
      } else {
        builder.branch(id, stage_of(operations(branch, "do")));
      }
    }
    for (const std::string_view kind : {"decide", "select"}) {
      const Value* choice = eval_optional(in, kind, Kind::object);
      if (choice == nullptr || choice->contains("rules")) continue;
      if (const Value* otherwise = eval_optional(*choice, "otherwise", Kind::string)) {
        builder.otherwise(std::string(*otherwise->as_string()));
      }
    }
  }

  void add_ask(flow::ChartBuilder& builder, const std::string& id, const Value& in) {
    const Value* when = eval_optional(in, "askWhen", Kind::array);
    const auto asks_when = when == nullptr ? std::vector<flow::Condition>() : conditions(*when);
    builder.pausable(
        id,
        [ops = operations(in, "do"), asks_when, ask = expression(in.at("ask")),
         &clock = clock_](flow::Scope& scope) -> std::optional<Value> {
          Running run{scope, clock, nullptr};
          for (const Op& one : ops) one(run);
          if (!hold(asks_when, run)) return std::nullopt;
          return ask(run);
        },
        [ops = operations(in, "answered"), &clock = clock_](flow::Scope& scope,
                                                            const Value& answer) {
          Running run{scope, clock, &answer};
          for (const Op& one : ops) one(run);
        });
  }

  flow::Rules rules(const Value& choice) {
    flow::Rules out;
    for (const Value& rule : eval_required(choice, "rules", Kind::array).elements()) {
      const std::string then = eval_required_text(rule, "then");
      const Value* label = eval_optional(rule, "label", Kind::string);
      const std::string name(label == nullptr ? "" : *label->as_string());
      if (const Value* test = rule.find("test")) {
        out.when(
            [test = expression(*test), &clock = clock_](flow::Scope& scope) {
              Running run{scope, clock, nullptr};
              return test(run).as_bool().value_or(false);
            },
            then, name);
      } else {
        out.when(conditions(eval_required(rule, "when", Kind::array)), then, name);
      }
    }
    if (const Value* otherwise = eval_optional(choice, "otherwise", Kind::string)) {
      const Value* label = eval_optional(choice, "otherwiseLabel", Kind::string);
      out.otherwise(std::string(*otherwise->as_string()),
                    std::string(label == nullptr ? "" : *label->as_string()));
    }
    return out;
  }

  flow::SelectFn selector(const Value& choice) {
    return [ops = operations(choice, "do"), choose = expression(eval_required(choice, "choose")),
            &clock = clock_](flow::Scope& scope) {
      Running run{scope, clock, nullptr};
      for (const Op& one : ops) one(run);
      const Value chosen = choose(run);
      std::vector<std::string> out;
      if (const auto one = chosen.as_string()) out.emplace_back(*one);
      for (const Value& one : chosen.elements()) out.emplace_back(one.as_string().value_or(""));
      return out;
    };
  }

  flow::DecideFn chooser(const Value& choice) {
    return [select = selector(choice)](flow::Scope& scope) {
      const auto chosen = select(scope);
      return chosen.empty() ? std::string() : chosen.front();
    };
  }

  static flow::OnBranchError on_error(const Value& in) {
    const Value* name = eval_optional(in, "onError", Kind::string);
    if (name == nullptr || *name->as_string() == "wait-all") return flow::OnBranchError::wait_all;
    if (*name->as_string() == "fail-fast") return flow::OnBranchError::fail_fast;
    if (*name->as_string() == "tolerate") return flow::OnBranchError::tolerate;
    eval_refuse("onError", "onError is one of wait-all, fail-fast, tolerate");
  }

  static flow::ForkOptions fork_options(const Value& in) {
    flow::ForkOptions out;
    out.on_error = on_error(in);
    const Value* join = eval_optional(in, "join", Kind::string);
    if (join == nullptr || *join->as_string() == "isolated") return out;
    if (*join->as_string() != "merge-disjoint") {
      eval_refuse("join", "join is one of isolated, merge-disjoint");
    }
    out.join = flow::Join::merge_disjoint;
    return out;
  }

  static flow::ForEach for_each(const Value& in) {
    flow::ForEach out{path_of(eval_required(in, "items"), "items"),
                      path_of(eval_required(in, "into"), "into"), std::nullopt, on_error(in)};
    if (const Value* result = in.find("result")) out.result = path_of(*result, "result");
    return out;
  }

  flow::MountOptions mount_options(const Value& in) {
    flow::MountOptions out;
    if (in.contains("input")) out.input = stage_of(operations(in, "input"));
    if (in.contains("output")) out.output = stage_of(operations(in, "output"));
    const Value* propagate = eval_optional(in, "propagateBreak", Kind::boolean);
    out.propagate_break = propagate != nullptr && *propagate->as_bool();
    return out;
  }

  static flow::RetryPolicy retry(const Value& in) {
    flow::RetryPolicy out;
    out.attempts = static_cast<int>(std::clamp<std::int64_t>(
        eval_required(in, "attempts", Kind::number).as_int64().value_or(0), 0, 1'000'000));
    if (const Value* delays = eval_optional(in, "backoffMs", Kind::array)) {
      out.backoff_ms = [list = *delays](int attempt) -> std::int64_t {
        const auto at = static_cast<std::size_t>(attempt) - 2;
        return at < list.size() ? list.elements()[at].as_int64().value_or(0) : 0;
      };
    }
    if (const Value* only = eval_optional(in, "retryOn", Kind::string)) {
      out.retry_on = [text = std::string(*only->as_string())](const std::exception& error) {
        return std::string_view(error.what()).find(text) != std::string_view::npos;
      };
    }
    return out;
  }

  ManualClock& clock_;
};

}  // namespace

flow::Chart flow_chart_from_json(const json::Value& chart, ManualClock& clock) {
  return Reader(clock).chart(chart);
}

}  // namespace agentfootprint
