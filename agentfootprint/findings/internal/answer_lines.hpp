// Lines of an answer from which notes objects were taken out.
//
// What: receives the characters that stay and a mark where an object was emptied, and decides what
// happens to the line: an emptied object alone on its line goes with the line, its indentation and
// the blank lines around it down to one between two paragraphs; a fence that held nothing else goes
// with its fences; an emptied object that shares its line stays `{}`. Text is held only while that
// is undecided: blank runs, a line of nothing but emptied objects, an opening fence.
//
// When to use: inside the answer scanner only.
//
// Not guaranteed: anything about JSON; that is the scanner's part.
//
// Limits: held blank text is let go beyond 4,096 bytes, an info string beyond 256.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace agentfootprint::findings::internal {

class AnswerLines {
 public:
  // A character that stays.
  void text(char c);
  void text(std::string_view more);
  // Is the current line being shown already? Then `run` takes characters of it, none of them a line
  // feed.
  [[nodiscard]] bool shows() const noexcept { return !quiet_line_; }
  void run(std::string_view more);
  // An object that held only notes ended here.
  void emptied();
  void finish();

  // What may be shown so far; leaves nothing behind.
  [[nodiscard]] std::string take() { return std::exchange(out_, {}); }

 private:
  // White space and finished notes lines since the last character that was let go.
  struct Quiet {
    std::string terminator;   // blanks behind that character, up to its line feed
    std::string blanks;       // whole blank lines before the first notes line
    std::string after;        // the first blank line behind a notes line
    std::string line;         // the current line: indentation, `{}`, blanks; or a fence being read
    std::size_t removed = 0;  // notes lines and fences that went
    bool on_line = false;     // the current line has emptied objects
    bool ended = false;       // the last notes line ended with a line feed
    bool content_before = false;
    bool blank_let_go = false;  // blank lines were let go for their size
  };
  enum class Fence : std::uint8_t { none, pending, shown };
  enum class Phase : std::uint8_t { none, run, info, closing };

  Quiet& quiet() { return levels_[fence_ == Fence::pending ? 1 : 0]; }
  void content(char c);
  void let_out(std::string& held);
  void let_go();
  void end_line();
  void let_blanks_go();
  static std::string gap(const Quiet& quiet);
  bool fence_char(char c);
  bool closes() const {
    return fence_ != Fence::none && run_char_ == open_char_ && run_ >= open_run_;
  }
  void open_fence();
  void close_fence(bool by_line_feed);
  void note_solo(char c);

  std::string out_;
  Quiet levels_[2];
  std::string opener_;  // of the pending fence, with its line feed
  Fence fence_ = Fence::none;
  Phase phase_ = Phase::none;
  char run_char_ = 0;
  std::size_t run_ = 0;
  char open_char_ = 0;
  std::size_t open_run_ = 0;
  bool quiet_line_ = true;  // the current line has no character that was let go
  // The whole answer may be one bare object: how it would be shown then.
  std::string solo_;
  std::size_t emptied_ = 0;
  bool fenced_ = false;
};

}  // namespace agentfootprint::findings::internal
