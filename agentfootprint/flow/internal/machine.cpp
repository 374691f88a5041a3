// The driver loop and the kinds of steps.
#include "agentfootprint/flow/internal/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "agentfootprint/base/error.hpp"

namespace agentfootprint::flow::internal {

Machine::Machine(std::shared_ptr<const ChartData> chart, RunOptions options)
    : chart_(std::move(chart)), options_(std::move(options)), log_(std::make_shared<LogData>()) {
  log_->chart = chart_;
  log_->instances.push_back(Instance{kNone, 0, 0, chart_.get(), ""});
  for (const auto& [observer, mask] : options_.observers) mask_ |= mask;
  for (const Path& path : options_.redacted) log_->paths.mark_redacted(log_->paths.resolve(path));
  const std::uint32_t epoch = ++log_->epoch;
  for (auto& [path, value] : options_.state) {
    Write write;
    write.path = log_->paths.resolve(path);
    write.value = std::move(value);
    const PathId id = write.path;
    log_->base = log_->base.set(log_->arena, epoch, id, log_->add(std::move(write)));
  }
  options_.state.clear();
  log_->base_writes = static_cast<std::uint32_t>(log_->writes.size());
  top_.token = options_.cancel;
  top_.place.chart = chart_.get();
  top_.place.root = log_->base;
  top_.place.loop_counts.assign(chart_->loops, 0);
  top_.frame.machine = this;
  top_.frame.line = &top_;
  arrive(top_.place, chart_->entry.node);
}

void Machine::start() {
  if (observed(EventKind::run_started)) notify(Event{}, nullptr);
}

Need Machine::drive(Line& top, Line*& at) {
  at = &top;
  for (;;) {
    Line* child = nullptr;
    const Need need = advance(*at, child);
    if (child != nullptr) {
      at = child;
    } else if (need != Need::done) {
      return need;
    } else if (at == &top) {
      return Need::done;
    } else {
      at = at->parent;
    }
  }
}

void Machine::run_sync() {
  Line* at = nullptr;
  while (drive(top_, at) != Need::done) {
    const std::int64_t ms = std::exchange(at->wait_ms, 0);
    if (options_.sleep) {
      options_.sleep(ms);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    }
  }
}

Need Machine::advance(Line& line, Line*& child) {
  for (;;) {
    if (line.fork) {
      const Need need = advance_fork(line, child);
      if (need != Need::done || child != nullptr || line.fork) return need;
      continue;
    }
    if (line.status != LineStatus::running) return Need::done;
    if (line.place.node == kNone) {
      if (line.mounts.empty()) {
        line.status = LineStatus::finished;
        return Need::done;
      }
      leave_mount(line);
      continue;
    }
    const Node& node = line.place.chart->nodes[line.place.node];
    if (!line.step_open && !open_step(line, node)) return Need::done;
    switch (node.kind) {
      case NodeKind::stage:
        if (node.coroutine) return Need::stage;
        run_stage(line, node);
        if (line.wait_ms > 0) return Need::wait;
        break;
      case NodeKind::pausable:
        run_pausable(line, node);
        break;
      case NodeKind::decide:
        run_decide(line, node);
        break;
      case NodeKind::fork:
        run_fork(line, node);
        break;
      case NodeKind::mount:
        enter_mount(line, node);
        break;
    }
  }
}

bool Machine::open_step(Line& line, const Node& node) {
  if (line.token.armed() && line.token.cancelled()) {
    line.ended_at = line.place.chart->nodes[line.place.node].id;
    fail(line, LineStatus::cancelled,
         line.token.kind() == CancelKind::deadline ? "deadline" : "cancelled", line.token.reason());
    return false;
  }
  if (next_step_ >= options_.budgets.steps) {
    line.ended_at = node.id;
    fail(line, LineStatus::exhausted, "flow-exhausted", "steps");
    return false;
  }
  StepFrame& frame = line.frame;
  frame.clear();
  frame.node = &node;
  frame.step = next_step_++;
  frame.read_root = line.place.root;
  frame.write_root = line.place.root;
  line.step_open = true;
  line.attempt = 1;
  line.answers_used = 0;
  if (observed(EventKind::stage_started)) {
    Event event;
    event.kind = EventKind::stage_started;
    notify(event, &line);
  }
  return true;
}

void Machine::run_stage(Line& line, const Node& node) {
  const bool done = guarded(line, node, [&] {
    Scope scope(line.frame);
    node.function(scope);
  });
  if (done) finish_stage(line, node);
}

void Machine::run_pausable(Line& line, const Node& node) {
  std::optional<json::Value> question;
  const bool done = guarded(line, node, [&] {
    Scope scope(line.frame);
    if (line.answers.empty()) {
      question = node.pause(scope);
    } else {
      const json::Value answer = line.answers.back();
      node.resume(scope, answer);
    }
  });
  if (!done) return;
  if (question) {
    pause(line, node, std::move(*question));
  } else {
    finish_stage(line, node);
  }
}

void Machine::stage_ended(Line& line, std::exception_ptr error) {
  const Node& node = line.place.chart->nodes[line.place.node];
  const bool done = guarded(line, node, [&] {
    if (error) std::rethrow_exception(error);
  });
  if (done) finish_stage(line, node);
}

void Machine::finish_stage(Line& line, const Node& node) {
  line.answers.clear();
  commit_here(line, RowKind::stage, RowStatus::done);
  if (line.frame.broke) {
    end_broken(line, line.frame.break_reason);
  } else {
    go(line, node.next);
  }
}

void Machine::pause(Line& line, const Node&, json::Value data) {
  line.pause = PendingPause{step_id(line), std::move(data)};
  commit_here(line, RowKind::stage, RowStatus::paused);
  line.status = LineStatus::paused;
  if (observed(EventKind::paused)) {
    Event event;
    event.kind = EventKind::paused;
    event.value = &line.pause->data;
    notify(event, &line);
  }
}

namespace {

std::string message_of(const std::exception_ptr& error, std::string& code) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    code = known.code();
    return known.what();
  } catch (const std::exception& other) {
    return other.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

bool worth_retrying(const RetryPolicy& policy, const std::exception_ptr& error) {
  if (!policy.retry_on) return true;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return policy.retry_on(known);
  } catch (...) {
    return false;
  }
}

}  // namespace

