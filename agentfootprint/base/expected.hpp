// Expected<T, E>: a value or the reason why there is none.
//
// What: the outcome of an operation whose failure is part of normal life, as std::expected has it
// (GCC 12 has none). When to use: readers of foreign bytes, look-ups with a reason. Use
// `std::optional` when there is no reason to tell, and exceptions for misuse.
//
// Not guaranteed: the monadic members of std::expected; only what the project uses is here.
//
// Example:
//   Expected<int, std::string> good = 4;
//   Expected<int, std::string> bad = Unexpected<std::string>("no digits");
//   int value = good ? *good : 0;
//   (void)value; (void)bad.error();
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace agentfootprint {

template <class E>
class Unexpected {
 public:
  explicit Unexpected(E error) : error_(std::move(error)) {}
  [[nodiscard]] const E& error() const& noexcept { return error_; }
  [[nodiscard]] E&& error() && noexcept { return std::move(error_); }

 private:
  E error_;
};

template <class T, class E>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT implicit
  template <class G>
  Expected(Unexpected<G> error)  // NOLINT implicit
      : state_(std::in_place_index<1>, std::move(error).error()) {}

  [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  // Reading the member that is not there throws std::bad_variant_access.
  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
  [[nodiscard]] E& error() & { return std::get<1>(state_); }
  [[nodiscard]] const E& error() const& { return std::get<1>(state_); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, E> state_;
};

}  // namespace agentfootprint
