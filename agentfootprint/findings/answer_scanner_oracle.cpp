// The answer scanner against a reference that sees the whole text at once.
//
// The reference finds objects by recursive descent, rewrites each one from the list of its members,
// and treats lines and fences in a second pass over finished lines. It shares no code with the
// scanner.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/base/random.hpp"
#include "agentfootprint/findings/answer_scanner.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint::findings {
namespace {

constexpr char kEmptied = '\x01';  // stands for an emptied object; no test text contains it

bool space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct RefMember {
  std::size_t key_begin = 0;
  bool other_key = false;  // the key is known not to be the reserved one
  bool notes = false;      // the key is complete and is the reserved one
  bool colon = false;
  std::size_t comma = 0;  // of the separator before it, when there is one
  std::size_t value_begin = 0;
  std::size_t value_end = 0;  // 0: not complete
};

// Parses one candidate; `fail` is where the text stops being JSON (its size: the text ended).
class Reference {
 public:
  explicit Reference(std::string_view text) : text_(text) {}

  PeeledAnswer peel() {
    std::size_t at = 0;
    while (at < text_.size()) {
      if (text_[at] != '{' && text_[at] != '[') {
        out_ += text_[at++];
        continue;
      }
      failed_ = false;
      const std::size_t begin = at;
      copied_ = begin;
      const std::size_t end = value(begin, 0, false);
      const std::size_t stop = failed_ ? fail_ : end;
      copy_to(stop);
      at = stop;
    }
    PeeledAnswer peeled;
    peeled.notes = notes_;
    peeled.text = lines(out_);
    return peeled;
  }

 private:
  std::size_t fail(std::size_t at) {
    if (!failed_) fail_ = at;
    failed_ = true;
    return at;
  }
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }
  bool over(std::size_t position) const { return position >= text_.size(); }
  std::size_t skip(std::size_t position) const {
    while (!over(position) && space(at(position))) ++position;
    return position;
  }
  void copy_to(std::size_t end) {
    if (end > copied_) out_ += text_.substr(copied_, end - copied_);
    copied_ = end > copied_ ? end : copied_;
  }

  std::size_t value(std::size_t position, int objects, bool in_list) {
    const char c = at(position);
    if (over(position)) return fail(position);
    if (c == '{') return objects == 0 ? own_object(position, in_list) : object(position, objects);
    if (c == '[') return list(position, objects);
    if (c == '"') return string(position);
    return scalar(position);
  }

  // Characters a scalar could go on with, up to the one that cannot.
  std::size_t scalar(std::size_t position) {
    for (const std::string_view word : {"true", "false", "null"}) {
      if (at(position) != word[0]) continue;
      for (std::size_t k = 0; k < word.size(); ++k) {
        if (at(position + k) != word[k]) return fail(position + k);
      }
      return delimited(position + word.size());
    }
    std::size_t end = position;
    if (at(end) == '-') ++end;
    if (!digit(end)) return fail(end);
    if (at(end) == '0') {
      ++end;
    } else {
      while (digit(end)) ++end;
    }
    if (at(end) == '.') {
      ++end;
      if (!digit(end)) return fail(end);
      while (digit(end)) ++end;
    }
    if (at(end) == 'e' || at(end) == 'E') {
      ++end;
      if (at(end) == '+' || at(end) == '-') ++end;
      if (!digit(end)) return fail(end);
      while (digit(end)) ++end;
    }
    return delimited(end);
  }
  bool digit(std::size_t position) const { return at(position) >= '0' && at(position) <= '9'; }
  std::size_t delimited(std::size_t end) {
    const char c = at(end);
    if (over(end) || !(space(c) || c == ',' || c == '}' || c == ']')) return fail(end);
    return end;
  }

