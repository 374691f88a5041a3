// Splitting a byte stream into items.
#include "agentfootprint/transcript/internal/item_reader.hpp"

#include <algorithm>
#include <cstring>

namespace agentfootprint::transcript::internal {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kKeep = std::size_t{4} << 20;  // buffers above this are given back
constexpr std::size_t kMaxDepth = 10'000;

bool is_space(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// Does a word of eight bytes hold `"` or a backslash?
bool has_string_mark(std::uint64_t word) noexcept {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kHigh = 0x8080808080808080ULL;
  const std::uint64_t quote = word ^ (kOnes * '"');
  const std::uint64_t slash = word ^ (kOnes * '\\');
  return ((((quote - kOnes) & ~quote) | ((slash - kOnes) & ~slash)) & kHigh) != 0;
}

// Follows brackets and strings of one value; can be fed piece by piece.
class Extent {
 public:
  enum class State : std::uint8_t { open, done, too_deep };

  // Looks at text[at..]; moves `at` behind what it took.
  State feed(std::string_view text, std::size_t& at) {
    while (at < text.size()) {
      if (in_string_) {
        if (!string_end(text, at)) return State::open;
        if (depth_ == 0) return State::done;
        continue;
      }
      const State state = one(text, at);
      if (state != State::open) return state;
    }
    return State::open;
  }

  // A bare number or literal ends where the input does.
  [[nodiscard]] bool complete_at_end() const noexcept { return scalar_; }
  [[nodiscard]] bool in_string() const noexcept { return in_string_; }

 private:
  State one(std::string_view text, std::size_t& at) {
    const char c = text[at];
    if (scalar_ && (is_space(c) || c == ',' || c == ']' || c == '}')) return State::done;
    ++at;
    if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      if (++depth_ > kMaxDepth) return State::too_deep;
    } else if (c == '}' || c == ']') {
      if (depth_ <= 1) return State::done;
      --depth_;
    } else if (depth_ == 0 && !is_space(c)) {
      scalar_ = true;
    }
    return State::open;
  }

  // Moves behind the closing quote; false when it is not here yet.
  bool string_end(std::string_view text, std::size_t& at) {
    while (at < text.size()) {
      if (escaped_) {
        escaped_ = false;
        ++at;
        continue;
      }
      std::uint64_t word = 0;
      while (at + 8 <= text.size() &&
             (std::memcpy(&word, text.data() + at, 8), !has_string_mark(word))) {
        at += 8;
      }
      if (at >= text.size()) return false;
      const char c = text[at++];
      if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
        return true;
      }
    }
    return false;
  }

  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool scalar_ = false;
};

}  // namespace

ItemReader::ItemReader(ByteSource& source, bool prefer_lines)
    : source_(source), prefer_lines_(prefer_lines) {}

bool ItemReader::fill() {
  if (ended_) return false;
  if (buffer_.size() - end_ < kBlock) buffer_.resize(std::max(end_ + kBlock, buffer_.size() * 2));
  const std::size_t count = source_.read(buffer_.data() + end_, buffer_.size() - end_);
  if (count == 0) ended_ = true;
  end_ += count;
  return count > 0;
}

void ItemReader::release() {
  // What stays is moved only when it is no more than what goes: a file of many small items is not
  // moved through the buffer item by item.
  if (at_ == 0 || at_ < end_ - at_) return;
  std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
  consumed_ += at_;
  end_ -= at_;
  at_ = 0;
  if (buffer_.size() > kKeep && end_ < kBlock) {
    buffer_.resize(end_);
    buffer_.shrink_to_fit();
  }
}

bool ItemReader::skip_space(bool commas) {
  while (true) {
    while (at_ < end_ && (is_space(buffer_[at_]) || (commas && buffer_[at_] == ','))) ++at_;
    if (at_ < end_) return true;
    release();
    if (!fill()) return false;
  }
}

void ItemReader::start() {
  if (started_) return;
  started_ = true;
  while (end_ < 4 && fill()) {
  }
  if (std::string_view(buffer_.data(), end_).starts_with("\xEF\xBB\xBF")) at_ = 3;
  const std::size_t first = at_;
  skip_space(false);
  for (std::size_t i = first; i < at_; ++i) line_ += buffer_[i] == '\n' ? 1U : 0U;
}

