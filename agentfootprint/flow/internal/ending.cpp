// Answers to pauses, and what a run ended with.
#include <fmt/format.h>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/flow/internal/machine.hpp"

namespace agentfootprint::flow::internal {

void Machine::answer(std::vector<PauseAnswer> answers) {
  for (PauseAnswer& one : answers) {
    std::vector<Line*> open{&top_};
    Line* found = nullptr;
    while (!open.empty() && found == nullptr) {
      Line* line = open.back();
      open.pop_back();
      if (line->pause && line->pause->id == one.id) found = line;
      if (line->fork) {
        for (const auto& child : line->fork->children) open.push_back(child.get());
      }
    }
    if (found == nullptr) {
      throw Error("flow-resume",
                  fmt::format("no pause '{}' is pending: answer one of the ids listed "
                              "in RunResult::pauses",
                              one.id));
    }
    found->asked = std::move(found->pause->data);
    found->answers.push_back(std::move(one.answer));
    found->pause.reset();
    found->step_open = false;
    for (Line* line = found; line != nullptr; line = line->parent) {
      line->status = LineStatus::running;
      if (line->fork) line->fork->next = 0;
    }
    if (observed(EventKind::resumed)) {
      Event event;
      event.kind = EventKind::resumed;
      event.value = &found->answers.back();
      notify(event, found);
    }
  }
}

RunResult Machine::result(const std::shared_ptr<Machine>& self) {
  RunResult out(Log(log_), nullptr);
  switch (top_.status) {
    case LineStatus::running:
    case LineStatus::finished:
      out.outcome = Outcome::completed;
      break;
    case LineStatus::paused:
      out.outcome = Outcome::paused;
      break;
    case LineStatus::failed:
      out.outcome = Outcome::failed;
      break;
    case LineStatus::cancelled:
      out.outcome = Outcome::cancelled;
      break;
    case LineStatus::exhausted:
      out.outcome = Outcome::exhausted;
      break;
  }
  out.broke = top_.broke;
  if (out.outcome != Outcome::completed || out.broke) out.reason = top_.reason;
  if (out.outcome != Outcome::completed) {
    out.code = top_.code;
    out.step = top_.ended_at;
    out.error = top_.error;
  }
  if (out.outcome == Outcome::paused) {
    out.machine_ = self;
    std::vector<const Line*> open{&top_};
    while (!open.empty()) {
      const Line* line = open.back();
      open.pop_back();
      if (line->pause) out.pauses.push_back(*line->pause);
      if (!line->fork) continue;
      for (std::size_t i = line->fork->children.size(); i-- > 0;) {
        open.push_back(line->fork->children[i].get());
      }
    }
    if (!out.pauses.empty()) out.step = out.pauses.front().id;
    out.reason.clear();
  }
  if (observed(EventKind::run_ended)) {
    Event event;
    event.kind = EventKind::run_ended;
    event.text = name_of(out.outcome);
    notify(event, nullptr);
  }
  out.observer_errors = observer_errors_;
  return out;
}

}  // namespace agentfootprint::flow::internal
