// The eval function of the flow engine.
#include "agentfootprint/cli/eval_flow.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "agentfootprint/base/cancel.hpp"
#include "agentfootprint/base/error.hpp"
#include "agentfootprint/cli/eval_messages.hpp"
#include "agentfootprint/cli/flow_script.hpp"
#include "agentfootprint/flow/provenance.hpp"
#include "agentfootprint/flow/run.hpp"
#include "agentfootprint/flow/slice.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

using flow::Path;
using json::Kind;
using json::Value;

// Events as lines: kind, step's stage, and the key, name or text that goes with the kind.
class EventLines final : public flow::Observer {
 public:
  void on_event(const flow::Event& event) override {
    std::string line(flow::name_of(event.kind));
    if (!event.stage.empty()) line += fmt::format(" {}", event.step_id());
    if (!event.name.empty()) line += fmt::format(" {}", event.name);
    if (!event.text.empty()) line += fmt::format(" '{}'", event.text);
    lines_.add(line);
  }
  Value take() {
    json::ArrayBuilder out;
    std::swap(out, lines_);
    return out.build();
  }

 private:
  json::ArrayBuilder lines_;
};

// One line of the input and the runs it asks for.
class Script {
 public:
  explicit Script(const Value& in)
      : in_(in), chart_(flow_chart_from_json(eval_required(in, "chart", Kind::object), clock_)) {
    if (const Value* show = eval_optional(in, "show", Kind::array)) {
      for (const Value& one : show->elements()) {
        const auto name = one.as_string();
        if (!name || (*name != "log" && *name != "events" && *name != "initial" &&
                      *name != "checkpoint" && *name != "structure")) {
          eval_refuse("show", "show is a list of log, events, initial, checkpoint, structure");
        }
      }
    }
  }

  Value run() {
    flow::RunResult result = flow::run(chart_, options());
    Value last = answer(result);
    json::ArrayBuilder earlier;
    const Value* resumes = eval_optional(in_, "resume", Kind::array);
    if (resumes == nullptr) return last;
    for (const Value& one : resumes->elements()) {
      earlier.add(std::move(last));
      auto answers = answers_of(one);
      const Value* from = eval_optional(one, "from", Kind::string);
      if (from != nullptr && *from->as_string() == "checkpoint") {
        result = flow::resume(chart_, result.checkpoint(), std::move(answers), options());
      } else if (from == nullptr || *from->as_string() == "result") {
        result = flow::resume(std::move(result), std::move(answers));
      } else {
        eval_refuse("from", "from is result or checkpoint");
      }
      last = answer(result);
    }
    return json::with_member(last, "earlier", earlier.build());
  }

 private:
  [[nodiscard]] bool shows(std::string_view what) const {
    const Value* show = in_.find("show");
    if (show == nullptr) return false;
    for (const Value& one : show->elements()) {
      if (one.as_string() == what) return true;
    }
    return false;
  }

  flow::RunOptions options() {
    flow::RunOptions out;
    if (const Value* state = eval_optional(in_, "state", Kind::object)) {
      for (const json::Member& one : state->members()) {
        out.with_state(Path(one.key()), one.value);
      }
    }
    if (const Value* input = in_.find("input")) out.with_input(*input);
    if (const Value* budgets = eval_optional(in_, "budgets", Kind::object)) {
      out.with_budgets(budgets_of(*budgets));
    }
    for (const std::string& key : eval_texts(in_, "redact")) out.redact(Path::from_pointer(key));
    if (const Value* ms = eval_optional(in_, "deadlineMs", Kind::number)) {
      cancel_.set_deadline(clock_, clock_.steady_ns() + ms->as_int64().value_or(0) * 1'000'000);
      out.with_cancel(cancel_.token());
    }
    out.with_clock(clock_);
    out.with_sleep([this](std::int64_t ms) {
      clock_.advance_ms(ms);
      delays_.push_back(ms);
    });
    if (shows("events")) out.observe(events_);
    return out;
  }

  static flow::Budgets budgets_of(const Value& in) {
    flow::Budgets out;
    const auto take = [&](std::string_view key, std::uint32_t& budget) {
      const Value* value = eval_optional(in, key, Kind::number);
      if (value == nullptr) return;
      const auto number = value->as_uint64();
      if (!number || *number > 0xfffffffe) eval_refuse(key, "a budget is a count");
      budget = static_cast<std::uint32_t>(*number);
    };
    take("depth", out.depth);
    take("width", out.width);
    take("loopTurns", out.loop_turns);
    take("steps", out.steps);
    return out;
  }

  static std::vector<flow::PauseAnswer> answers_of(const Value& in) {
    std::vector<flow::PauseAnswer> out;
    for (const Value& one : eval_required(in, "answers", Kind::array).elements()) {
      out.push_back({eval_required_text(one, "id"), eval_required(one, "answer")});
    }
    return out;
  }

