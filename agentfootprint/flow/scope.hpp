// The scope: how a stage reads and writes the state.
//
// What: reads see the state and what the stage itself has written; writes are staged and committed
// together when the stage ends, also when it fails. Every read is recorded with the row whose write
// it saw. A stage that changes nothing still leaves a row.
//
// When to use: it is handed to every stage; it lives as long as the stage runs and cannot be
// copied.
//
// Not guaranteed: isolation of what stages reach by other ways (`context`, captures).
//
// Absent and null are two things: `get` of an absent key is empty, of a null the value null.
// `erase` makes a key absent.
//
// Example (file scope):
//   inline void assess(agentfootprint::flow::Scope& scope) {
//     static const agentfootprint::flow::Key<std::int64_t> income("income");
//     static const agentfootprint::flow::Key<std::int64_t> limit("limit");
//     scope.set(limit, scope.require(income) * 4);
//     scope.append("notes", "limit is four incomes");
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "agentfootprint/base/cancel.hpp"
#include "agentfootprint/flow/key.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint {
class Clock;
}

namespace agentfootprint::flow {

namespace internal {
struct StepFrame;
class Machine;
[[noreturn]] void throw_type_error(const Path& path, const json::Value& value);
[[noreturn]] void throw_missing(const Path& path);
}  // namespace internal

// A step that paused runs again: what it asked last, and the answer.
struct Resumed {
  Resumed(json::Value what, json::Value how) : asked(std::move(what)), answer(std::move(how)) {}
  json::Value asked;
  json::Value answer;
};

class Scope {
 public:
  explicit Scope(internal::StepFrame& frame) : frame_(frame) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Reading. A value of another type than the key's throws Error "flow-type".
  template <class T>
  [[nodiscard]] std::optional<T> get(const Key<T>& key) {
    json::Value value;
    if (!read(key.path(), value)) return std::nullopt;
    auto typed = Codec<T>::from_json(value);
    if (!typed) internal::throw_type_error(key.path(), value);
    return typed;
  }
  template <class T>
  [[nodiscard]] T get_or(const Key<T>& key, T fallback) {
    auto value = get(key);
    return value ? std::move(*value) : std::move(fallback);
  }
  // Throws Error "flow-missing" when there is nothing.
  template <class T>
  [[nodiscard]] T require(const Key<T>& key) {
    auto value = get(key);
    if (!value) internal::throw_missing(key.path());
    return std::move(*value);
  }
  [[nodiscard]] std::optional<json::Value> get(const Path& path) {
    json::Value value;
    if (!read(path, value)) return std::nullopt;
    return value;
  }
  template <class T>
  [[nodiscard]] bool has(const Key<T>& key) {
    return has(key.path());
  }
  [[nodiscard]] bool has(const Path& path);  // a read as well
  // Elements of an array, members of an object; 0 when absent. Does not build a grown array.
  [[nodiscard]] std::size_t size(const Path& path);
  template <class T>
  [[nodiscard]] std::size_t size(const Key<T>& key) {
    return size(key.path());
  }
  // One element of an array; its read names the row that added the element.
  [[nodiscard]] std::optional<json::Value> element(const Path& array, std::size_t index);
  // A read that leaves no record; the row says that it happened.
  [[nodiscard]] std::optional<json::Value> peek(const Path& path);

  // Writing.
  template <class T, class U>
  void set(const Key<T>& key, U&& value) {
    write(key.path(), Codec<T>::to_json(std::forward<U>(value)));
  }
  void set(const Path& path, json::Value value) { write(path, std::move(value)); }
  template <class T>
  void erase(const Key<T>& key) {
    erase(key.path());
  }
  void erase(const Path& path);
  // Adds one element behind an array; an absent key becomes an array of one.
  void append(const Path& path, json::Value element);
  template <class T, class U>
  void append(const Key<std::vector<T>>& key, U&& element) {
    append(key.path(), Codec<T>::to_json(std::forward<U>(element)));
  }
  // Lays an object over what is there: members recurse, arrays unite (an empty one clears), other
  // values replace. See `smart_merge`.
  void merge(const Path& path, const json::Value& value);
  template <class T>
  void merge(const Key<T>& key, const json::Value& value) {
    merge(key.path(), value);
  }

  // The run's input (the row says that it was used).
  [[nodiscard]] const json::Value& input();
  // What `RunOptions::with_context` was given; Error "flow-context" when it was another type or
  // nothing.
  template <class T>
  [[nodiscard]] T& context() {
    return *static_cast<T*>(context_of(typeid(T)));
  }

  // Ends the chart (inside a mount: the mounted chart; inside a fork: this branch) when the stage
  // has ended and committed.
  void break_chart(std::string reason = "");
  // Ends the step as a pause and throws its writes away; when the run is resumed the stage runs
  // again from the top and this call gives the answer. Do not catch what it throws.
  [[nodiscard]] json::Value interrupt(json::Value payload);
  // For a stage that keeps its own place in what it asks. `pause` ends the step like `interrupt`,
  // whatever was answered before; `resumed` is there while the step runs again.
  [[noreturn]] void pause(json::Value payload);
  [[nodiscard]] std::optional<Resumed> resumed() const;
  void emit(std::string_view name, const json::Value& value);

  [[nodiscard]] std::string step_id() const;
  [[nodiscard]] std::string_view stage_id() const noexcept;
  [[nodiscard]] int attempt() const noexcept;  // 1, or more under a retry policy
  [[nodiscard]] const CancelToken& cancel_token() const noexcept;
  [[nodiscard]] const Clock& clock() const noexcept;

 private:
  bool read(const Path& path, json::Value& out);
  void write(const Path& path, json::Value value);
  [[nodiscard]] void* context_of(const std::type_info& type) const;
  internal::StepFrame& frame_;
};

// The rule `merge` follows, on whole values: object members recurse; an array unites with an array
// (numbers, strings, booleans and null once each, in order; objects and arrays are always added),
// an empty array clears; anything else replaces.
[[nodiscard]] json::Value smart_merge(const json::Value& target, const json::Value& source);

}  // namespace agentfootprint::flow
