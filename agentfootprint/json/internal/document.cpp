// Chunks of a document, and the rarer paths of building one.
#include "agentfootprint/json/internal/document.hpp"

#include <algorithm>
#include <string>

namespace agentfootprint::json::internal {

std::size_t Arena::first_chunk(std::size_t hint) noexcept {
  return std::clamp<std::size_t>(hint, 256, std::size_t{16} << 20);
}

void Arena::start() {
  const std::size_t bytes = next_chunk_ + sizeof(Chunk) + sizeof(Owner);
  void* memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  Chunk* chunk = ::new (memory) Chunk();
  owner_ = ::new (static_cast<void*>(chunk + 1)) Owner();
  owner_->chunks = chunk;
  at_ = reinterpret_cast<char*>(owner_ + 1);
  end_ = static_cast<char*>(memory) + bytes;
}

void Arena::add_chunk(std::size_t bytes) {
  next_chunk_ = std::max(next_chunk_, std::min<std::size_t>(next_chunk_ * 2, std::size_t{1} << 20));
  const std::size_t room = std::max(next_chunk_, bytes) + sizeof(Chunk);
  void* memory = std::malloc(room);
  if (memory == nullptr) throw std::bad_alloc();
  Chunk* chunk = ::new (memory) Chunk();
  chunk->previous = owner_->chunks;
  owner_->chunks = chunk;
  at_ = reinterpret_cast<char*>(chunk + 1);
  end_ = static_cast<char*>(memory) + room;
}

void DocumentBuilder::literal(Span raw) {
  const std::string_view word = raw.in(text_);
  // Words of the lenient vocabulary differ from these in the second letter at the latest.
  const char first = word[0];
  if ((first == 'n' && word[1] == 'u') || word == "None") {
    return values_.push(Access::inline_value(Kind::null));
  }
  if (first == 't' || first == 'f' || first == 'T' || first == 'F') {
    Access::Raw value = Access::inline_value(Kind::boolean);
    value.length = first == 't' || first == 'T' ? 1 : 0;
    return values_.push(value);
  }
  add_text(Kind::string, word);  // NaN and the infinities, by their spelling
}

void DocumentBuilder::add_text(Kind kind, std::string_view text) {
  if (text.size() <= kInlineText) return values_.push(Access::inline_text(kind, text));
  void* node = arena_.take(sizeof(Node) + text.size());
  (::new (node) Node())->owner = arena_.owner();
  std::memcpy(static_cast<Node*>(node) + 1, text.data(), text.size());
  values_.push(Access::stored(kind, static_cast<std::uint32_t>(text.size()), node));
}

Access::Raw DocumentBuilder::keep_text(std::string_view text) {
  add_text(Kind::string, text);
  return values_.pop();
}

void DocumentBuilder::add_escaped(std::string_view raw) {
  std::string decoded;
  decoded.reserve(raw.size());
  decode_string(raw, decoded);
  add_text(Kind::string, std::string_view(decoded));
}

void DocumentBuilder::close() {
  const Frame frame = frames_.pop();
  const std::size_t count = values_.size() - frame.first;
  if (count == 0) return values_.push(Access::inline_value(frame.kind));
  const bool object = frame.kind == Kind::object;
  const std::size_t header = object ? sizeof(ObjectNode) : sizeof(Node);
  void* node = arena_.take(header + count * sizeof(Access::Raw));
  if (object) {
    (::new (node) ObjectNode())->owner = arena_.owner();
  } else {
    (::new (node) Node())->owner = arena_.owner();
  }
  std::memcpy(static_cast<char*>(node) + header, values_.from(frame.first),
              count * sizeof(Access::Raw));
  values_.shrink_to(frame.first);
  const std::size_t entries = object ? count / 2 : count;
  values_.push(Access::stored(frame.kind, static_cast<std::uint32_t>(entries), node));
}

void DocumentBuilder::close_all() {
  while (!frames_.empty()) {
    const Frame& frame = frames_.top();
    const bool lone_key = frame.kind == Kind::object && (values_.size() - frame.first) % 2 == 1;
    if (lone_key) values_.shrink_to(values_.size() - 1);
    close();
  }
}

Value DocumentBuilder::finish() {
  if (values_.empty()) return Value();
  const Access::Raw root = values_.pop();
  if (Access::is_stored(root)) arena_.let_go();
  return Access::adopt(root);
}

}  // namespace agentfootprint::json::internal
