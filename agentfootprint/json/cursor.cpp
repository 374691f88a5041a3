// Cursor getters and their messages.
#include "agentfootprint/json/cursor.hpp"

#include "agentfootprint/base/error.hpp"

namespace agentfootprint::json {
namespace {

std::string place(const std::string& path) {
  return path.empty() ? "the value" : path;
}

[[noreturn]] void wrong_type(const std::string& path, std::string_view wanted, Kind found) {
  throw Error("json-type", place(path) + " must be " + std::string(wanted) + ", is " +
                               std::string(name_of(found)));
}

}  // namespace

std::string pointer_token(std::string_view key) {
  std::string out;
  out.reserve(key.size());
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

bool Cursor::has(std::string_view key) const noexcept {
  return value_->contains(key);
}

Cursor Cursor::operator[](std::string_view key) const {
  if (!value_->is_object()) wrong_type(path_, "an object", value_->kind());
  const std::string path = path_ + '/' + pointer_token(key);
  const Value* found = value_->find(key);
  if (found == nullptr) throw Error("json-missing", path + " is missing");
  return Cursor(*found, path);
}

Cursor Cursor::operator[](std::size_t index) const {
  const std::size_t size = array_size();
  const std::string path = path_ + '/' + std::to_string(index);
  if (index >= size) {
    throw Error("json-missing", path + " is missing: the array has " + std::to_string(size) +
                                    (size == 1 ? " element" : " elements"));
  }
  return Cursor(value_->elements()[index], path);
}

bool Cursor::boolean() const {
  if (!value_->is_bool()) wrong_type(path_, "a boolean", value_->kind());
  return *value_->as_bool();
}

std::int64_t Cursor::int64() const {
  if (!value_->is_number()) wrong_type(path_, "an integer", value_->kind());
  const std::optional<std::int64_t> found = value_->as_int64();
  if (!found) {
    throw Error("json-number",
                place(path_) + " must be an integer within 64 bits, is another number");
  }
  return *found;
}

std::uint32_t Cursor::uint32() const {
  if (!value_->is_number()) wrong_type(path_, "an integer", value_->kind());
  const std::optional<std::uint64_t> found = value_->as_uint64();
  if (!found || *found > UINT32_MAX) {
    throw Error("json-number",
                place(path_) + " must be an integer from 0 to 4294967295, is another number");
  }
  return static_cast<std::uint32_t>(*found);
}

double Cursor::number() const {
  if (!value_->is_number()) wrong_type(path_, "a number", value_->kind());
  return *value_->as_double();
}

std::string_view Cursor::string() const {
  if (!value_->is_string()) wrong_type(path_, "a string", value_->kind());
  return *value_->as_string();
}

std::size_t Cursor::array_size() const {
  if (!value_->is_array()) wrong_type(path_, "an array", value_->kind());
  return value_->size();
}

std::vector<Cursor> Cursor::elements() const {
  std::vector<Cursor> out;
  const std::size_t size = array_size();
  out.reserve(size);
  for (std::size_t i = 0; i < size; ++i) out.push_back((*this)[i]);
  return out;
}

std::vector<std::string> Cursor::keys() const {
  if (!value_->is_object()) wrong_type(path_, "an object", value_->kind());
  std::vector<std::string> out;
  out.reserve(value_->size());
  for (const Member& member : value_->members()) out.emplace_back(member.key());
  return out;
}

}  // namespace agentfootprint::json
