// The JSON layer of the answer scanner: a byte automaton over objects and lists in any text.
#include "agentfootprint/findings/answer_scanner.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "agentfootprint/findings/internal/answer_lines.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint::findings {
namespace {

constexpr std::size_t kMaxDepth = 10'000;
constexpr std::size_t kMaxValueBytes = std::size_t{16} << 20;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
// What may stand behind a number or a word: `01` and `truex` are no values.
bool delimits(char c) {
  return is_space(c) || c == ',' || c == '}' || c == ']';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The grammar of numbers, one character at a time.
class NumberState {
 public:
  void start(char c) { at_ = c == '-' ? At::sign : c == '0' ? At::zero : At::whole; }
  // False when the character does not go on with the number.
  bool take(char c) {
    switch (at_) {
      case At::sign:
        return is_digit(c) && go(c == '0' ? At::zero : At::whole);
      case At::zero:
        return after_whole(c);
      case At::whole:
        return is_digit(c) || after_whole(c);
      case At::point:
        return is_digit(c) && go(At::fraction);
      case At::fraction:
        return is_digit(c) || exponent(c);
      case At::mark:
        return c == '+' || c == '-' ? go(At::mark_sign) : is_digit(c) && go(At::power);
      case At::mark_sign:
        return is_digit(c) && go(At::power);
      case At::power:
        return is_digit(c);
    }
    return false;
  }
  [[nodiscard]] bool complete() const {
    return at_ == At::zero || at_ == At::whole || at_ == At::fraction || at_ == At::power;
  }

 private:
  enum class At { sign, zero, whole, point, fraction, mark, mark_sign, power };
  bool go(At at) {
    at_ = at;
    return true;
  }
  bool exponent(char c) { return (c == 'e' || c == 'E') && go(At::mark); }
  bool after_whole(char c) { return c == '.' ? go(At::point) : exponent(c); }
  At at_ = At::sign;
};

// Compares the decoded characters of a key with the reserved one.
class KeyMatch {
 public:
  void start() { *this = KeyMatch(); }
  // False when the key is another one.
  bool take(unsigned unit) {
    if (matched_ >= kReservedKey.size()) return false;
    return unit == static_cast<unsigned char>(kReservedKey[matched_++]);
  }
  [[nodiscard]] bool whole() const { return matched_ == kReservedKey.size(); }

 private:
  std::size_t matched_ = 0;
};

}  // namespace

class AnswerScanner::State {
 public:
  std::string feed(std::string_view chunk) {
    if (ended_) return {};
    while (!chunk.empty()) {
      const std::size_t run = take_run(chunk);
      if (run == 0) step(chunk.front());
      chunk.remove_prefix(run == 0 ? 1 : run);
    }
    return lines_.take();
  }

  std::string end() {
    if (ended_) return {};
    ended_ = true;
    end_of_text();
    lines_.finish();
    return lines_.take();
  }

  AnswerNotes notes;

 private:
  enum class At : std::uint8_t {
    prose,
    first_key,    // after {
    next_key,     // after a comma in an object
    text,         // inside a string
    escape,       // after a backslash
    hex,          // inside \uXXXX
    colon,        // after a key
    value,        // where a value must stand
    first_value,  // after [
    number,
    literal,
    after_value,
  };
  // The member of the own object that is being read.
  enum class Member : std::uint8_t { none, key, notes };

  // The object that stands in no other: what of it is not shown yet.
  struct Own {
    std::string head;   // { and blanks, until something of it is shown
    std::string joint;  // separator since the last value, undecided
    std::string last;   // the value of the last notes member that was taken out
    bool shown = false;
    bool removed = false;  // a notes member was taken out
  };

  [[nodiscard]] bool own_level() const { return objects_ == 1 && stack_.back() == '{'; }
  // Does the own object stand in a list? Only lists can stand around it.
  [[nodiscard]] bool in_list() const { return stack_.front() == '['; }

  // Takes the longest head of the chunk that changes no state: prose in a line that is shown, the
  // inside of a string that is no key. Returns its length.
  std::size_t take_run(std::string_view chunk) {
    std::size_t run = 0;
    if (at_ == At::prose && lines_.shows()) {
      while (run < chunk.size() && chunk[run] != '{' && chunk[run] != '[' && chunk[run] != '\n') {
        ++run;
      }
    } else if (at_ == At::text && !is_key_ && (member_ == Member::notes || lines_.shows())) {
      std::size_t most = chunk.size();
      if (member_ == Member::notes) most = std::min(most, kMaxValueBytes + 1 - held_.size());
      while (run < most && chunk[run] != '"' && chunk[run] != '\\' &&
             static_cast<unsigned char>(chunk[run]) >= 0x20) {
        ++run;
      }
    }
    if (run == 0) return 0;
    if (member_ == Member::notes) {
      held_ += chunk.substr(0, run);
    } else {
      lines_.run(chunk.substr(0, run));
    }
    return run;
  }

  // A character that was accepted where no own-level decision is open.
  void put(char c) {
    if (member_ != Member::none) {
      held_ += c;
    } else {
      lines_.text(c);
    }
  }