// True: the step runs again.
bool Machine::handle_failure(Line& line, const Node& node, std::exception_ptr error) {
  std::string code;
  std::string message = message_of(error, code);
  const bool cancelled = line.token.armed() && line.token.cancelled();
  if (!cancelled && node.retry && line.attempt < node.retry->attempts &&
      worth_retrying(*node.retry, error)) {
    ++line.attempt;
    line.frame.staged.clear();
    line.frame.reads.clear();
    line.frame.broke = false;
    line.answers_used = 0;
    line.wait_ms = node.retry->backoff_ms ? node.retry->backoff_ms(line.attempt) : 0;
    if (observed(EventKind::retried)) {
      Event event;
      event.kind = EventKind::retried;
      event.number = static_cast<std::uint64_t>(line.attempt);
      event.text = message;
      notify(event, &line);
    }
    return true;
  }
  line.ended_at = step_id(line);
  line.error = std::move(error);
  if (line.frame.mapping) line.frame.staged.clear();  // they were meant for another state
  static constexpr RowKind kKinds[] = {RowKind::stage, RowKind::stage, RowKind::decide,
                                       RowKind::fork, RowKind::mount_in};
  const std::uint32_t row = commit_here(line, kKinds[static_cast<std::size_t>(node.kind)],
                                        cancelled ? RowStatus::cancelled : RowStatus::failed);
  log_->notes[row] = message;
  if (cancelled) {
    fail(line, LineStatus::cancelled,
         line.token.kind() == CancelKind::deadline ? "deadline" : "cancelled", line.token.reason());
  } else {
    fail(line, LineStatus::failed, std::move(code), std::move(message));
  }
  return false;
}

void Machine::fail(Line& line, LineStatus status, std::string code, std::string reason) {
  line.status = status;
  line.code = std::move(code);
  line.reason = std::move(reason);
  line.step_open = false;
  if (observed(EventKind::failed)) {
    Event event;
    event.kind = EventKind::failed;
    event.text = line.reason;
    notify(event, &line);
  }
}

