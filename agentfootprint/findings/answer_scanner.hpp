// The answer scanner: takes `_findings` out of an answer while it streams.
//
// What: every JSON object of the text that stands in no other object (the whole answer, an object
// in prose, in a code fence, an element of a list) loses its own member `_findings` and the
// separator that joined it; nothing else moves. Any chunking gives the same bytes; a text without
// such a member comes back as it is. An object that is left empty goes with its line, or stays `{}`
// where it shares a line or stands in a list.
//
// When to use: on the tokens of a stream and on a whole answer alike; the stream a person sees and
// the answer a caller gets are then the same bytes.
//
// Not guaranteed: that what was said in `_findings` makes sense; it is read as any declaration
// (declaration.hpp). A `_findings` inside another object's value is data and stays.
//
// Reading: of each object the last such member counts; objects are merged in the order of the text:
// later scalar fields win, `previous` lists are joined. A value cut off by the end of the text
// stays hidden, counts one malformed part, and `complete` is false.
//
// Text that stops being JSON is given back exactly, except members that were complete. An object
// that holds only complete notes when the JSON breaks ends there.
//
// Limits: text is held back for at most a line, a run of blanks or an opening fence, except for a
// `_findings` value that is valid JSON so far (16 MiB). Nesting beyond 10,000 is not JSON here.
//
// Example:
//   findings::AnswerScanner scanner;
//   std::string shown = scanner.feed("{\"answer\":\"up\",\"_fin");
//   shown += scanner.feed("dings\":{\"basis\":\"direct\"}}");
//   shown += scanner.end();                    // {"answer":"up"}
//   findings::AnswerNotes notes = scanner.notes();
//   (void)notes.declaration->basis;            // direct
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agentfootprint/findings/declaration.hpp"

namespace agentfootprint::findings {

struct AnswerNotes {
  std::optional<Declaration> declaration;
  std::size_t malformed = 0;
  bool complete = true;  // false: the text ended inside a `_findings` value
};

class AnswerScanner {
 public:
  AnswerScanner();
  ~AnswerScanner();
  AnswerScanner(AnswerScanner&&) noexcept;
  AnswerScanner& operator=(AnswerScanner&&) noexcept;

  // The text that may be shown after this chunk. After `end` always "".
  [[nodiscard]] std::string feed(std::string_view chunk);
  [[nodiscard]] std::string end();
  // What was taken out so far.
  [[nodiscard]] const AnswerNotes& notes() const noexcept;

 private:
  class State;
  std::unique_ptr<State> state_;
};

struct PeeledAnswer {
  std::string text;
  AnswerNotes notes;
};
[[nodiscard]] PeeledAnswer peel_answer(std::string_view text);

}  // namespace agentfootprint::findings