  std::size_t string(std::size_t position, std::string* decoded = nullptr) {
    std::size_t end = position + 1;
    while (true) {
      if (over(end)) return fail(end);
      const char c = at(end);
      if (c == '"') return end + 1;
      if (static_cast<unsigned char>(c) < 0x20) return fail(end);
      if (c != '\\') {
        if (decoded != nullptr) *decoded += c;
        ++end;
        continue;
      }
      ++end;
      if (over(end)) return fail(end);
      if (at(end) == 'u') {
        unsigned unit = 0;
        for (int k = 1; k <= 4; ++k) {
          const char h = at(end + static_cast<std::size_t>(k));
          if (over(end + static_cast<std::size_t>(k)) ||
              std::string_view("0123456789abcdefABCDEF").find(h) == std::string_view::npos) {
            return fail(end + static_cast<std::size_t>(k));
          }
          unit = unit * 16 + static_cast<unsigned>(std::stoi(std::string(1, h), nullptr, 16));
        }
        if (decoded != nullptr) *decoded += unit < 128 ? static_cast<char>(unit) : '?';
        end += 5;
        continue;
      }
      if (std::string_view("\"\\/bfnrt").find(at(end)) == std::string_view::npos) return fail(end);
      if (decoded != nullptr) *decoded += '?';
      ++end;
    }
  }

  std::size_t list(std::size_t position, int objects) {
    std::size_t end = skip(position + 1);
    if (at(end) == ']' && !over(end)) return end + 1;
    while (true) {
      end = value(end, objects, true);
      if (failed_) return end;
      end = skip(end);
      if (over(end)) return fail(end);
      if (at(end) == ']') return end + 1;
      if (at(end) != ',') return fail(end);
      end = skip(end + 1);
    }
  }

  std::size_t object(std::size_t position, int objects) {
    std::vector<RefMember> ignored;
    return members(position, objects + 1, ignored);
  }

  std::size_t members(std::size_t position, int objects, std::vector<RefMember>& list) {
    std::size_t end = skip(position + 1);
    if (at(end) == '}' && !over(end)) return end + 1;
    std::size_t comma = 0;
    while (true) {
      if (over(end) || at(end) != '"') return fail(end);
      RefMember member;
      member.key_begin = end;
      member.comma = comma;
      std::string key;
      const std::size_t key_end = string(end, &key);
      const bool prefix = kReservedKey.substr(0, key.size()) == key;
      member.other_key = !prefix || (!failed_ && key.size() != kReservedKey.size());
      member.notes = !failed_ && key == kReservedKey;
      list.push_back(member);
      if (failed_) return key_end;
      end = skip(key_end);
      if (over(end) || at(end) != ':') return fail(end);
      list.back().colon = true;
      list.back().value_begin = skip(end + 1);
      end = value(list.back().value_begin, objects, false);
      if (failed_) return end;
      list.back().value_end = end;
      end = skip(end);
      if (over(end)) return fail(end);
      if (at(end) == '}') return end + 1;
      if (at(end) != ',') return fail(end);
      comma = end;
      end = skip(end + 1);
    }
  }

  // Writes an object that stands in no other.
  std::size_t own_object(std::size_t position, bool in_list) {
    copy_to(position);
    std::vector<RefMember> list;
    const std::size_t end = members(position, 1, list);
    const std::size_t stop = failed_ ? fail_ : end;
    copied_ = stop;
    const std::string emptied = in_list ? "{}" : std::string(1, kEmptied);

    std::optional<std::string_view> last_notes;
    for (const RefMember& member : list) {
      if (member.notes && member.value_end != 0) {
        last_notes = text_.substr(member.value_begin, member.value_end - member.value_begin);
      }
    }
    const bool cut = failed_ && over(fail_) && !list.empty() && list.back().notes &&
                     list.back().colon && list.back().value_end == 0;
    if (!last_notes && !cut) {
      out_ += text_.substr(position, stop - position);
      return end;
    }

    std::string head(text_.substr(position, list.front().key_begin - position));
    bool shown = false;
    std::size_t upto = 0;  // end of the last complete member
    for (const RefMember& member : list) {
      if (member.value_end == 0) break;
      if (shown) out_ += text_.substr(upto, member.comma - upto);
      if (!member.notes) {
        const std::size_t from = shown ? member.comma : member.key_begin;
        if (!shown) out_ += head;
        out_ += text_.substr(from, member.value_end - from);
        shown = true;
      }
      upto = member.value_end;
    }
    if (cut) {
      if (shown) out_ += text_.substr(upto, list.back().comma - upto);
      if (!shown) out_ += emptied;
      notes_.complete = false;
      ++notes_.malformed;
      return end;
    }
    read(*last_notes);
    if (!failed_) {
      if (shown) {
        out_ += text_.substr(upto, end - upto);
      } else {
        out_ += emptied;
      }
      return end;
    }
    const bool partial = list.back().value_end == 0;
    const std::string tail(text_.substr(upto, stop - upto));
    if (shown) {
      out_ += tail;
    } else if (partial && list.back().other_key) {
      out_ += head;
      out_ += text_.substr(list.back().key_begin, stop - list.back().key_begin);
    } else if (!partial && at(stop) == '"' && tail.find(',') == std::string::npos) {
      out_ += head;
    } else {
      out_ += emptied + tail;
    }
    return end;
  }

