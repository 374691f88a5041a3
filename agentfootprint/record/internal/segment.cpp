// Items, messages and requests of one segment.
#include "agentfootprint/record/internal/segment.hpp"

#include <fmt/format.h>

#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/record/internal/base64.hpp"

namespace agentfootprint::record::internal {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string text_at(const json::Value& value, std::string_view key) {
  const json::Value* found = value.find(key);
  if (found == nullptr || !found->is_string()) return {};
  return std::string(*found->as_string());
}

std::optional<std::uint64_t> number_at(const json::Value& value, std::string_view key) {
  const json::Value* found = value.find(key);
  return found == nullptr ? std::nullopt : found->as_uint64();
}

std::optional<Digest256> digest_from_hex(std::string_view text) {
  Digest256 digest{};
  if (text.size() != 2 * digest.size()) return std::nullopt;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const int high = hex_value(text[2 * i]);
    const int low = hex_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    digest[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return digest;
}

void Segment::begin() {
  items_.clear();
  views_.clear();
}

void Segment::fault(std::string code, std::string message) {
  footprint_.notes.push_back({line_, std::move(code), std::move(message), true});
}

void Segment::apply(std::uint64_t line, const json::Value& value) {
  line_ = line;
  const std::string kind = text_at(value, "kind");
  if (!footprint_.end_status.empty()) {
    fault("after-end", "a line stands behind the end of the record");
  }
  if (kind == "item") {
    apply_item(value);
  } else if (kind == "message") {
    apply_message(value);
  } else if (kind == "request") {
    apply_request(value);
  } else if (kind == "row" || kind == "verdict" || kind == "event" || kind == "commit") {
    footprint_.lines.push_back({line, kind, value, footprint_.conversation.size(), nullptr});
    if (kind == "row" && number_at(value, "item")) {
      const Item* named = item(value, "item");
      if (named != nullptr) footprint_.lines.back().item = named->text;
    }
  } else if (kind == "end") {
    footprint_.end_status = text_at(value, "status");
    if (footprint_.end_status.empty()) fault("end", "the end has no status");
  } else {
    footprint_.notes.push_back(
        {line, "unknown-kind", "a line of a kind this version does not know was left out", false});
  }
}

// The bytes of an item line, or null with a fault or a redaction noted.
SharedText Segment::item_text(const json::Value& value) {
  const json::Value* text = value.find("text");
  if (text != nullptr && text->is_string()) return share_text(std::string(*text->as_string()));
  const json::Value* encoded = value.find("base64");
  if (encoded != nullptr && encoded->is_string()) {
    auto bytes = base64_decode(*encoded->as_string());
    if (bytes) return share_text(std::move(*bytes));
    fault("item", "the base64 of the item cannot be decoded");
    return nullptr;
  }
  const json::Value* reason = value.find("redacted");
  if (reason != nullptr && reason->is_string()) {
    footprint_.redacted.push_back({text_at(value, "sha256"), number_at(value, "bytes").value_or(0),
                                   std::string(*reason->as_string())});
    return nullptr;
  }
  fault("item", "the item has neither text nor base64 nor a redaction");
  return nullptr;
}

void Segment::apply_item(const json::Value& value) {
  Item made;
  const auto digest = digest_from_hex(text_at(value, "sha256"));
  if (number_at(value, "item") != items_.size()) {
    fault("item-number", fmt::format("the item should have the number {}", items_.size()));
  }
  made.text = item_text(value);
  if (!digest) {
    fault("item-hash", "the item has no readable sha256");
  } else {
    made.digest = *digest;
  }
  if (made.text && digest && sha256(*made.text) != *digest) {
    fault("item-hash", "the content of the item does not have the sha256 written beside it");
  }
  if (made.text && number_at(value, "bytes") != made.text->size()) {
    fault("item-bytes", "the item does not have the length written beside it");
  }
  items_.push_back(std::move(made));
}

const Segment::Item* Segment::item(const json::Value& value, std::string_view key) {
  const auto number = number_at(value, key);
  if (number && *number < items_.size()) return &items_[static_cast<std::size_t>(*number)];
  fault("item-reference", fmt::format("`{}` names an item that is not there", key));
  return nullptr;
}

json::Value Segment::content_of(const json::Value& value) {
  const std::string type = text_at(value, "type");
  if (type == "null") return {};
  const Item* found = item(value, "content");
  if (found == nullptr || !found->text) return {};
  if (type == "text") return json::Value(*found->text);
  auto parsed = json::parse(*found->text);
  if (parsed) return std::move(*parsed);
  fault("content", "the content of the message is not the JSON it should be");
  return {};
}

void Segment::add_calls(const json::Value& value, Message& message) {
  const json::Value* calls = value.find("calls");
  if (calls == nullptr) return;
  for (const json::Value& call : calls->elements()) {
    const json::Value* id = call.find("id");
    const Item* arguments = item(call, "arguments");
    message.calls.emplace_back(
        id != nullptr && id->is_string() ? std::optional<std::string>(*id->as_string())
                                         : std::nullopt,
        text_at(call, "name"), arguments != nullptr && arguments->text ? *arguments->text : "");
  }
}

void Segment::apply_message(const json::Value& value) {
  if (number_at(value, "message") != footprint_.conversation.size()) {
    fault("message-number",
          fmt::format("the message should have the number {}", footprint_.conversation.size()));
  }
  Message message;
  const auto role = parse_role(text_at(value, "role"));
  const auto origin = parse_origin(text_at(value, "origin"));
  if (!role || !origin) fault("message", "the message has no known role and origin");
  message.role = role.value_or(Role::user);
  message.origin = origin.value_or(Origin::library);
  message.content = content_of(value);
  add_calls(value, message);
  const auto optional = [&value](std::string_view key) {
    const json::Value* found = value.find(key);
    return found != nullptr && found->is_string() ? std::optional<std::string>(*found->as_string())
                                                  : std::nullopt;
  };
  message.tool_call_id = optional("toolCallId");
  message.tool_name = optional("toolName");
  if (message.is_result()) {
    const auto status = parse_status(text_at(value, "status"));
    if (!status) fault("message", "the result has no known status");
    message.status = status.value_or(ResultStatus::ok);
    const json::Value* dispatched = value.find("dispatched");
    message.dispatched = dispatched == nullptr || dispatched->as_bool() != false;
  }
  append_message(std::move(message), value);
}

// The line names the call a result answers; a key that fits nothing is told and the position
// decides.
void Segment::append_message(Message message, const json::Value& value) {
  const json::Value* key = value.find("call");
  if (message.is_result() && key != nullptr) {
    const auto call = call_key_from_json(*key);
    if (call) {
      if (footprint_.conversation.is_open(*call)) {
        footprint_.conversation.append_result(*call, std::move(message));
        return;
      }
    }
    fault("message-call", "the result names a call that is not open");
  }
  footprint_.conversation.append(std::move(message));
}

// base[0…keep) + add + base[keep+drop…).
Segment::View Segment::resolve(const json::Value& value, std::size_t& keep) {
  View view;
  const auto base_number = number_at(value, "base");
  const View none;
  if (base_number && *base_number >= views_.size())
    fault("request", "the base is no earlier request");
  const View& base = base_number && *base_number < views_.size()
                         ? views_[static_cast<std::size_t>(*base_number)]
                         : none;
  const std::size_t size = base.items.size();
  keep =
      static_cast<std::size_t>(std::min<std::uint64_t>(number_at(value, "keep").value_or(0), size));
  const auto drop = static_cast<std::size_t>(
      std::min<std::uint64_t>(number_at(value, "drop").value_or(0), size - keep));
  const auto at = [&base](std::size_t i) {
    return base.items.begin() + static_cast<std::ptrdiff_t>(i);
  };
  view.items.assign(base.items.begin(), at(keep));
  if (const json::Value* add = value.find("add")) {
    for (const json::Value& element : add->elements()) {
      const auto number = element.as_uint64();
      if (!number || *number >= items_.size()) {
        fault("item-reference", "`add` names an item that is not there");
        continue;
      }
      view.items.push_back(static_cast<std::uint32_t>(*number));
    }
  }
  view.items.insert(view.items.end(), at(keep + drop), base.items.end());
  view.hashes.assign(base.hashes.begin(), base.hashes.begin() + static_cast<std::ptrdiff_t>(keep));
  return view;
}

void Segment::apply_request(const json::Value& value) {
  if (number_at(value, "request") != views_.size()) {
    fault("request", fmt::format("the request should have the number {}", views_.size()));
  }
  std::size_t keep = 0;
  View view = resolve(value, keep);
  RecordedRequest request;
  request.line = line_;
  request.model = text_at(value, "model");
  for (std::size_t i = keep; i < view.items.size(); ++i) {
    const Digest256 before = i == 0 ? kFootprintZero : view.hashes[i - 1];
    view.hashes.push_back(view_hash({&items_[view.items[i]].digest, 1}, before));
  }
  for (const std::uint32_t number : view.items) request.items.push_back(items_[number].text);
  const Digest256& hash = view.hashes.empty() ? kFootprintZero : view.hashes.back();
  if (text_at(value, "hash") != to_hex(hash)) {
    fault("request-hash", "the view of the request does not have the hash written beside it");
  }
  if (value.contains("parameters")) {
    const Item* parameters = item(value, "parameters");
    if (parameters != nullptr && parameters->text) {
      auto parsed = json::parse(*parameters->text);
      if (parsed) request.parameters = std::move(*parsed);
    }
  }
  footprint_.requests.push_back(std::move(request));
  views_.push_back(std::move(view));
}

}  // namespace agentfootprint::record::internal