  void step(char c) {
    if (held_.size() > kMaxValueBytes) (void)breaks(c);  // too much to hide
    // A character that ends a number, or breaks the JSON, is looked at again.
    while (!try_step(c)) {
    }
  }

  bool try_step(char c) {
    switch (at_) {
      case At::prose:
        return in_prose(c);
      case At::first_key:
      case At::next_key:
        return at_key(c);
      case At::text:
      case At::escape:
      case At::hex:
        return in_string(c);
      case At::colon:
        if (is_space(c)) return accept(c);
        return c == ':' ? accept(c, At::value) : breaks(c);
      case At::first_value:
        if (c == ']') return close(c);
        return at_value(c);
      case At::value:
        return at_value(c);
      case At::number:
        return in_number(c);
      case At::literal:
        return in_literal(c);
      case At::after_value:
        return after_value(c);
    }
    return true;
  }

  bool accept(char c) {
    put(c);
    return true;
  }
  bool accept(char c, At next) {
    at_ = next;
    put(c);
    return true;
  }

  bool in_prose(char c) {
    if (c == '{') return open_object(c);
    if (c == '[') return open_list(c);
    lines_.text(c);
    return true;
  }

  bool open_object(char c) {
    if (stack_.size() >= kMaxDepth) return breaks(c);
    stack_ += '{';
    ++objects_;
    at_ = At::first_key;
    if (objects_ > 1) {
      put(c);
      return true;
    }
    own_ = Own();
    own_.head.push_back(c);  // an assignment makes GCC 12 warn falsely at -O2
    return true;
  }

  bool open_list(char c) {
    if (stack_.size() >= kMaxDepth) return breaks(c);
    stack_ += '[';
    at_ = At::first_value;
    put(c);
    return true;
  }

  bool at_key(char c) {
    const bool own = own_level();
    if (is_space(c)) {
      if (!own) {
        put(c);
      } else if (at_ == At::first_key) {
        own_.head += c;
      } else {
        own_.joint += c;
      }
      return true;
    }
    if (c == '}' && at_ == At::first_key) return close(c);
    if (c != '"') return breaks(c);
    is_key_ = true;
    at_ = At::text;
    if (own) {
      member_ = Member::key;
      match_.start();
    }
    put(c);
    return true;
  }

  // The key that is being read is not the reserved one: everything held of the object is shown.
  void ordinary_key() {
    if (!own_.shown) {
      lines_.text(own_.head);
      own_.shown = true;
    } else {
      lines_.text(own_.joint);
    }
    own_.joint.clear();
    lines_.text(std::exchange(held_, {}));
    member_ = Member::none;
  }

  bool in_string(char c) {
    if (static_cast<unsigned char>(c) < 0x20) return breaks(c);
    if (at_ == At::text && c == '"') return end_string(c);
    if (at_ == At::text) {
      if (c == '\\') return accept(c, At::escape);
      put(c);
      key_unit(static_cast<unsigned char>(c));
      return true;
    }
    if (at_ == At::escape) return in_escape(c);
    const int digit = hex_value(c);
    if (digit < 0) return breaks(c);
    put(c);
    unit_ = unit_ * 16 + static_cast<unsigned>(digit);
    if (--hex_left_ > 0) return true;
    at_ = At::text;
    key_unit(unit_);
    return true;
  }

  bool in_escape(char c) {
    if (c == 'u') {
      hex_left_ = 4;
      unit_ = 0;
      return accept(c, At::hex);
    }
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    if (kLetters.find(c) == std::string_view::npos) return breaks(c);
    accept(c, At::text);
    // None of the simple escapes spells a character of the reserved key.
    key_unit(0);
    return true;
  }

  void key_unit(unsigned unit) {
    if (member_ == Member::key && !match_.take(unit)) ordinary_key();
  }

  bool end_string(char c) {
    put(c);
    if (!is_key_) {
      end_value();
      return true;
    }
    is_key_ = false;
    at_ = At::colon;
    if (member_ != Member::key) return true;
    if (match_.whole()) {
      member_ = Member::notes;
      value_at_ = 0;
    } else {
      ordinary_key();
    }
    return true;
  }

  bool at_value(char c) {
    if (is_space(c)) return accept(c);
    if (member_ == Member::notes && value_at_ == 0) value_at_ = held_.size();
    if (c == '"') return accept(c, At::text);
    if (c == '{') return open_object(c);
    if (c == '[') return open_list(c);
    if (c == '-' || is_digit(c)) {
      number_.start(c);
      return accept(c, At::number);
    }
    for (const std::string_view word : {"true", "false", "null"}) {
      if (c != word.front()) continue;
      literal_ = word.substr(1);
      return accept(c, At::literal);
    }
    return breaks(c);
  }

  bool in_number(char c) {
    if (number_.take(c)) return accept(c);
    if (!number_.complete() || !delimits(c)) return breaks(c);
    end_value();
    return false;
  }