void Machine::end_broken(Line& line, const std::string& reason) {
  if (observed(EventKind::broke)) {
    Event event;
    event.kind = EventKind::broke;
    event.text = reason;
    notify(event, &line);
  }
  line.place.node = kNone;
  line.step_open = false;
  line.reason = reason;
  if (line.mounts.empty()) {
    line.broke = true;
    line.status = LineStatus::finished;
  } else {
    line.place.broke = true;
  }
}

void Machine::enter_mount(Line& line, const Node& node) {
  if (line.depth + line.mounts.size() + 1 > options_.budgets.depth) {
    line.ended_at = step_id(line);
    fail(line, LineStatus::exhausted, "flow-exhausted", "depth");
    return;
  }
  line.frame.mapping = true;
  line.frame.write_root = Root{};
  const bool done = guarded(line, node, [&] {
    Scope scope(line.frame);
    if (node.each_body) map_item(line);
    if (node.mount.input) node.mount.input(scope);
  });
  if (!done) return;
  Place inner;
  inner.chart = node.mounted.get();
  inner.instance = static_cast<std::uint32_t>(log_->instances.size());
  inner.loop_counts.assign(inner.chart->loops, 0);
  inner.governor_floor = governor_of(line.place);
  Instance instance;
  instance.parent = line.place.instance;
  instance.node = line.place.node;
  instance.step = line.frame.step;
  instance.chart = inner.chart;
  instance.path = log_->instances[line.place.instance].path + node.id;
  if (node.each_body) instance.path += std::to_string(line.item);
  instance.path += '/';
  log_->instances.push_back(std::move(instance));
  commit(line, RowKind::mount_in, RowStatus::done, inner.root, inner.instance, line.place.instance,
         line.place.node);
  if (line.frame.broke) {
    end_broken(line, line.frame.break_reason);
    return;
  }
  if (observed(EventKind::mounted)) {
    Event event;
    event.kind = EventKind::mounted;
    notify(event, &line);
  }
  line.step_open = false;
  line.mounts.push_back(std::move(line.place));
  line.place = std::move(inner);
  arrive(line.place, line.place.chart->entry.node);
}

void Machine::leave_mount(Line& line) {
  Place& outer = line.mounts.back();
  const Node& node = outer.chart->nodes[outer.node];
  if (node.mount.output || node.each_body) {
    // A step of its own: it reads the inner state and writes the outer one.
    const Root inner_root = line.place.root;
    const bool broke = line.place.broke;
    Place inner = std::move(line.place);
    line.place = std::move(outer);
    line.mounts.pop_back();
    line.step_open = false;
    if (!open_step(line, node)) return;
    line.frame.read_root = inner_root;
    line.frame.mapping = true;
    const bool done = guarded(line, node, [&] {
      Scope scope(line.frame);
      if (node.each_body) map_result(line);
      if (node.mount.output) node.mount.output(scope);
    });
    if (!done) return;
    commit(line, RowKind::mount_out, RowStatus::done, line.place.root, line.place.instance,
           line.place.instance, line.place.node);
    line.place.broke = broke && node.mount.propagate_break;
  } else {
    const bool broke = line.place.broke;
    line.place = std::move(outer);
    line.mounts.pop_back();
    line.place.broke = broke && node.mount.propagate_break;
  }
  if (observed(EventKind::unmounted)) {
    Event event;
    event.kind = EventKind::unmounted;
    notify(event, &line);
  }
  if (line.place.broke) {
    line.place.broke = false;
    const std::string reason = line.reason;
    end_broken(line, reason);
  } else {
    go(line, node.next);
  }
}

std::string Machine::step_id(const Line& line) const {
  return log_->step_name(line.place.instance, *line.frame.node, line.item, line.frame.step);
}

void Machine::notify(Event event, const Line* line) {
  if (line != nullptr && line->frame.node != nullptr) {
    event.step = line->frame.step;
    event.stage = line->frame.node->id;
    if (line->frame.node->each_body) event.item = line->item;
    event.path = log_->instances[line->place.instance].path;
  }
  for (const auto& [observer, mask] : options_.observers) {
    if ((mask & mask_of(event.kind)) == 0) continue;
    try {
      observer->on_event(event);
    } catch (...) {
      ++observer_errors_;
    }
  }
}

}  // namespace agentfootprint::flow::internal