  Value answer(const flow::RunResult& result) {
    const flow::Log& log = result.log();
    json::ObjectBuilder out;
    out.add("outcome", flow::name_of(result.outcome));
    if (result.broke) out.add("broke", true);
    if (!result.reason.empty()) out.add("reason", result.reason);
    if (!result.code.empty()) out.add("code", result.code);
    if (!result.step.empty()) out.add("step", result.step);
    json::ArrayBuilder pauses;
    for (const flow::PendingPause& one : result.pauses) {
      pauses.add(json::object({{"id", one.id}, {"data", one.data}}));
    }
    if (!pauses.empty()) out.add("pauses", pauses.build());
    out.add("rows", rows_of(log)).add("state", log.final_state().to_json());
    if (!delays_.empty()) {
      json::ArrayBuilder delays;
      for (const std::int64_t ms : delays_) delays.add(ms);
      out.add("delaysMs", delays.build());
      delays_.clear();
    }
    if (shows("log")) {
      json::ArrayBuilder rows;
      for (std::size_t i = 0; i < log.size(); ++i) rows.add(log.row_json(i));
      out.add("log", rows.build());
    }
    if (shows("events")) out.add("events", events_.take());
    if (shows("initial")) out.add("initial", log.initial_state().to_json());
    if (shows("structure")) out.add("structure", chart_.structure());
    if (shows("checkpoint") && result.outcome == flow::Outcome::paused) {
      out.add("checkpoint", result.checkpoint());
    }
    add_queries(log, out);
    return out.build();
  }

  // `step | key:verb=value …`, a row that changed nothing as `step | -`.
  static Value rows_of(const flow::Log& log) {
    json::ArrayBuilder out;
    for (std::size_t i = 0; i < log.size(); ++i) {
      const flow::RowView row = log.row(i);
      std::string line = row.id() + " |";
      if (row.write_count() == 0) line += " -";
      for (const flow::WriteRecord& write : row.writes()) {
        line += fmt::format(" {}:{}", write.pointer.substr(1), flow::name_of(write.verb));
        if (write.verb != flow::Verb::erase) line += "=" + json::dump(write.value);
      }
      out.add(line);
    }
    return out.build();
  }

  // A row by its number or its step.
  static std::size_t row_of(const flow::Log& log, const Value& in) {
    if (const auto number = in.as_uint64()) return *number;
    const auto step = in.as_string();
    const auto found = step ? log.find(*step) : std::nullopt;
    if (!found) eval_refuse("row", fmt::format("the log has no step {}", json::dump(in)));
    return *found;
  }

  static Value slice(const flow::Log& log, const Value& in) {
    flow::SliceOptions options;
    const auto limit = [&](std::string_view key, std::uint32_t& value) {
      const Value* given = eval_optional(in, key, Kind::number);
      if (given == nullptr) return;
      value = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(given->as_uint64().value_or(0), 0xffffffff));
    };
    limit("maxDepth", options.max_depth);
    limit("maxNodes", options.max_nodes);
    const auto flag = [&](std::string_view key, bool& value) {
      if (const Value* given = eval_optional(in, key, Kind::boolean)) value = *given->as_bool();
    };
    flag("control", options.control);
    flag("perWrite", options.per_write);
    if (const Value* of = eval_optional(in, "of", Kind::string)) {
      std::optional<std::size_t> before;
      if (const Value* row = in.find("before")) before = row_of(log, *row);
      return flow::slice_of(log, Path::from_pointer(*of->as_string()), before, options).to_json();
    }
    if (const Value* row = in.find("from")) {
      return flow::backward_slice(log, row_of(log, *row), options).to_json();
    }
    return flow::forward_slice(log, row_of(log, eval_required(in, "fedBy")), options).to_json();
  }

  static Value births(const flow::Log& log, const std::string& key) {
    const auto found = flow::element_births(log, Path::from_pointer(key));
    if (found.missing) return json::object({{"missing", *found.missing}});
    json::ArrayBuilder out;
    for (const flow::ElementBirth& one : found.births) {
      json::ObjectBuilder birth;
      birth.add("value", one.value).add("basis", flow::name_of(one.basis));
      if (one.row) birth.add("step", log.row(*one.row).id());
      out.add(birth.build());
    }
    return json::object({{"births", out.build()}});
  }

  static Value timeline(const flow::Log& log, const std::string& key) {
    json::ArrayBuilder out;
    for (const flow::Moment& one : flow::key_timeline(log, Path::from_pointer(key))) {
      json::ObjectBuilder moment;
      moment.add("step", log.row(one.row).id());
      moment.add(one.write ? "wrote" : "read", one.key);
      if (one.write) moment.add("verb", flow::name_of(one.verb));
      if (one.writer) moment.add("saw", log.row(*one.writer).id());
      out.add(moment.build());
    }
    return out.build();
  }

  void add_queries(const flow::Log& log, json::ObjectBuilder& out) const {
    if (const Value* asked = eval_optional(in_, "slices", Kind::array)) {
      json::ArrayBuilder slices;
      for (const Value& one : asked->elements()) slices.add(slice(log, one));
      out.add("slices", slices.build());
    }
    if (in_.contains("births")) {
      json::ArrayBuilder list;
      for (const std::string& key : eval_texts(in_, "births")) list.add(births(log, key));
      out.add("births", list.build());
    }
    if (in_.contains("timelines")) {
      json::ArrayBuilder list;
      for (const std::string& key : eval_texts(in_, "timelines")) list.add(timeline(log, key));
      out.add("timelines", list.build());
    }
    if (const Value* asked = eval_optional(in_, "states", Kind::array)) {
      json::ArrayBuilder states;
      for (const Value& one : asked->elements()) {
        states.add(log.state_at(row_of(log, one)).to_json());
      }
      out.add("states", states.build());
    }
  }

  Value in_;
  ManualClock clock_;
  CancelSource cancel_;
  EventLines events_;
  std::vector<std::int64_t> delays_;
  flow::Chart chart_;
};

Value eval_flow_script(const Value& in) {
  return Script(in).run();
}

}  // namespace

std::vector<EvalFunction> flow_eval_functions() {
  return {{"flow.script", eval_flow_script}};
}

}  // namespace agentfootprint
