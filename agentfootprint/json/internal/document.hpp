// Builds one document from events: the handler behind `parse` and `detach`.
//
// Finished values wait on a stack until their container closes; then they move, side by side, into
// the document's chunks. Nothing is counted or destroyed one by one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "agentfootprint/json/internal/node.hpp"
#include "agentfootprint/json/scanner.hpp"

namespace agentfootprint::json::internal {

// A growing stack of plain records, the first of them without allocation.
template <class T, std::size_t kFirst>
class PlainStack {
 public:
  PlainStack() = default;
  PlainStack(const PlainStack&) = delete;
  PlainStack& operator=(const PlainStack&) = delete;
  ~PlainStack() {
    if (data_ != first_) std::free(data_);
  }
  void push(const T& item) {
    if (size_ == capacity_) [[unlikely]]
      grow();
    data_[size_++] = item;
  }
  // Room for one more, which the caller fills.
  T& push_place() {
    if (size_ == capacity_) [[unlikely]]
      grow();
    return data_[size_++];
  }
  T pop() noexcept { return data_[--size_]; }
  [[nodiscard]] T& top() noexcept { return data_[size_ - 1]; }
  [[nodiscard]] const T* from(std::size_t index) const noexcept { return data_ + index; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  void shrink_to(std::size_t size) noexcept { size_ = size; }

 private:
  void grow() {
    const std::size_t capacity = capacity_ * 2;
    T* data = static_cast<T*>(std::malloc(capacity * sizeof(T)));
    if (data == nullptr) throw std::bad_alloc();
    std::memcpy(static_cast<void*>(data), data_, size_ * sizeof(T));
    if (data_ != first_) std::free(data_);
    data_ = data;
    capacity_ = capacity;
  }

  T first_[kFirst];
  T* data_ = first_;
  std::size_t size_ = 0;
  std::size_t capacity_ = kFirst;
};

// The chunks of a document and, in the first of them, its owner.
class Arena {
 public:
  // `hint` is about how many bytes will be needed.
  explicit Arena(std::size_t hint) noexcept : next_chunk_(first_chunk(hint)) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    if (owner_ != nullptr) destroy(owner_);
  }

  [[nodiscard]] Owner* owner() {
    if (owner_ == nullptr) start();
    return owner_;
  }
  // Aligned to 8 bytes. The owner exists afterwards.
  [[nodiscard]] void* take(std::size_t bytes) {
    bytes = (bytes + 7) & ~std::size_t{7};
    if (owner_ == nullptr) [[unlikely]]
      start();
    if (bytes > static_cast<std::size_t>(end_ - at_)) [[unlikely]]
      add_chunk(bytes);
    void* place = at_;
    at_ += bytes;
    return place;
  }
  // Gives back the end of the newest piece.
  void give_back(std::size_t bytes) noexcept { at_ -= bytes & ~std::size_t{7}; }
  // The document now belongs to the value that is made of it.
  void let_go() noexcept { owner_ = nullptr; }

 private:
  static std::size_t first_chunk(std::size_t hint) noexcept;
  void start();
  void add_chunk(std::size_t bytes);

  Owner* owner_ = nullptr;
  char* at_ = nullptr;
  char* end_ = nullptr;
  std::size_t next_chunk_;
};

#if defined(__SSE2__)
inline constexpr bool kCanLoadInline = true;
#else
inline constexpr bool kCanLoadInline = false;
#endif

// For each length, the bytes of a value that hold an inline text of it.
struct alignas(16) InlineMask {
  std::uint8_t bytes[16];
};
inline constexpr std::array<InlineMask, kInlineText + 1> kInlineMasks = [] {
  std::array<InlineMask, kInlineText + 1> masks{};
  for (std::size_t size = 0; size <= kInlineText; ++size) {
    for (std::size_t i = 0; i < size; ++i) masks[size].bytes[2 + i] = 255;
  }
  return masks;
}();

// A scan handler (see scanner.hpp). Raw spans are of `text`.
class DocumentBuilder {
 public:
  DocumentBuilder(std::string_view text, std::size_t arena_hint) noexcept
      : text_(text), arena_(arena_hint) {}

  void begin_object(std::size_t) { open(Kind::object); }
  void end_object(std::size_t) { close(); }
  void begin_array(std::size_t) { open(Kind::array); }
  void end_array(std::size_t) { close(); }
  void key(Span raw, bool escaped) { string(raw, escaped); }
  void string(Span raw, bool escaped) {
    if (escaped) [[unlikely]] {
      add_escaped(raw.in(text_));
    } else {
      add_text(Kind::string, raw);
    }
  }
  void number(Span raw) { add_text(Kind::number, raw); }
  void literal(Span raw);
  void cut_string(Span raw, bool escaped) {
    cut_ = raw;
    cut_escaped_ = escaped;
  }
  void tolerated(const char*, std::size_t) {}

  // The same without a source text.
  void add(const Access::Raw& value) { values_.push(value); }
  void add_text(Kind kind, std::string_view text);
  // A text kept in the document without being a value of it yet; `add` may use it any number of
  // times.
  [[nodiscard]] Access::Raw keep_text(std::string_view text);

  // Closes what is still open; a key without a value is dropped.
  void close_all();
  // The one value that was built; null when there is none.
  [[nodiscard]] Value finish();
  [[nodiscard]] Span cut() const noexcept { return cut_; }

 private:
  struct Frame {
    std::size_t first = 0;  // the first of its values on the stack
    Kind kind = Kind::null;
  };

  void open(Kind kind) { frames_.push(Frame{values_.size(), kind}); }
  void close();
  void add_text(Kind kind, Span raw) {
    const std::size_t size = raw.size();
    // One load of fixed size instead of a loop. It begins two bytes early, so that the text comes
    // to stand where a value holds it.
    if (kCanLoadInline && size <= kInlineText && raw.begin >= 2 &&
        text_.size() - raw.begin >= kInlineText) [[likely]] {
      load_inline(values_.push_place(), kind, text_.data() + raw.begin, size);
      return;
    }
    add_text(kind, raw.in(text_));
  }
  static void load_inline(Access::Raw& value, Kind kind, const char* from,
                          std::size_t size) noexcept;
  void add_escaped(std::string_view raw);

  std::string_view text_;
  Arena arena_;
  PlainStack<Access::Raw, 64> values_;
  PlainStack<Frame, 16> frames_;
  Span cut_;
  bool cut_escaped_ = false;
};

inline void DocumentBuilder::load_inline([[maybe_unused]] Access::Raw& value,
                                         [[maybe_unused]] Kind kind,
                                         [[maybe_unused]] const char* from,
                                         [[maybe_unused]] std::size_t size) noexcept {
#if defined(__SSE2__)
  const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from - 2));
  const __m128i mask = _mm_load_si128(reinterpret_cast<const __m128i*>(kInlineMasks[size].bytes));
  const __m128i head = _mm_cvtsi32_si128(static_cast<int>(kind) | static_cast<int>(size << 8));
  const __m128i placed = _mm_or_si128(_mm_and_si128(text, mask), head);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(&value), placed);
#endif
}

}  // namespace agentfootprint::json::internal
