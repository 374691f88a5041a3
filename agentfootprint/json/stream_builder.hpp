// Building one large value in one pass.
//
// What: `StreamBuilder` takes a document piece by piece, in order, into one block of storage: no
// allocation for each object, and a key that was interned is stored once. The value it gives is
// like one that was parsed.
//
// When to use: for rows made from structs, a hundred thousand at a time. For a handful of members
// use `object({...})` and ObjectBuilder.
//
// Not guaranteed: that parts are shared: a value that is added is copied into the document.
//
// Limits: brackets must be closed and every key must be followed by its value; an unfinished one is
// dropped.
//
// Example:
//   json::StreamBuilder rows;
//   const json::StreamBuilder::Key entity = rows.intern("entity");
//   rows.begin_array();
//   rows.begin_object();
//   rows.key(entity);
//   rows.text("vm-1");
//   rows.end_object();
//   rows.end_array();
//   json::Value value = rows.finish();   // [{"entity":"vm-1"}]
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::json {

class StreamBuilder {
 public:
  // `hint`: about how many bytes will be stored.
  explicit StreamBuilder(std::size_t hint = 0);
  ~StreamBuilder();
  StreamBuilder(const StreamBuilder&) = delete;
  StreamBuilder& operator=(const StreamBuilder&) = delete;

  // A key of this builder, stored once.
  class Key {
   private:
    friend class StreamBuilder;
    explicit Key(std::size_t index) : index_(index) {}
    std::size_t index_;
  };
  [[nodiscard]] Key intern(std::string_view key);

  void begin_object();
  void end_object();
  void begin_array();
  void end_array();
  void key(Key key);
  void text(std::string_view text);
  void number(std::int64_t value);
  void number(std::uint64_t value);
  void number(double value);  // not finite: Error "json-number"
  void boolean(bool value);
  void null();
  void value(const Value& value);

  // Leaves the builder empty; its keys are gone too.
  [[nodiscard]] Value finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace agentfootprint::json
