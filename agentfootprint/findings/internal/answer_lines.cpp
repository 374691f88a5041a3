// The line layer of the answer scanner.
#include "agentfootprint/findings/internal/answer_lines.hpp"

#include <string_view>
#include <utility>

namespace agentfootprint::findings::internal {
namespace {

constexpr std::size_t kHeldBlankBytes = 4'096;
constexpr std::size_t kInfoBytes = 256;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

}  // namespace

// Appends and clears. Spelled out: GCC 12 warns falsely about a moved-out temporary at -O2.
void AnswerLines::let_out(std::string& held) {
  out_ += held;
  held.clear();
}

void AnswerLines::text(std::string_view more) {
  for (const char c : more) text(c);
}

void AnswerLines::text(char c) {
  note_solo(c);
  if (!quiet_line_) {
    Quiet& now = quiet();
    if (!is_blank(c)) {
      out_ += now.terminator;
      now.terminator.clear();
      out_ += c;
      return;
    }
    now.terminator += c;
    if (c == '\n') quiet_line_ = true;
    if (now.terminator.size() > kHeldBlankBytes) {
      let_out(now.terminator);
    }
    return;
  }
  if (phase_ != Phase::none || c == '`' || c == '~') {
    if (fence_char(c)) return;
  }
  if (c == '\n') {
    end_line();
  } else if (is_blank(c)) {
    quiet().line += c;
    let_blanks_go();
  } else {
    content(c);
  }
}

void AnswerLines::run(std::string_view more) {
  std::size_t last = more.size();
  while (last > 0 && is_blank(more[last - 1])) --last;
  std::string& blanks = quiet().terminator;
  if (last > 0) {
    let_out(blanks);
    out_ += more.substr(0, last);
  }
  blanks += more.substr(last);
  if (blanks.size() > kHeldBlankBytes) let_out(blanks);
}

void AnswerLines::content(char c) {
  let_go();
  out_ += c;
}

// Everything held becomes visible: what comes next is a character that stays.
void AnswerLines::let_go() {
  phase_ = Phase::none;
  if (fence_ == Fence::pending) {
    out_ += gap(levels_[0]);
    let_out(opener_);
    out_ += gap(levels_[1]);
    out_ += levels_[1].line;
    fence_ = Fence::shown;
  } else {
    out_ += gap(levels_[0]);
    out_ += levels_[0].line;
  }
  levels_[0] = Quiet();
  levels_[1] = Quiet();
  levels_[0].content_before = true;
  quiet_line_ = false;
}

std::string AnswerLines::gap(const Quiet& quiet) {
  if (quiet.removed == 0) return quiet.terminator + quiet.blanks;
  // At the start of the answer or of a fence nothing is joined: what stood before stays.
  if (!quiet.content_before) return quiet.blanks;
  std::string kept = quiet.terminator;
  if (quiet.blank_let_go) return kept;
  if (!quiet.blanks.empty()) {
    kept += quiet.blanks.substr(0, quiet.blanks.find('\n') + 1);
  } else {
    kept += quiet.after;
  }
  return kept;
}

void AnswerLines::end_line() {
  Quiet& now = quiet();
  if (now.on_line) {
    ++now.removed;
    now.on_line = false;
    now.ended = true;
  } else if (now.removed == 0) {
    now.blanks += now.line;
    now.blanks += '\n';
  } else if (now.after.empty()) {
    now.after = now.line + '\n';
  }
  now.line.clear();
  let_blanks_go();
}

void AnswerLines::let_blanks_go() {
  Quiet& now = quiet();
  if (now.blanks.size() + now.line.size() <= kHeldBlankBytes) return;
  if (fence_ == Fence::pending || now.on_line || now.removed > 0) {
    // Nothing undecided is lost by showing it: the line is treated as shared.
    let_go();
    return;
  }
  out_ += now.terminator;
  out_ += now.blanks;
  now.terminator.clear();
  now.blanks.clear();
  now.blank_let_go = true;
  if (now.line.empty()) return;
  out_ += now.line;
  now.line.clear();
  quiet_line_ = false;
}

void AnswerLines::emptied() {
  ++emptied_;
  if (!quiet_line_ || phase_ != Phase::none) {
    if (quiet_line_) let_go();
    Quiet& now = quiet();
    let_out(now.terminator);
    out_ += "{}";
    return;
  }
  Quiet& now = quiet();
  const bool may_be_whole =
      emptied_ == 1 && fence_ == Fence::none && !fenced_ && !levels_[0].content_before;
  if (may_be_whole) solo_ = now.blanks + now.line + "{}";
  now.line += "{}";
  now.on_line = true;
}

void AnswerLines::note_solo(char c) {
  if (solo_.empty() || solo_.size() > kHeldBlankBytes) return;
  if (is_blank(c)) solo_ += c;
}

// Reads a fence on a quiet line. False: the character is not part of one.
bool AnswerLines::fence_char(char c) {
  Quiet& now = quiet();
  if (phase_ == Phase::none) {
    if (now.on_line) return false;
    phase_ = Phase::run;
    run_char_ = c;
    run_ = 1;
    now.line += c;
    return true;
  }
  if (phase_ == Phase::run) {
    if (c == run_char_) {
      ++run_;
      now.line += c;
      if (now.line.size() > kHeldBlankBytes) let_go();
      return true;
    }
    const bool opens = fence_ == Fence::none && run_ >= 3;
    phase_ = closes() ? Phase::closing : opens ? Phase::info : Phase::none;
  }
  if (phase_ == Phase::closing) {
    if (c == '\n') {
      close_fence(true);
      return true;
    }
    if (is_blank(c)) {
      now.line += c;
      return true;
    }
  }
  if (phase_ == Phase::info) {
    if (c == '\n') {
      open_fence();
      return true;
    }
    const bool code_span = c == '`' && run_char_ == '`';
    if (!code_span && now.line.size() < kInfoBytes) {
      now.line += c;
      return true;
    }
  }
  // A line that only looked like a fence.
  let_go();
  text(c);
  return true;
}

void AnswerLines::open_fence() {
  phase_ = Phase::none;
  open_char_ = run_char_;
  open_run_ = run_;
  opener_ = levels_[0].line + '\n';
  levels_[0].line.clear();
  levels_[1] = Quiet();
  fence_ = Fence::pending;
}

void AnswerLines::close_fence(bool by_line_feed) {
  phase_ = Phase::none;
  if (fence_ == Fence::pending && levels_[1].removed > 0) {
    fence_ = Fence::none;
    fenced_ = true;
    opener_.clear();
    levels_[1] = Quiet();
    ++levels_[0].removed;
    levels_[0].ended = by_line_feed;
    return;
  }
  let_go();
  fence_ = Fence::none;
  if (!by_line_feed) return;
  levels_[0].terminator.assign(1, '\n');  // GCC 12 warns falsely of the assignment
  quiet_line_ = true;
}

void AnswerLines::finish() {
  if (!quiet_line_) {
    let_out(levels_[0].terminator);
    return;
  }
  if (phase_ == Phase::closing || (phase_ == Phase::run && closes())) {
    close_fence(false);
    if (!quiet_line_) return;
  }
  if (phase_ != Phase::none) {
    let_go();
    return;
  }
  if (fence_ == Fence::pending) {
    Quiet& inner = levels_[1];
    if (inner.removed == 0 && !inner.on_line) {
      let_go();
      return;
    }
    fence_ = Fence::none;
    fenced_ = true;
    ++levels_[0].removed;
    levels_[0].ended = false;
  }
  Quiet& last = levels_[0];
  if (last.on_line) {
    ++last.removed;
    last.ended = false;
  }
  if (last.removed == 0) {
    out_ += last.terminator + last.blanks + last.line;
  } else if (!last.content_before) {
    if (emptied_ == 1 && !fenced_) out_ += solo_;
  } else if (last.ended) {
    out_ += last.terminator;
  }
}

}  // namespace agentfootprint::findings::internal
