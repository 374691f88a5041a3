// Collects the properties of a tool's arguments.
#include "agentfootprint/agent/schema.hpp"

namespace agentfootprint::schema {

Object& Object::one_of(std::string_view name, std::string_view description,
                       std::vector<std::string> values, bool required) {
  json::ArrayBuilder allowed;
  for (const std::string& value : values) allowed.add(value);
  json::ObjectBuilder property;
  property.add("type", "string").add("enum", allowed.build()).add("description", description);
  return add(name, property.build(), required);
}

Object& Object::add(std::string_view name, json::Value property_schema, bool required) {
  properties_.emplace_back(name, std::move(property_schema));
  if (required) required_.emplace_back(name);
  return *this;
}

json::Value Object::build() const {
  json::ObjectBuilder built;
  built.add("type", "object").add("properties", json::object(properties_));
  if (!required_.empty()) built.add("required", json::array(required_));
  built.add("additionalProperties", false);
  return built.build();
}

}  // namespace agentfootprint::schema
