// Instants at their edges, zones, epochs as they are written, and the order of rows in a repeated
// hour.
#include "agentfootprint/semantics/time_axis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::semantics {
namespace {

json::Value parsed(std::string_view text) {
  return json::parse_or_throw(text);
}

TEST(Instant, ReadsWhatItWrites) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5000; ++i) {
    Instant at{static_cast<std::int64_t>(random() % 315'569'520'000ULL) - 62'167'219'200LL,
               static_cast<std::int32_t>(random() % 1'000'000'000)};
    if (i % 3 == 0) at.nanos = 0;
    if (i % 3 == 1) at.nanos = at.nanos / 1'000'000 * 1'000'000;
    ASSERT_TRUE(is_writable(at));
    const std::string text = format_utc(at, precision_of(at));
    const auto read = parse_instant(text);
    ASSERT_TRUE(read.has_value()) << text;
    EXPECT_EQ(*read, at) << text;
  }
}

TEST(Instant, RefusesWhatIsNone) {
  for (const char* text : {"",
                           "2026",
                           "2026-13-01T00:00Z",
                           "2026-02-30T00:00Z",
                           "2026-01-01T24:00Z",
                           "2026-01-01T00:60Z",
                           "2026-01-01T00:00:61Z",
                           "2026-01-01T00:00:00.Z",
                           "2026-01-01T00:00:00.1234567890Z",
                           "2026-01-01T00:00+24:00",
                           "2026-01-01T00:00+05:60",
                           "2026-01-01T00:00+0530",
                           "2026-01-01T00:00Z ",
                           " 2026-01-01T00:00Z",
                           "2026-01-01T00:00:00,5Z",
                           "26-01-01T00:00Z",
                           "2026-1-1T00:00Z",
                           "0000-01-01T00:00+00:01",
                           "9999-12-31T23:59:60Z",
                           "2026-01-01T00:00.5Z"}) {
    EXPECT_FALSE(parse_instant(text).has_value()) << text;
  }
  EXPECT_FALSE(parse_instant("2026-01-01T00:00").has_value()) << "a wall time is no instant";
  EXPECT_TRUE(parse_time("2026-01-01").has_value());
  EXPECT_FALSE(parse_time("2026-01-01Z").has_value());
}

TEST(NormaliseInstants, ReadsEpochsAsTheyAreWritten) {
  const DatasetTimeAxis axis = checked_time_axis(parsed(R"({"column":"t","unit":"epoch-s"})"));
  const NormalisedInstants read = normalise_instants(
      parsed(R"([{"t":1e3},{"t":1726304400.123456789},{"t":1726304400.1234567891},
                 {"t":1.5000000000000},{"t":-0.5},{"t":9007199254740993},{"t":-0}])"),
      axis);
  EXPECT_EQ(read.counts.unreadable, 3U);  // an exponent, ten digits, past the year 9999
  ASSERT_EQ(read.points.size(), 4U);
  EXPECT_EQ(read.points[0].at, "1969-12-31T23:59:59.500000000Z");
  EXPECT_EQ(read.points[1].at, "1970-01-01T00:00:00.000000000Z");
  EXPECT_EQ(read.points[2].at, "1970-01-01T00:00:01.500000000Z");
  EXPECT_EQ(read.points[3].at, "2024-09-14T09:00:00.123456789Z");
  EXPECT_EQ(read.precision, Precision::nanosecond);
}

TEST(NormaliseInstants, ReadsOnlyTheColumnItWasTold) {
  const DatasetTimeAxis axis = checked_time_axis(parsed(R"({"column":"__proto__","unit":"iso"})"));
  const NormalisedInstants read = normalise_instants(parsed(R"([{"a":1}])"), axis);
  EXPECT_EQ(read.counts.missing, 1U);
}

TEST(NormaliseInstants, RefusesWhatIsNoAxisAndNoRows) {
  DatasetTimeAxis axis;
  axis.column = "t";
  axis.zone = "Mars/Olympus";
  EXPECT_THROW((void)normalise_instants(parsed("[]"), axis), Refusal);
  axis.zone.reset();
  EXPECT_THROW((void)normalise_instants(parsed("{}"), axis), Refusal);
  EXPECT_TRUE(normalise_instants(parsed("[]"), axis).points.empty());
}

// An hour of a zone's clock going back, told minute by minute, is resolved at every step width.
TEST(NormaliseInstants, ResolvesARepeatedHourByTheOrderOfRows) {
  const DatasetTimeAxis axis =
      checked_time_axis(parsed(R"({"column":"t","unit":"iso","zone":"Europe/London"})"));
  for (const int step : {1, 5, 7, 15, 30, 60}) {
    json::ArrayBuilder rows;
    std::vector<std::string> want;
    std::size_t repeated = 0;
    const std::int64_t start = parse_instant("2026-10-24T22:00:00Z")->seconds;
    const std::int64_t change = parse_instant("2026-10-25T01:00:00Z")->seconds;
    for (std::int64_t at = start; at < start + 6 * 3600; at += step * 60) {
      const std::int64_t wall = at + (at < change ? 3600 : 0);
      if (at >= change - 3600 && at < change + 3600) ++repeated;
      std::string text = format_utc(Instant{wall, 0}, Precision::second);
      text.pop_back();
      json::ObjectBuilder row;
      row.add("t", text);
      rows.add(row.build());
      want.push_back(format_utc(Instant{at, 0}, Precision::second));
    }
    const NormalisedInstants read = normalise_instants(rows.build(), axis);
    EXPECT_EQ(read.status, NormalisedInstants::Status::instants) << step;
    ASSERT_EQ(read.points.size(), want.size()) << step;
    for (std::size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(read.points[i].at, want[i]);
      EXPECT_EQ(read.points[i].row, i);
    }
    EXPECT_EQ(read.notes.size(), repeated) << step;
  }
}

TEST(TimeAxis, ReadsTheMemberOfAMeta) {
  EXPECT_EQ(read_time_axis(parsed("{}")).status, TimeAxisReading::Status::absent);
  const TimeAxisReading declared = read_time_axis(parsed(
      R"({"timeAxis":{"column":"t","unit":"iso","interval":"1h","aggregate":{"a":"avg"}}})"));
  EXPECT_EQ(declared.status, TimeAxisReading::Status::declared);
  EXPECT_EQ(json::dump(to_json(*declared.axis)),
            R"({"column":"t","unit":"iso","interval":"1h","aggregate":{"a":"avg"}})");
  const TimeAxisReading malformed = read_time_axis(parsed(R"({"timeAxis":{"column":"t"}})"));
  EXPECT_EQ(malformed.status, TimeAxisReading::Status::malformed);
  EXPECT_EQ(malformed.issues.front().field, "unit");
}

}  // namespace
}  // namespace agentfootprint::semantics
