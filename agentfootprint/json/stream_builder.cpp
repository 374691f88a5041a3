// The document builder of the parser, fed by hand.
#include "agentfootprint/json/stream_builder.hpp"

#include <charconv>
#include <vector>

#include "agentfootprint/json/internal/document.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::json {

using internal::Access;

struct StreamBuilder::State {
  explicit State(std::size_t hint) : document(std::string_view(), hint) {}

  template <class Integer>
  void integer(Integer value) {
    char text[24];
    const char* end = std::to_chars(text, text + sizeof text, value).ptr;
    document.add_text(Kind::number, std::string_view(text, static_cast<std::size_t>(end - text)));
  }

  internal::DocumentBuilder document;
  std::vector<Access::Raw> keys;
};

StreamBuilder::StreamBuilder(std::size_t hint) : state_(std::make_unique<State>(hint)) {}
StreamBuilder::~StreamBuilder() = default;

StreamBuilder::Key StreamBuilder::intern(std::string_view key) {
  state_->keys.push_back(state_->document.keep_text(key));
  return Key(state_->keys.size() - 1);
}

void StreamBuilder::begin_object() {
  state_->document.begin_object(0);
}
void StreamBuilder::end_object() {
  state_->document.end_object(0);
}
void StreamBuilder::begin_array() {
  state_->document.begin_array(0);
}
void StreamBuilder::end_array() {
  state_->document.end_array(0);
}
void StreamBuilder::key(Key key) {
  state_->document.add(state_->keys[key.index_]);
}
void StreamBuilder::text(std::string_view text) {
  state_->document.add_text(Kind::string, text);
}
void StreamBuilder::number(std::int64_t value) {
  state_->integer(value);
}
void StreamBuilder::number(std::uint64_t value) {
  state_->integer(value);
}

void StreamBuilder::number(double value) {
  // Whole numbers are the common case, and ECMAScript prints them plainly below 2^53.
  constexpr double kExact = 9'007'199'254'740'992.0;
  if (value > -kExact && value < kExact) {
    const auto whole = static_cast<std::int64_t>(value);
    if (static_cast<double>(whole) == value) return state_->integer(whole);
  }
  state_->document.add_text(Kind::number, number_text(value));
}

void StreamBuilder::boolean(bool value) {
  state_->document.add(Access::raw(Value(value)));
}

void StreamBuilder::null() {
  state_->document.add(Access::inline_value(Kind::null));
}

void StreamBuilder::value(const Value& value) {
  struct Frame {
    const Value* value;
    std::size_t next;
  };
  std::vector<Frame> open;
  const auto add = [&](const Value& part) {
    if (part.is_number()) return state_->document.add_text(Kind::number, *part.number_text());
    if (part.is_string()) return state_->document.add_text(Kind::string, *part.as_string());
    if (!part.is_array() && !part.is_object()) return state_->document.add(Access::raw(part));
    part.is_array() ? begin_array() : begin_object();
    open.push_back(Frame{&part, 0});
  };
  add(value);
  while (!open.empty()) {
    Frame& frame = open.back();
    const Value& container = *frame.value;
    if (frame.next == container.size()) {
      end_array();
      open.pop_back();
      continue;
    }
    const std::size_t at = frame.next++;
    if (container.is_array()) {
      add(container.elements()[at]);
    } else {
      text(container.members()[at].key());
      add(container.members()[at].value);
    }
  }
}

Value StreamBuilder::finish() {
  state_->document.close_all();
  Value value = state_->document.finish();
  state_ = std::make_unique<State>(0);
  return value;
}

}  // namespace agentfootprint::json
