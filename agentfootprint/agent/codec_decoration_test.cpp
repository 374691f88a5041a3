// The reserved argument survives every model codec byte for byte: the planted schema on its way
// out, a declaration on its way in, and an earlier declaration sent back in the history. A codec
// joins by one line in `kCodecs`.
#include <gtest/gtest.h>

#include "agentfootprint/base/task.hpp"
#include "agentfootprint/findings/argument_schema.hpp"
#include "agentfootprint/findings/declaration.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/model/scripted.hpp"

namespace agentfootprint {
namespace {

// One wire. `{}` in a pointer stands for the index of the tool.
struct Codec {
  const char* name;
  json::Value (*request_body)(const ModelRequest& request);
  const char* schema_at;     // a tool's schema in the body
  const char* arguments_at;  // arguments of the only call of the only message: a text or an object
  ModelResponse (*read_reply)(const std::string& tool, const std::string& arguments);
};

// The scripted model has no wire; what it was handed stands for the body.
json::Value scripted_body(const ModelRequest& request) {
  json::ArrayBuilder tools;
  for (const ToolSchema& tool : request.tools()) {
    tools.add(json::object({{"name", tool.name}, {"schema", tool.input_schema}}));
  }
  json::ArrayBuilder messages;
  for (const ServedMessage& served : request.messages()) {
    json::ArrayBuilder calls;
    for (const ToolCall& call : served.message->calls) calls.add(*call.arguments_text);
    messages.add(json::object({{"calls", calls.build()}}));
  }
  return json::object({{"tools", tools.build()}, {"messages", messages.build()}});
}

ModelResponse scripted_reply(const std::string& tool, const std::string& arguments) {
  ScriptedModel model;
  model.then(ScriptedReply().call_text(tool, arguments));
  const ModelRequest request("m");
  return run_blocking(model.complete(request, CancelToken(), TextSink()));
}

constexpr Codec kCodecs[] = {
    {"scripted", scripted_body, "/tools/{}/schema", "/messages/0/calls/0", scripted_reply},
};

std::string at_index(std::string pointer, std::size_t index) {
  const std::size_t hole = pointer.find("{}");
  return pointer.replace(hole, 2, std::to_string(index));
}

// Schemas a codec might be tempted to tidy: key order, numbers, escapes, nothing at all.
const char* const kSchemas[] = {
    R"({"type":"object","properties":{"port":{"type":"string"}},"required":["port"]})",
    (R"({"required":["b"],"properties":{"b":{"maximum":1.50,"minimum":1e3},)"
     R"("a":{"const":10000000000000000000001}},"type":"object"})"),
    (R"({"type":"object","properties":{"é\u0000\"x":{"description":"line\nbreak <b> \u2028"}},)"
     R"("additionalProperties":false})"),
    R"({"type":"object"})",
    R"({})",
};

const char* const kArguments[] = {
    R"({"port":"fc1/7","_findings":{"previous":[{"toolCallId":"c1","standing":"noise"}]}})",
    (R"({ "_findings" : {"basis":"direct","previous":[{"toolCallId":"c1","standing":"fact",)"
     R"("assertions":[{"subject":{"kind":"port","id":"fc1/7"},"predicate":"errors",)"
     R"("value":1.50}]}]}, "n": 1e3 })"),
    (R"({"\u005ffindings":{"previous":[{"toolCallId":"c2","standing":"ruled-out",)"
     R"("line":"é \"x\" \n"}]},"big":10000000000000000000001})"),
    R"({"_findings":[1,2],"port":"x"})",
};

std::vector<ToolSchema> planted_tools(findings::Declarations declarations,
                                      const std::vector<std::string>& offer) {
  std::vector<ToolSchema> tools;
  for (const char* schema : kSchemas) {
    tools.push_back(
        {"t" + std::to_string(tools.size()), "A tool.",
         findings::with_findings_argument(json::parse_or_throw(schema), declarations, offer)});
  }
  return tools;
}

class CodecDecoration : public ::testing::TestWithParam<Codec> {};

TEST_P(CodecDecoration, ThePlantedSchemaGoesOutAsItIs) {
  const Codec& codec = GetParam();
  for (const auto declarations :
       {findings::Declarations::standings, findings::Declarations::full}) {
    for (const std::vector<std::string>& offer : {std::vector<std::string>{}, {"c2", "c1"}}) {
      const std::vector<ToolSchema> tools = planted_tools(declarations, offer);
      ModelRequest request("m");
      request.set_tools(std::make_shared<const std::vector<ToolSchema>>(tools));
      const json::Value body =
          json::parse_or_throw(json::dump(codec.request_body(request)));  // through the bytes
      for (std::size_t i = 0; i < tools.size(); ++i) {
        const json::Value* sent = body.find_pointer(at_index(codec.schema_at, i));
        ASSERT_NE(sent, nullptr) << codec.name << " tool " << i;
        EXPECT_EQ(json::dump(*sent), json::dump(tools[i].input_schema)) << codec.name;
        const json::Value bare = findings::without_findings_argument(*sent);
        EXPECT_EQ(bare.find_pointer("/properties/_findings"), nullptr) << codec.name;
      }
    }
  }
}

TEST_P(CodecDecoration, ADeclarationComesInAsTheModelWroteIt) {
  const Codec& codec = GetParam();
  for (const std::string arguments : kArguments) {
    const ModelResponse response = codec.read_reply("t0", arguments);
    ASSERT_EQ(response.calls.size(), 1U) << codec.name;
    EXPECT_EQ(*response.calls[0].arguments_text, arguments) << codec.name;
    const auto direct = findings::split_findings(json::parse_or_throw(arguments));
    const auto read = findings::split_findings(response.calls[0].arguments);
    EXPECT_EQ(json::dump(read.arguments), json::dump(direct.arguments));
    EXPECT_EQ(read.malformed, direct.malformed);
    ASSERT_EQ(read.declaration.has_value(), direct.declaration.has_value());
    if (!read.declaration) continue;
    EXPECT_EQ(json::dump(to_json(*read.declaration)), json::dump(to_json(*direct.declaration)));
  }
}

// History goes back with the declaration in it: the model must find what it wrote.
TEST_P(CodecDecoration, AnEarlierDeclarationGoesBackAsItWas) {
  const Codec& codec = GetParam();
  for (const std::string arguments : kArguments) {
    ModelRequest request("m");
    const Message said = Message::assistant("", {ToolCall("call_0", "t0", arguments)});
    request.add_message(std::make_shared<const Message>(said));
    const json::Value body = json::parse_or_throw(json::dump(codec.request_body(request)));
    const json::Value* sent = body.find_pointer(codec.arguments_at);
    ASSERT_NE(sent, nullptr) << codec.name;
    // A wire that carries a text carries these bytes; one that carries an object, these members.
    const auto text = sent->as_string();
    EXPECT_EQ(text ? std::string(*text) : json::dump(*sent),
              text ? arguments : json::dump(json::parse_or_throw(arguments)))
        << codec.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, CodecDecoration, ::testing::ValuesIn(kCodecs),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace agentfootprint
