// Equality, deep copies and pointers: whole-tree operations, iterative at any depth.
#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "agentfootprint/json/internal/document.hpp"
#include "agentfootprint/json/internal/node.hpp"
#include "agentfootprint/json/internal/number_form.hpp"
#include "agentfootprint/json/value.hpp"

namespace agentfootprint::json {
namespace {

using internal::Access;

bool equal_numbers(std::string_view a, std::string_view b) {
  if (a == b) return true;
  // Plain integers of different text differ, except -0.
  return internal::canonical_number(a) == internal::canonical_number(b);
}

// Gives every value a number such that equal values have equal numbers. Used where an object has
// two members with one key and must be compared as a multiset, which the pairwise walk below cannot
// do.
class Numbering {
 public:
  std::size_t number(const Value& root) {
    std::vector<Frame> open;
    std::size_t last = 0;
    enter(root, open, last);
    while (!open.empty()) {
      Frame& frame = open.back();
      if (frame.children.size() < frame.value->size()) {
        enter(child(*frame.value, frame.children.size()), open, last);
        continue;
      }
      last = close(frame);
      open.pop_back();
      if (!open.empty()) open.back().children.push_back(last);
    }
    return last;
  }

 private:
  struct Frame {
    const Value* value = nullptr;
    std::vector<std::size_t> children;
  };

  static const Value& child(const Value& value, std::size_t at) {
    return value.is_array() ? value.elements()[at] : value.members()[at].value;
  }

  void enter(const Value& value, std::vector<Frame>& open, std::size_t& last) {
    if (value.is_array() || value.is_object()) {
      open.push_back({&value, {}});
      return;
    }
    last = leaf(value);
    if (!open.empty()) open.back().children.push_back(last);
  }

  std::size_t leaf(const Value& value) {
    switch (value.kind()) {
      case Kind::boolean:
        return intern(*value.as_bool() ? "t" : "f");
      case Kind::number:
        return intern("n" + internal::canonical_number(*value.number_text()));
      case Kind::string:
        return intern("s" + std::string(*value.as_string()));
      default:
        return intern("0");
    }
  }

  std::size_t close(const Frame& frame) {
    if (frame.value->is_array()) return intern_list('a', frame.children);
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < frame.children.size(); ++i) {
      pairs.emplace_back(intern("s" + std::string(frame.value->members()[i].key())),
                         frame.children[i]);
    }
    std::sort(pairs.begin(), pairs.end());
    std::vector<std::size_t> flat;
    for (const auto& [key, value] : pairs) {
      flat.push_back(key);
      flat.push_back(value);
    }
    return intern_list('o', flat);
  }

  std::size_t intern_list(char sort, const std::vector<std::size_t>& numbers) {
    std::string key(1, sort);
    for (const std::size_t number : numbers) {
      key.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    return intern(std::move(key));
  }

  std::size_t intern(std::string key) {
    return known_.try_emplace(std::move(key), known_.size()).first->second;
  }

  std::map<std::string, std::size_t> known_;
};

class Comparison {
 public:
  bool equal(const Value& a, const Value& b) {
    pairs_.push_back({&a, &b});
    while (!pairs_.empty()) {
      const auto [left, right] = pairs_.back();
      pairs_.pop_back();
      if (!step(*left, *right)) return false;
    }
    return true;
  }

 private:
  bool step(const Value& a, const Value& b) {
    if (a.same_storage(b)) return true;
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
      case Kind::null:
        return true;
      case Kind::boolean:
        return a.as_bool() == b.as_bool();
      case Kind::number:
        return equal_numbers(*a.number_text(), *b.number_text());
      case Kind::string:
        return *a.as_string() == *b.as_string();
      case Kind::array:
        break;
      case Kind::object:
        return objects(a, b);
    }
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      pairs_.push_back({&a.elements()[i], &b.elements()[i]});
    }
    return true;
  }

  bool objects(const Value& a, const Value& b) {
    if (a.size() != b.size()) return false;
    if (internal::has_duplicate_keys(a)) {
      Numbering numbering;
      return numbering.number(a) == numbering.number(b);
    }
    // As many members, no key twice in `a`, each of them in `b`: then `b` has no key twice either.
    const std::span<const Member> left = a.members();
    const std::span<const Member> right = b.members();
    for (std::size_t i = 0; i < left.size(); ++i) {
      const bool in_place = left[i].key() == right[i].key();
      const Value* other = in_place ? &right[i].value : b.find(left[i].key());
      if (other == nullptr) return false;
      pairs_.push_back({&left[i].value, other});
    }
    return true;
  }

  struct Pair {
    const Value* a;
    const Value* b;
  };
  std::vector<Pair> pairs_;
};

std::optional<std::size_t> index_token(std::string_view token) {
  if (token.empty() || (token.size() > 1 && token[0] == '0')) return std::nullopt;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return index;
}

// Resolves ~0 and ~1; empty for any other use of `~`.
std::optional<std::string> key_token(std::string_view token) {
  std::string key;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      key += token[i];
      continue;
    }
    if (++i == token.size() || (token[i] != '0' && token[i] != '1')) return std::nullopt;
    key += token[i] == '0' ? '~' : '/';
  }
  return key;
}

const Value* child_of(const Value& value, std::string_view token) {
  if (value.is_array()) {
    const std::optional<std::size_t> index = index_token(token);
    return index && *index < value.size() ? &value.elements()[*index] : nullptr;
  }
  if (token.find('~') == std::string_view::npos) return value.find(token);
  const std::optional<std::string> key = key_token(token);
  return key ? value.find(*key) : nullptr;
}

}  // namespace

bool operator==(const Value& a, const Value& b) {
  return Comparison().equal(a, b);
}

const Value* Value::find_pointer(std::string_view pointer) const& noexcept {
  const Value* at = this;
  while (!pointer.empty() && at != nullptr) {
    if (pointer[0] != '/') return nullptr;
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    at = child_of(*at, pointer.substr(1, end - 1));
    pointer.remove_prefix(end);
  }
  return at;
}

Value Value::detach() const {
  struct Frame {
    const Value* value;
    std::size_t next;
  };
  internal::DocumentBuilder builder(std::string_view(), 0);
  std::vector<Frame> open;
  const auto add = [&](const Value& value) {
    switch (value.kind()) {
      case Kind::array:
        builder.begin_array(0);
        break;
      case Kind::object:
        builder.begin_object(0);
        break;
      case Kind::number:
        return builder.add_text(Kind::number, *value.number_text());
      case Kind::string:
        return builder.add_text(Kind::string, *value.as_string());
      default:
        return builder.add(Access::raw(value));
    }
    open.push_back({&value, 0});
  };
  add(*this);
  while (!open.empty()) {
    Frame& frame = open.back();
    const Value& container = *frame.value;
    if (frame.next == container.size()) {
      builder.end_array(0);
      open.pop_back();
      continue;
    }
    const std::size_t at = frame.next++;
    if (container.is_array()) {
      add(container.elements()[at]);
    } else {
      builder.add_text(Kind::string, container.members()[at].key());
      add(container.members()[at].value);
    }
  }
  return builder.finish();
}

}  // namespace agentfootprint::json
