// Every value of a text with its JSON pointer and its byte span.
//
// What: `for_each_place` scans a text (scanner.hpp) and calls `visit` once for every value, in the
// order of the text: for a leaf with its span, for a container with that of its opening bracket.
// A place names the pointer, the span of the key it stands under, and the kind.
//
// When to use: reports that point into a source, tests, readers that need to say where something
// stands. For speed alone use the scanner.
//
// Not guaranteed: that pointers are unique: of members with one key, all are visited under the same
// pointer. Spans of strings and keys are raw, without the quotes.
//
// Limits: those of the scanner. A text that turns out to be no JSON has been visited up to there.
//
// Example:
//   std::string text = R"({"ports": [{"state": "down"}]})";
//   json::for_each_place(text, json::ScanOptions(), [&](const json::Place& place) {
//     if (place.pointer == "/ports/0/state") {
//       (void)place.span.in(text);   // down
//     }
//   });
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "agentfootprint/json/cursor.hpp"
#include "agentfootprint/json/scanner.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::json {

struct Place {
  std::string_view pointer;  // valid during the call
  Kind kind = Kind::null;
  Span span;  // the leaf, or the opening bracket
  Span key;   // empty unless `is_member`
  bool is_member = false;
  bool escaped = false;  // the string has escapes
  bool cut = false;      // a string the text ends inside
};

namespace internal {

// A scan handler that keeps the pointer.
template <class Visit>
class PlaceTracker {
 public:
  PlaceTracker(std::string_view text, Visit& visit) : text_(text), visit_(visit) {}

  void begin_object(std::size_t at) { open(Kind::object, at); }
  void begin_array(std::size_t at) { open(Kind::array, at); }
  void end_object(std::size_t) { open_.pop_back(); }
  void end_array(std::size_t) { open_.pop_back(); }
  void key(Span raw, bool escaped) {
    pointer_.resize(open_.back().length);
    pointer_ += '/';
    key_ = raw;
    if (!escaped) {
      pointer_ += pointer_token(raw.in(text_));
      return;
    }
    std::string decoded;
    decode_string(raw.in(text_), decoded);
    pointer_ += pointer_token(decoded);
  }
  void string(Span raw, bool escaped) { leaf(Kind::string, raw, escaped, false); }
  void cut_string(Span raw, bool escaped) { leaf(Kind::string, raw, escaped, true); }
  void number(Span raw) { leaf(Kind::number, raw, false, false); }
  void literal(Span raw) {
    const char first = text_[raw.begin];
    const bool null = first == 'n' && text_.substr(raw.begin, 2) == "nu";
    const bool boolean = first == 't' || first == 'f' || first == 'T' || first == 'F';
    // Leniently: None is null, NaN and the infinities are read as strings.
    const bool none = text_.substr(raw.begin, raw.size()) == "None";
    leaf(null || none ? Kind::null : boolean ? Kind::boolean : Kind::string, raw, false, false);
  }
  void tolerated(const char*, std::size_t) {}

 private:
  struct Frame {
    std::size_t length;  // of the pointer of the container
    std::size_t next;    // element
    bool array;
  };

  void leaf(Kind kind, Span raw, bool escaped, bool cut) {
    Place place;
    if (!open_.empty() && open_.back().array) {
      pointer_.resize(open_.back().length);
      pointer_ += '/';
      pointer_ += std::to_string(open_.back().next++);
    } else if (!open_.empty()) {
      place.is_member = true;
      place.key = key_;
    }
    place.pointer = pointer_;
    place.kind = kind;
    place.span = raw;
    place.escaped = escaped;
    place.cut = cut;
    visit_(static_cast<const Place&>(place));
  }
  void open(Kind kind, std::size_t at) {
    leaf(kind, {at, at + 1}, false, false);
    open_.push_back({pointer_.size(), 0, kind == Kind::array});
  }

  std::string_view text_;
  Visit& visit_;
  std::string pointer_;
  Span key_;
  std::vector<Frame> open_;
};

}  // namespace internal

template <class Visit>
ScanResult for_each_place(std::string_view text, const ScanOptions& options, Visit&& visit) {
  internal::PlaceTracker<std::remove_reference_t<Visit>> tracker(text, visit);
  return scan(text, tracker, options);
}

}  // namespace agentfootprint::json