  void read(std::string_view value_text) {
    const auto parsed = json::parse(value_text);
    if (!parsed) {
      ++notes_.malformed;
      return;
    }
    DeclarationReading reading = read_declaration(*parsed);
    notes_.malformed += reading.malformed;
    if (!reading.declaration) return;
    if (!notes_.declaration) notes_.declaration.emplace();
    merge(*notes_.declaration, *reading.declaration);
  }

  // ---- lines ----
  struct Line {
    std::string text;  // with its line feed
    bool notes = false;
    bool blank = false;
  };

  static std::string shown(std::string line) {
    std::string out;
    for (const char c : line) {
      if (c == kEmptied) {
        out += "{}";
      } else {
        out += c;
      }
    }
    return out;
  }

  static std::vector<Line> split(const std::string& text) {
    std::vector<Line> list;
    std::size_t begin = 0;
    while (begin < text.size()) {
      std::size_t end = text.find('\n', begin);
      end = end == std::string::npos ? text.size() : end + 1;
      Line line;
      line.text = text.substr(begin, end - begin);
      bool content = false;
      for (const char c : line.text) {
        content = content || (!space(c) && c != kEmptied);
        line.notes = line.notes || c == kEmptied;
      }
      line.blank = !content && !line.notes;
      line.notes = line.notes && !content;
      list.push_back(line);
      begin = end;
    }
    return list;
  }

  // The run of a fence line: its character and length; length 0 when it is none.
  static std::pair<char, std::size_t> fence_run(const std::string& line, bool closing) {
    std::size_t at = 0;
    while (at < line.size() && space(line[at]) && line[at] != '\n') ++at;
    const char c = at < line.size() ? line[at] : '\0';
    if (c != '`' && c != '~') return {c, 0};
    std::size_t run = 0;
    while (at < line.size() && line[at] == c) {
      ++at;
      ++run;
    }
    if (run < 3) return {c, 0};
    const std::string rest = line.substr(at);
    if (rest.find(kEmptied) != std::string::npos) return {c, 0};
    if (closing) {
      for (const char r : rest) {
        if (!space(r)) return {c, 0};
      }
      return {c, run};
    }
    if (rest.empty() || rest.back() != '\n') return {c, 0};
    if (c == '`' && rest.find('`') != std::string::npos) return {c, 0};
    return {c, run};
  }

  std::string lines(const std::string& text) {
    const bool several = std::count(text.begin(), text.end(), kEmptied) > 1;
    std::vector<Line> list = split(text);
    bool fence_dropped = false;
    list = drop_fences(std::move(list), fence_dropped);
    // The whole answer is one bare object.
    bool only_notes = true;
    bool any_notes = false;
    for (const Line& line : list) {
      only_notes = only_notes && (line.notes || line.blank);
      any_notes = any_notes || line.notes;
    }
    if (any_notes && only_notes) return several || fence_dropped ? "" : shown(text);
    return collapse(list);
  }