std::string_view ItemReader::peek() {
  start();
  while (end_ - at_ < 512 && fill()) {
  }
  return std::string_view(buffer_).substr(at_, end_ - at_);
}

Layout ItemReader::layout() {
  start();
  if (layout_ == Layout::unknown) find_layout();
  return layout_;
}

// An array is split into its elements unless its first line is whole and another line follows (an
// array a line). A value that ends on its first line makes lines; so does a line feed inside a
// string, which no whole value can have.
void ItemReader::find_layout() {
  layout_ = Layout::whole;
  if (at_ >= end_) return;
  if (prefer_lines_) {
    layout_ = Layout::lines;
    return;
  }
  if (buffer_[at_] == '[') {
    layout_ = Layout::array;
    return;
  }
  if (buffer_[at_] != '{') return;
  std::size_t line_end = at_;
  while (true) {
    const void* found = std::memchr(buffer_.data() + line_end, '\n', end_ - line_end);
    if (found != nullptr) {
      line_end = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      break;
    }
    line_end = end_;
    if (!fill()) break;
  }
  std::size_t behind = at_;
  Extent extent;
  const auto state = extent.feed(std::string_view(buffer_).substr(0, line_end), behind);
  if (state == Extent::State::too_deep) return;
  if (line_end == end_) return;
  if (state == Extent::State::done || extent.in_string()) layout_ = Layout::lines;
}

Item ItemReader::next() {
  release();
  switch (layout()) {
    case Layout::lines:
      return next_line();
    case Layout::array:
      return next_element();
    case Layout::whole:
    case Layout::unknown:
      break;
  }
  return next_whole();
}

Item ItemReader::next_line() {
  std::size_t look = at_;
  while (true) {
    const void* found =
        end_ > look ? std::memchr(buffer_.data() + look, '\n', end_ - look) : nullptr;
    Item item;
    item.byte = consumed_ + at_;
    if (found != nullptr) {
      const auto stop = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      item.text = std::string_view(buffer_).substr(at_, stop - at_);
      at_ = stop + 1;
    } else {
      look = end_;
      if (fill()) continue;
      if (at_ == end_) return {};
      item.text = std::string_view(buffer_).substr(at_, end_ - at_);
      item.last_line_open = true;
      at_ = end_;
    }
    item.kind = Item::Kind::value;
    item.line = ++line_;
    return item;
  }
}

Item ItemReader::take_value() {
  Item item;
  item.byte = consumed_ + at_;
  const std::size_t begin = at_;
  std::size_t look = at_;
  Extent extent;
  Extent::State state = Extent::State::open;
  while (true) {
    state = extent.feed(std::string_view(buffer_).substr(0, end_), look);
    if (state != Extent::State::open || !fill()) break;
  }
  at_ = look;
  item.text = std::string_view(buffer_).substr(begin, look - begin);
  if (state == Extent::State::too_deep) {
    item.kind = Item::Kind::too_deep;
  } else if (state == Extent::State::done || extent.complete_at_end()) {
    item.kind = Item::Kind::value;
  } else {
    item.kind = Item::Kind::cut;
  }
  return item;
}

Item ItemReader::next_element() {
  if (!in_array_) {
    if (!skip_space(false)) return {};
    if (buffer_[at_] != '[') return next_whole();
    in_array_ = true;
    ++at_;
  }
  Item item;
  if (!skip_space(true)) {
    item.kind = Item::Kind::cut;
    item.byte = consumed_ + at_;
    in_array_ = false;
    return item;
  }
  if (buffer_[at_] == ']') {
    ++at_;
    in_array_ = false;
    item.kind = Item::Kind::array_end;
    return item;
  }
  return next_whole();
}

Item ItemReader::next_whole() {
  if (!skip_space(false)) return {};
  const char c = buffer_[at_];
  const bool starts = c == '{' || c == '[' || c == '"' || c == '-' || (c >= '0' && c <= '9') ||
                      c == 't' || c == 'f' || c == 'n';
  if (starts) return take_value();
  Item item;
  item.kind = Item::Kind::garbage;
  item.byte = consumed_ + at_;
  item.text = std::string_view(buffer_).substr(at_, 1);
  return item;
}

}  // namespace agentfootprint::transcript::internal
