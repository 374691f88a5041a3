// Writing and reading footprints: round trip, content addressing, torn tails, damage named by line.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/schema.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/record/internal/base64.hpp"
#include "agentfootprint/record/reader.hpp"
#include "agentfootprint/record/writer.hpp"

namespace agentfootprint {
namespace {

const ManualClock& test_clock() {
  static const ManualClock clock(1'775'000'000'000);
  return clock;
}

Conversation sample() {
  Conversation c;
  c.append(Message::system("rules"));
  c.append(Message::user("is fc1/3 down?"));
  c.append(Message::assistant(
      "", {ToolCall("c1", "ports", R"({ "port" : "fc1/3" })"), ToolCall(std::nullopt, "log", "")}));
  c.append(Message::tool_result("c1", "ports", R"({"state":"down"})"));
  c.append(Message::tool_result(std::nullopt, "log", "bytes \xff\xfe", ResultStatus::failed));
  Message blocks = Message::assistant("");
  blocks.content = json::array({json::object({{"type", "text"}, {"text", "down"}})});
  c.append(blocks);
  Message settled = Message::tool_result("zz", "late", "", ResultStatus::settled);
  settled.dispatched = false;
  settled.content = nullptr;
  c.append(settled);
  return c;
}

std::string write_sample(Redactor redactor = nullptr) {
  MemorySink sink;
  RecordWriterOptions options("run-1", test_clock());
  options.redactor = std::move(redactor);
  RecordWriter writer(sink, std::move(options));
  const Conversation c = sample();
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    writer.message(c[i]);
    if (i % 3 == 2) writer.flush();
  }
  writer.line("row", json::object({{"row", json::object({{"basis", "fact"}})}}));
  writer.end("complete");
  return sink.text();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<std::string> damage_of(const Footprint& footprint) {
  std::vector<std::string> found;
  for (const RecordNote& note : footprint.notes) {
    if (note.damage) found.push_back(note.code + "@" + std::to_string(note.line));
  }
  return found;
}

TEST(Record, RoundTripKeepsEveryMember) {
  const Footprint footprint = read_footprint(write_sample());
  EXPECT_THAT(damage_of(footprint), ::testing::IsEmpty());
  EXPECT_TRUE(footprint.complete());
  EXPECT_EQ(footprint.run, "run-1");
  EXPECT_EQ(footprint.end_status, "complete");
  const Conversation c = sample();
  ASSERT_EQ(footprint.conversation.size(), c.size());
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const Message& want = c[i];
    const Message& got = footprint.conversation[i];
    EXPECT_EQ(got.role, want.role) << i;
    EXPECT_EQ(got.origin, want.origin) << i;
    EXPECT_EQ(got.content, want.content) << i;
    EXPECT_EQ(got.tool_call_id, want.tool_call_id) << i;
    EXPECT_EQ(got.tool_name, want.tool_name) << i;
    EXPECT_EQ(got.status, want.status) << i;
    EXPECT_EQ(got.dispatched, want.dispatched) << i;
    ASSERT_EQ(got.calls.size(), want.calls.size()) << i;
    for (std::size_t k = 0; k < want.calls.size(); ++k) {
      EXPECT_EQ(got.calls[k].wire_id, want.calls[k].wire_id);
      EXPECT_EQ(got.calls[k].name, want.calls[k].name);
      EXPECT_EQ(*got.calls[k].arguments_text, *want.calls[k].arguments_text);
    }
  }
  ASSERT_EQ(footprint.lines.size(), 1U);
  EXPECT_EQ(footprint.lines[0].kind, "row");
}

TEST(Record, ContentIsWrittenOnceAndGrowthIsLinear) {
  MemorySink sink;
  RecordWriter writer(sink, RecordWriterOptions("run-1", test_clock()));
  const std::string large(20'000, 'x');
  std::vector<std::string_view> served;
  std::vector<std::string> own;
  own.reserve(200);
  served.reserve(400);
  std::size_t half = 0;
  std::optional<std::uint32_t> base;
  for (int turn = 0; turn < 100; ++turn) {
    own.push_back("turn " + std::to_string(turn));
    served.push_back(own.back());
    served.push_back(large);
    ServedRequest request;
    request.model = "small";
    request.items = served;
    request.base = base;
    base = writer.request(request);
    writer.flush();
    if (turn == 49) half = sink.text().size();
  }
  writer.end("complete");
  EXPECT_LT(sink.text().size(), 2 * half + 1'000);
  const Footprint footprint = read_footprint(sink.text());
  EXPECT_TRUE(footprint.complete());
  ASSERT_EQ(footprint.requests.size(), 100U);
  ASSERT_EQ(footprint.requests.back().items.size(), 200U);
  EXPECT_EQ(*footprint.requests.back().items[198], "turn 99");
  EXPECT_EQ(*footprint.requests.back().items[199], large);
}

TEST(Record, RequestsAreDifferencesOfTheirBase) {
  MemorySink sink;
  RecordWriter writer(sink, RecordWriterOptions("run-1", test_clock()));
  const std::vector<std::vector<std::string>> views{
      {"s", "a", "b", "offer"}, {"s", "a", "b", "c", "offer"}, {"s", "sum", "offer"}, {}, {"s"}};
  std::optional<std::uint32_t> base;
  for (const auto& view : views) {
    ServedRequest request;
    request.items.assign(view.begin(), view.end());
    request.parameters = json::object({{"temperature", 0}});
    request.base = base;
    base = writer.request(request);
  }
  EXPECT_THROW(
      {
        ServedRequest bad;
        bad.base = 99;
        writer.request(bad);
      },
      Error);
  writer.end("complete");
  const Footprint footprint = read_footprint(sink.text());
  EXPECT_TRUE(footprint.complete());
  ASSERT_EQ(footprint.requests.size(), views.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    std::vector<std::string> got;
    for (const SharedText& item : footprint.requests[i].items) got.push_back(*item);
    EXPECT_EQ(got, views[i]) << i;
    EXPECT_EQ(footprint.requests[i].parameters.at("temperature").as_int64(), 0);
  }
}

TEST(Record, ARedactedItemKeepsHashLengthAndReason) {
  const std::string text = write_sample([](std::string_view item, const ItemUse& use) {
    return use.use == "arguments" && item.find("fc1/3") != std::string_view::npos
               ? std::optional<std::string>("port names")
               : std::nullopt;
  });
  const Footprint footprint = read_footprint(text);
  EXPECT_TRUE(footprint.complete());
  ASSERT_EQ(footprint.redacted.size(), 1U);
  EXPECT_EQ(footprint.redacted[0].reason, "port names");
  EXPECT_EQ(footprint.redacted[0].bytes, 20U);
  EXPECT_EQ(footprint.redacted[0].sha256, sha256_hex(R"({ "port" : "fc1/3" })"));
  EXPECT_EQ(text.find(R"({ \"port\")"), std::string::npos);
}

// Cut at every byte: never a fault in what is left, never a message that was not there.
TEST(Record, ACutAnywhereIsATornTailAndNoDamage) {
  const std::string whole = write_sample();
  const std::size_t header_end = whole.find('\n') + 1;
  for (std::size_t cut = header_end; cut < whole.size(); ++cut) {
    const Footprint footprint = read_footprint(whole.substr(0, cut));
    ASSERT_TRUE(footprint.intact()) << cut << " " << damage_of(footprint).front();
    ASSERT_FALSE(footprint.complete()) << cut;
    ASSERT_LE(footprint.conversation.size(), sample().size());
  }
}

TEST(Record, ANewSegmentGoesOnBehindATornTail) {
  const std::string whole = write_sample();
  for (std::size_t cut = whole.find('\n') + 1; cut < whole.size(); ++cut) {
    const std::string torn = whole.substr(0, cut);
    const Footprint before = read_footprint(torn);
    MemorySink sink;
    sink.write(torn, false);
    sink.write(std::string(footprint_gap(torn)), false);
    RecordWriter writer(sink, continue_footprint(before, test_clock()));
    writer.message(Message::user("going on"));
    writer.end("complete");
    const Footprint after = read_footprint(sink.text());
    ASSERT_THAT(damage_of(after), ::testing::IsEmpty()) << cut;
    ASSERT_TRUE(after.complete()) << cut;
    EXPECT_EQ(after.segments, 2U);
    ASSERT_EQ(after.conversation.size(), before.conversation.size() + 1);
    EXPECT_EQ(after.conversation[after.conversation.size() - 1].text(), "going on");
  }
}

TEST(Record, EveryChangedByteIsFound) {
  const std::string whole = write_sample();
  const std::size_t header_end = whole.find('\n') + 1;
  for (std::size_t at = header_end; at + 1 < whole.size(); at += 7) {
    std::string changed = whole;
    changed[at] = changed[at] == 'q' ? 'z' : 'q';
    const Footprint footprint = read_footprint(changed);
    EXPECT_FALSE(footprint.complete()) << at << ": " << whole.substr(at, 20);
  }
}

TEST(Record, DamageIsNamedByLine) {
  std::vector<std::string> lines = lines_of(write_sample());
  std::size_t item = 0;
  while (lines[item].find("\"kind\":\"item\"") == std::string::npos) ++item;
  std::vector<std::string> changed = lines;
  changed[item].replace(changed[item].find("rules"), 5, "rulez");
  EXPECT_THAT(damage_of(read_footprint(joined(changed))),
              ::testing::Contains("item-hash@" + std::to_string(item + 1)));

  std::vector<std::string> removed = lines;
  removed.erase(removed.begin() + 4);
  EXPECT_THAT(damage_of(read_footprint(joined(removed))), ::testing::Contains("sequence@5"));

  std::vector<std::string> swapped = lines;
  std::swap(swapped[2], swapped[3]);
  EXPECT_FALSE(damage_of(read_footprint(joined(swapped))).empty());

  std::vector<std::string> noise = lines;
  noise.insert(noise.begin() + 3, "not json");
  EXPECT_THAT(damage_of(read_footprint(joined(noise))), ::testing::Contains("unreadable@4"));

  std::vector<std::string> appended = lines;
  appended.push_back(R"({"seq":99,"kind":"end","status":"complete"})");
  const Footprint tail = read_footprint(joined(appended));
  EXPECT_FALSE(damage_of(tail).empty());
}

// A forged key reads as no key: the position decides, and nothing is thrown.
TEST(Record, AForgedCallKeyIsNoKey) {
  const std::string whole = write_sample();
  const std::size_t results = read_footprint(whole).conversation.results().size();
  ASSERT_GT(results, 0U);
  for (const char* forged : {R"({"a":1,"b":2})", "[]", "[1]", "[-1,0]", "\"x\"", "null", "7"}) {
    std::vector<std::string> lines = lines_of(whole);
    for (std::string& line : lines) {
      const std::size_t at = line.find("\"role\":\"tool\"");
      if (at != std::string::npos) line.insert(at, fmt::format("\"call\":{},", forged));
    }
    const Footprint footprint = read_footprint(joined(lines));
    EXPECT_EQ(footprint.conversation.results().size(), results) << forged;
  }
}

TEST(Record, WhatIsNoFootprintIsRefused) {
  for (const char* text :
       {"", "\n", "{}\n", "[1]\n", "{\"kind\":\"header\"}\n",
        R"({"seq":0,"kind":"header","format":"agentfootprint.footprint","version":2})"
        "\n"}) {
    try {
      (void)read_footprint(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "record-format") << text;
    }
  }
}

TEST(Record, NothingIsWrittenBehindTheEnd) {
  MemorySink sink;
  RecordWriter writer(sink, RecordWriterOptions("run-1", test_clock()));
  writer.end("stopped");
  EXPECT_THROW(writer.message(Message::user("late")), Error);
  EXPECT_THROW(writer.line("item", json::object({{"item", 1}})), Error);
  EXPECT_EQ(read_footprint(sink.text()).end_status, "stopped");
}

TEST(Record, EveryLineFitsThePublishedSchema) {
  std::ifstream file(std::string(AGENTFOOTPRINT_SOURCE_DIR) +
                     "/docs/schemas/footprint-line.schema.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto schema = json::Schema::compile(json::parse_or_throw(text));
  ASSERT_TRUE(schema) << schema.error();
  MemorySink sink;
  RecordWriter writer(sink, RecordWriterOptions("run-1", test_clock()));
  ServedRequest request;
  request.items = {"a", "b"};
  request.model = "small";
  request.parameters = json::object({{"temperature", 0}});
  writer.request(request);
  writer.line("event", json::object({{"name", "x"}}));
  writer.flush();
  for (const std::string& line : lines_of(write_sample() + sink.text())) {
    const auto issues = schema->check(json::parse_or_throw(line), 3);
    EXPECT_TRUE(issues.empty()) << line << " " << issues.front().message;
  }
  EXPECT_FALSE(
      schema->check(json::parse_or_throw(R"({"seq":1,"kind":"item","item":0})"), 1).empty());
}

TEST(Record, Base64IsCanonical) {
  using record::internal::base64_decode;
  using record::internal::base64_encode;
  const std::string bytes = std::string("\x00\xff\x10 abc", 7);
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    EXPECT_EQ(base64_decode(base64_encode(bytes.substr(0, length))), bytes.substr(0, length));
  }
  EXPECT_EQ(base64_encode("foob"), "Zm9vYg==");
  for (const char* bad : {"A", "AAA", "A===", "AA=A", "AA*A", "===="}) {
    EXPECT_EQ(base64_decode(bad), std::nullopt) << bad;
  }
}

TEST(Record, FileSinkAppendsAndReportsErrors) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("agentfootprint-record-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "a.footprint.jsonl").string();
  const RecordThread thread;
  {
    FileSink sink(path, thread);
    RecordWriter writer(sink, RecordWriterOptions("run-1", test_clock()));
    writer.message(Message::user("go"));
    writer.end("complete");
    sink.sync();
  }
  const Footprint footprint = read_footprint_file(path);
  EXPECT_TRUE(footprint.complete());
  EXPECT_EQ(footprint.conversation.size(), 1U);

  FileSink lost((folder / "missing" / "b.jsonl").string(), thread);
  lost.write("{}\n", false);
  EXPECT_THROW(lost.sync(), Error);
  EXPECT_THROW(lost.write("{}\n", false), Error);
  EXPECT_THROW((void)read_footprint_file((folder / "none").string()), Error);
  std::filesystem::remove_all(folder);
}

TEST(Record, ALineOfTextIsTheLineOfItsValue) {
  const auto written = [](const std::function<void(RecordWriter&)>& write) {
    ManualClock clock;
    MemorySink sink;
    RecordWriter writer(sink, RecordWriterOptions("r", clock));
    write(writer);
    writer.end("complete");
    return sink.text();
  };
  const std::string by_value = written([](RecordWriter& writer) {
    writer.line("commit", json::object({{"row", 0}, {"stage", "seed"}}));
    writer.line("commit", json::object({}));
  });
  EXPECT_EQ(written([](RecordWriter& writer) {
              writer.line_of_text("commit", R"("row":0,"stage":"seed")");
              writer.line_of_text("commit", "");
            }),
            by_value);
  EXPECT_THROW(written([](RecordWriter& writer) { writer.line_of_text("end", ""); }), Error);
}

}  // namespace
}  // namespace agentfootprint