  // A fence around nothing but notes becomes one notes line; `starts` marks lines that open a
  // fence.
  std::vector<Line> drop_fences(std::vector<Line> list, bool& dropped) {
    std::vector<Line> out;
    starts_.clear();
    for (std::size_t at = 0; at < list.size(); ++at) {
      const auto [c, run] = fence_run(list[at].text, false);
      if (run == 0) {
        out.push_back(list[at]);
        starts_.push_back(false);
        continue;
      }
      std::size_t end = at + 1;
      bool plain = false;
      bool notes = false;
      for (; end < list.size(); ++end) {
        const auto [k, length] = fence_run(list[end].text, true);
        if (k == c && length >= run) break;
        plain = plain || !(list[end].notes || list[end].blank);
        notes = notes || list[end].notes;
      }
      const bool closed = end < list.size();
      if (notes && !plain) {
        Line line;
        line.notes = true;
        line.text = closed ? list[end].text : list.back().text;
        if (!closed) line.text = "x";  // the text ends here, without a line feed of its own
        out.push_back(line);
        starts_.push_back(false);
        dropped = true;
        at = closed ? end : list.size();
        continue;
      }
      for (std::size_t k = at; k < end + (closed ? 1 : 0); ++k) {
        out.push_back(list[k]);
        starts_.push_back(k == at);
      }
      at = closed ? end : list.size();
    }
    return out;
  }

  std::string collapse(const std::vector<Line>& list) {
    std::string out;
    std::size_t at = 0;
    while (at < list.size()) {
      if (!list[at].notes && !list[at].blank) {
        out += shown(list[at].text);
        ++at;
        continue;
      }
      const std::size_t begin = at;
      bool notes = false;
      std::size_t last_notes = at;
      while (at < list.size() && (list[at].notes || list[at].blank)) {
        if (list[at].notes) last_notes = at;
        notes = notes || list[at].notes;
        ++at;
      }
      if (!notes) {
        for (std::size_t k = begin; k < at; ++k) out += list[k].text;
        continue;
      }
      const bool joined = begin > 0 && !starts_[begin - 1];
      const bool ends = at == list.size();
      if (ends) {
        // Nothing follows: the line before keeps its line feed only if the notes line had one.
        const bool kept = list[last_notes].text.back() == '\n';
        if (begin > 0 && !kept && joined_or_fence(begin)) strip_line_feed(out);
        if (begin > 0 && !joined) {
          for (std::size_t k = begin; list[k].blank; ++k) out += list[k].text;
        }
        continue;
      }
      if (!joined) {
        for (std::size_t k = begin; list[k].blank; ++k) out += list[k].text;
        continue;
      }
      for (std::size_t k = begin; k < at; ++k) {
        if (!list[k].blank) continue;
        out += list[k].text;
        break;
      }
    }
    return out;
  }
  bool joined_or_fence(std::size_t begin) const { return !starts_[begin - 1]; }
  static void strip_line_feed(std::string& out) {
    if (!out.empty() && out.back() == '\n') out.pop_back();
    while (!out.empty() && space(out.back())) out.pop_back();
  }

  std::string_view text_;
  std::string out_;
  std::size_t copied_ = 0;
  bool failed_ = false;
  std::size_t fail_ = 0;
  AnswerNotes notes_;
  std::vector<bool> starts_;
};

std::string declared(const AnswerNotes& notes) {
  std::string text = notes.complete ? "complete " : "cut ";
  text += std::to_string(notes.malformed);
  if (notes.declaration) {
    const auto& one = *notes.declaration;
    text += one.basis ? std::string(name_of(*one.basis)) : "-";
    text += std::to_string(one.previous ? one.previous->size() + 1 : 0);
  }
  return text;
}