  bool in_literal(char c) {
    if (literal_.empty()) {
      if (!delimits(c)) return breaks(c);
      end_value();
      return false;
    }
    if (c != literal_.front()) return breaks(c);
    literal_.remove_prefix(1);
    return accept(c);
  }

  // A value is complete; what stands on the stack is its container.
  void end_value() {
    at_ = At::after_value;
    if (member_ != Member::notes || !own_level()) return;
    own_.last = held_.substr(value_at_);
    own_.removed = true;
    held_.clear();
    own_.joint.clear();
    member_ = Member::none;
  }

  bool after_value(char c) {
    const bool own = own_level() && member_ == Member::none;
    if (is_space(c)) {
      if (own && !own_.shown) {
        own_.joint += c;
      } else {
        put(c);
      }
      return true;
    }
    if (c == ',') {
      const bool object = stack_.back() == '{';
      at_ = object ? At::next_key : At::value;
      if (own) {
        own_.joint += c;
      } else {
        put(c);
      }
      return true;
    }
    if (c == (stack_.back() == '{' ? '}' : ']')) return close(c);
    return breaks(c);
  }

  bool close(char c) {
    const bool own = own_level() && member_ == Member::none;
    if (own && !own_.shown) {
      if (own_.removed) {
        emptied();
      } else {
        lines_.text(own_.head);
        lines_.text(c);
      }
    } else {
      put(c);
    }
    if (own) read_notes();
    if (stack_.back() == '{') --objects_;
    stack_.pop_back();
    if (stack_.empty()) {
      at_ = At::prose;
    } else {
      end_value();
    }
    return true;
  }

  // The own object held only notes.
  void emptied() {
    if (in_list()) {
      lines_.text("{}");
    } else {
      lines_.emptied();
    }
  }

  void read_notes() {
    if (!own_.removed) return;
    own_.removed = false;
    const auto parsed = json::parse(std::exchange(own_.last, {}));
    if (!parsed) {
      ++notes.malformed;
      return;
    }
    DeclarationReading reading = read_declaration(*parsed);
    notes.malformed += reading.malformed;
    if (!reading.declaration) return;
    if (!notes.declaration) notes.declaration.emplace();
    merge(*notes.declaration, *reading.declaration);
  }

  // The text stopped being JSON at `c`, which is looked at again as prose.
  bool breaks(char c) {
    if (objects_ > 0 && (member_ != Member::none || own_level())) {
      const bool missing_comma =
          at_ == At::after_value && c == '"' && own_.joint.find(',') == std::string::npos;
      give_back(missing_comma);
    }
    if (objects_ > 0) read_notes();
    leave();
    return false;
  }

  // Shows what is held of the own object, except members that were complete.
  void give_back(bool missing_comma) {
    const std::string held = std::exchange(held_, {});
    const bool was_member = member_ != Member::none;
    member_ = Member::none;
    if (own_.shown) {
      lines_.text(own_.joint);
      lines_.text(held);
    } else if (!own_.removed) {
      lines_.text(own_.head);
      lines_.text(held);
    } else if (missing_comma && !was_member) {
      lines_.text(own_.head);
    } else {
      emptied();
      lines_.text(own_.joint);
      lines_.text(held);
    }
    own_.joint.clear();
    own_.shown = true;
  }

  void leave() {
    stack_.clear();
    objects_ = 0;
    member_ = Member::none;
    is_key_ = false;
    at_ = At::prose;
  }

  void end_of_text() {
    if (objects_ == 0) return;
    const bool value_cut = member_ == Member::notes && (at_ != At::colon);
    if (value_cut) {
      notes.complete = false;
      ++notes.malformed;
      own_.removed = false;
      if (!own_.shown) emptied();
      return;
    }
    if (member_ != Member::none || own_level()) give_back(false);
    read_notes();
  }

  internal::AnswerLines lines_;
  At at_ = At::prose;
  std::string stack_;  // open brackets
  std::size_t objects_ = 0;
  Member member_ = Member::none;
  Own own_;
  std::string held_;  // the member of the own object that is undecided
  std::size_t value_at_ = 0;
  KeyMatch match_;
  NumberState number_;
  std::string_view literal_;
  bool is_key_ = false;
  int hex_left_ = 0;
  unsigned unit_ = 0;
  bool ended_ = false;
};

AnswerScanner::AnswerScanner() : state_(std::make_unique<State>()) {}
AnswerScanner::~AnswerScanner() = default;
AnswerScanner::AnswerScanner(AnswerScanner&&) noexcept = default;
AnswerScanner& AnswerScanner::operator=(AnswerScanner&&) noexcept = default;

std::string AnswerScanner::feed(std::string_view chunk) {
  return state_->feed(chunk);
}
std::string AnswerScanner::end() {
  return state_->end();
}
const AnswerNotes& AnswerScanner::notes() const noexcept {
  return state_->notes;
}

PeeledAnswer peel_answer(std::string_view text) {
  AnswerScanner scanner;
  PeeledAnswer peeled;
  peeled.text = scanner.feed(text);
  peeled.text += scanner.end();
  peeled.notes = scanner.notes();
  return peeled;
}

}  // namespace agentfootprint::findings