const std::vector<std::string>& words() {
  static const std::vector<std::string> list = {"{",
                                                "}",
                                                "[",
                                                "]",
                                                ",",
                                                ":",
                                                " ",
                                                "\n",
                                                "\n\n",
                                                "\"a\"",
                                                "\"_findings\"",
                                                "\"_fin",
                                                "\"\\u005ffindings\"",
                                                "1",
                                                "01",
                                                "true",
                                                "tru",
                                                "x",
                                                "\"",
                                                "```\n",
                                                "~~~",
                                                "\\",
                                                "{\"_findings\":{\"basis\":\"direct\"}}",
                                                "\"_findings\":{\"previous\":[]}",
                                                "\"a\":1",
                                                "\r\n",
                                                "{\"_findings\":1,\"a\":[1,{\"b\":null}]}"};
  return list;
}

std::string random_text(SeededRandom& random) {
  std::string text;
  const std::uint64_t length = 1 + random.below(12);
  for (std::uint64_t k = 0; k < length; ++k) text += words()[random.below(words().size())];
  return text;
}

TEST(AnswerScannerOracle, RandomTexts) {
  SeededRandom random(11);
  int removed = 0;
  for (int round = 0; round < 60'000; ++round) {
    const std::string text = random_text(random);
    const PeeledAnswer want = Reference(text).peel();
    const PeeledAnswer got = peel_answer(text);
    ASSERT_EQ(want.text, got.text) << "of: " << text;
    ASSERT_EQ(declared(want.notes), declared(got.notes)) << "of: " << text;
    if (got.text != text) ++removed;
  }
  EXPECT_GT(removed, 10'000);  // the texts reach the rules
}

TEST(AnswerScannerOracle, AllShortTexts) {
  const std::vector<std::string> few = {
      "{", "}", "[", "]", ",", " ", "\n", "x", "\"_findings\":1", "\"a\":1"};
  std::vector<std::size_t> digits(5, 0);
  std::size_t count = 0;
  while (true) {
    std::string text;
    for (const std::size_t digit : digits) text += few[digit];
    const PeeledAnswer want = Reference(text).peel();
    const PeeledAnswer got = peel_answer(text);
    ASSERT_EQ(want.text, got.text) << "of: " << text;
    ++count;
    std::size_t at = 0;
    while (at < digits.size() && ++digits[at] == few.size()) digits[at++] = 0;
    if (at == digits.size()) break;
  }
  EXPECT_EQ(count, 100'000U);
}

TEST(AnswerScannerOracle, EverySplitPoint) {
  SeededRandom random(12);
  for (int round = 0; round < 4'000; ++round) {
    const std::string text = random_text(random);
    const PeeledAnswer whole = peel_answer(text);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      AnswerScanner scanner;
      std::string joined = scanner.feed(std::string_view(text).substr(0, cut));
      joined += scanner.feed(std::string_view(text).substr(cut));
      joined += scanner.end();
      ASSERT_EQ(whole.text, joined) << "of: " << text << " cut at " << cut;
      ASSERT_EQ(declared(whole.notes), declared(scanner.notes()));
    }
  }
}

TEST(AnswerScannerOracle, RandomChunkings) {
  SeededRandom random(13);
  for (int round = 0; round < 4'000; ++round) {
    std::string text;
    for (int part = 0; part < 4; ++part) text += random_text(random);
    const PeeledAnswer whole = peel_answer(text);
    for (int chunking = 0; chunking < 4; ++chunking) {
      AnswerScanner scanner;
      std::string joined;
      std::size_t at = 0;
      while (at < text.size()) {
        const std::size_t length = 1 + random.below(7);
        joined += scanner.feed(std::string_view(text).substr(at, length));
        at += length;
      }
      joined += scanner.end();
      ASSERT_EQ(whole.text, joined) << "of: " << text;
    }
  }
}

TEST(AnswerScannerOracle, NothingRemovedIsByteIdentical) {
  SeededRandom random(14);
  for (int round = 0; round < 50'000; ++round) {
    const std::string text = random_text(random);
    if (text.find("findings") != std::string::npos) continue;
    ASSERT_EQ(text, peel_answer(text).text);
  }
}

}  // namespace
}  // namespace agentfootprint::findings
