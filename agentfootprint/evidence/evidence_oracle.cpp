// The naive reader and judge. Slow and plain on purpose.
#include "agentfootprint/evidence/evidence_oracle.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "agentfootprint/json/parse.hpp"

namespace agentfootprint::evidence::oracle {
namespace {

using json::Decimal;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

bool has_digit(std::string_view text) {
  return text.find_first_of("0123456789") != std::string_view::npos;
}

std::string without(std::string text, char gone) {
  text.erase(std::remove(text.begin(), text.end(), gone), text.end());
  return text;
}

int places_of(const std::string& number) {
  const std::size_t point = number.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(number.size() - point - 1);
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// White space parts tokens, and so does a comma that does not stand between two digits.
std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens(1);
  const auto digit = [&](std::size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool comma = text[i] == ',' && !(i > 0 && digit(i - 1) && digit(i + 1));
    if (text[i] == ' ' || text[i] == '\n' || comma) {
      tokens.emplace_back();
    } else {
      tokens.back() += text[i];
    }
  }
  return tokens;
}

std::string stripped(std::string token) {
  const std::string_view front = "\"'`([{<#@~=*_>";
  const std::string_view back = ".,;:!?\"'`)]}>*_";
  while (!token.empty() && front.find(token.front()) != std::string_view::npos) token.erase(0, 1);
  while (!token.empty() && back.find(token.back()) != std::string_view::npos) token.pop_back();
  return token;
}

bool is_date(int month, int day) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month >= 1 && month <= 12 && day >= 1 && day <= kDays[static_cast<std::size_t>(month - 1)];
}

Item number_item(const std::string& raw, const std::string& number) {
  Item item;
  item.raw = raw;
  item.text = lower(raw);
  item.numbers = {*Decimal::parse(number)};
  item.decimals = places_of(number);
  return item;
}

// A comma run: grouped, decimal comma, list.
std::optional<Item> comma_run(const std::string& token) {
  if (!RE2::FullMatch(token, R"(\d+(,\d+)+)")) return std::nullopt;
  Item item;
  item.raw = item.text = token;
  if (RE2::FullMatch(token, R"([1-9]\d{0,2}(,\d{3})+)")) {
    item.numbers.push_back(*Decimal::parse(without(token, ',')));
  }
  const std::vector<std::string> members = split(token, ',');
  if (members.size() == 2) {
    item.numbers.push_back(*Decimal::parse(members[0] + "." + members[1]));
  }
  item.members = members;
  return item;
}

// True: read into `out`. False: outside the grammar.
bool read_token(const std::string& token, std::vector<Item>& out) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0;
  if (RE2::FullMatch(token, R"((\d{4})-(\d\d)-(\d\d))", &year, &month, &day)) {
    if (!is_date(month, day) || year == 0) return false;
    Item item;
    item.kind = Kind::date;
    item.raw = item.text = token;
    out.push_back(item);
    return true;
  }
  if (RE2::FullMatch(token, R"((\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):00)", &year, &month, &day, &hour,
                     &minute)) {
    if (!is_date(month, day) || year == 0 || hour > 23 || minute > 59) return false;
    Item item;
    item.kind = Kind::instant;
    item.raw = token;
    item.text = token.substr(0, 10) + " " + token.substr(11, 5);
    out.push_back(item);
    return true;
  }
  if (RE2::FullMatch(token, R"((\d\d):(\d\d))", &hour, &minute)) {
    if (hour > 23 || minute > 59) return false;
    Item item;
    item.kind = Kind::time;
    item.raw = item.text = token;
    out.push_back(item);
    return true;
  }
  if (auto run = comma_run(token)) {
    // Lists of members with leading zeros are left to the engine.
    if (std::any_of(run->members.begin(), run->members.end(),
                    [](const std::string& m) { return m.size() > 1 && m[0] == '0'; })) {
      if (run->numbers.empty()) return false;
    }
    out.push_back(*run);
    return true;
  }
  if (RE2::FullMatch(token, R"([1-9]\d{0,2}(,\d{3})+\.\d+)")) {
    out.push_back(number_item(token, without(token, ',')));
    return true;
  }
  if (RE2::FullMatch(token, R"(0\d+)")) {
    Item item = number_item(token, token);
    item.kind = Kind::identifier;
    item.leading_zero = true;
    out.push_back(item);
    return true;
  }
  if (RE2::FullMatch(token, R"(-?\d+)")) {
    if (RE2::FullMatch(token, R"(-0\d+)")) return false;
    out.push_back(number_item(token, token));
    return true;
  }
  if (RE2::FullMatch(token, R"(-?\d+\.\d+)")) {
    Item item = number_item(token, token);
    if (RE2::FullMatch(token, R"([1-9]\d{0,2}\.\d{3})")) {
      item.numbers.push_back(*Decimal::parse(without(token, '.')));
    }
    if (RE2::FullMatch(token, R"(-?0\d.*)")) return false;
    if (RE2::FullMatch(token, R"(-\d{1,3}\.\d{3})")) return false;
    out.push_back(item);
    return true;
  }
  std::string first, second;
  if (RE2::FullMatch(token, R"((\d+)-(\d+))", &first, &second)) {
    if (first.size() > 1 && first[0] == '0') return false;
    if (second.size() > 1 && second[0] == '0') return false;
    // 2024-05 may be a month.
    if (first.size() == 4 && second.size() == 2) return false;
    out.push_back(number_item(first, first));
    out.push_back(number_item(second, second));
    return true;
  }
  std::string unit;
  if (RE2::FullMatch(token, R"((-?\d+(?:\.\d+)?)(%|q{1,5}))", &first, &unit)) {
    if (RE2::FullMatch(first, R"(-?0\d.*)") || RE2::FullMatch(first, R"(-?\d{1,3}\.\d{3})")) {
      return false;
    }
    Item item = number_item(token, first);
    item.kind = Kind::quantity;
    item.unit = unit;
    out.push_back(item);
    return true;
  }
  if (RE2::FullMatch(token, R"([a-z]{2,}\d+(/\d+)?|[a-z]{2,}-\d+[a-z]?|[a-z]\d+[a-z]\d+)")) {
    Item item;
    item.kind = Kind::identifier;
    item.raw = token;
    item.text = lower(token);
    out.push_back(item);
    return true;
  }
  return false;
}

// The leaves and keys of a document, or the text itself.
void leaves_of(const json::Value& value, std::vector<std::string>& out) {
  if (const auto text = value.as_string()) out.emplace_back(*text);
  if (const auto number = value.number_text()) out.emplace_back(*number);
  for (const json::Value& element : value.elements()) leaves_of(element, out);
  for (const json::Member& member : value.members()) {
    out.emplace_back(member.key());
    leaves_of(member.value, out);
  }
}

std::optional<std::vector<Item>> read_result(const std::string& result) {
  std::vector<std::string> leaves;
  if (auto parsed = json::parse(result); parsed && (parsed->is_object() || parsed->is_array())) {
    leaves_of(*parsed, leaves);
  } else {
    leaves.push_back(result);
  }
  std::vector<Item> items;
  for (const std::string& leaf : leaves) {
    const auto read_leaf = read(leaf);
    if (!read_leaf) return std::nullopt;
    for (const Item& item : *read_leaf) {
      items.push_back(item);
      for (const std::string& member : item.members) read_token(member, items);
    }
  }
  return items;
}

int rank(const std::string& level) {
  constexpr std::array<std::string_view, 7> kOrder = {
      "exact", "same-value", "part-of", "rounded", "converted", "unsupported", ""};
  return static_cast<int>(std::find(kOrder.begin(), kOrder.end(), level) - kOrder.begin());
}

// Exact and same-value are one class.
int class_of(const std::string& level) {
  return std::max(rank(level), 1);
}

std::string best_level(const Item& said, const std::vector<Item>& items) {
  std::string best = "unsupported";
  for (const Item& item : items) {
    const std::string level = level_of(said, item);
    if (!level.empty() && rank(level) < rank(best)) best = level;
  }
  return best;
}

}  // namespace

std::optional<std::vector<Item>> read(std::string_view text) {
  std::vector<Item> items;
  for (const std::string& token : tokens_of(text)) {
    const std::string bare = stripped(token);
    if (token.starts_with('%')) return std::nullopt;  // a spaced percent sign belongs to the number
    if (!has_digit(bare)) continue;
    if (!read_token(bare, items)) return std::nullopt;
  }
  return items;
}

std::string level_of(const Item& said, const Item& carried) {
  if (lower(said.raw) == lower(carried.raw)) return "exact";
  if (said.text == carried.text && said.kind == carried.kind) return "same-value";
  const bool numeric = !said.numbers.empty() && !carried.numbers.empty();
  if (!numeric) {
    if (said.kind == Kind::date && carried.kind == Kind::instant) {
      return carried.text.substr(0, 10) == said.text ? "part-of" : "";
    }
    if (said.kind == Kind::time && carried.kind == Kind::instant) {
      return carried.text.substr(11) == said.text ? "part-of" : "";
    }
    return "";
  }
  const bool units = said.unit.empty() || carried.unit.empty() || said.unit == carried.unit;
  for (const json::Decimal& a : said.numbers) {
    for (const json::Decimal& b : carried.numbers) {
      if (units && a == b) return "same-value";
    }
  }
  // The first alternative of a carried dot run is the decimal one.
  const json::Decimal& a = said.numbers.front();
  const json::Decimal& b = carried.numbers.front();
  const bool plain = said.numbers.size() == 1 && !said.leading_zero && !carried.leading_zero &&
                     carried.members.empty();
  if (units && plain && !b.is_integer() &&
      (b.rounded(said.decimals) == a || b.truncated(said.decimals) == a)) {
    return "rounded";
  }
  return "";
}

std::optional<std::vector<Graded>> check(std::string_view answer,
                                         const std::vector<std::string>& supplied,
                                         const std::vector<std::string>& results) {
  const auto said = read(answer);
  if (!said) return std::nullopt;
  std::vector<Item> given;
  for (const std::string& text : supplied) {
    const auto items = read(text);
    if (!items) return std::nullopt;
    // Supplied dates and times also supply their parts; the engine's own tests hold those.
    for (const Item& item : *items) {
      if (item.kind != Kind::number && item.kind != Kind::quantity &&
          item.kind != Kind::identifier) {
        return std::nullopt;
      }
    }
    given.insert(given.end(), items->begin(), items->end());
    for (const Item& item : *items) {
      for (const std::string& member : item.members) read_token(member, given);
    }
  }
  std::vector<std::vector<Item>> carried;
  for (const std::string& result : results) {
    auto items = read_result(result);
    if (!items) return std::nullopt;
    carried.push_back(std::move(*items));
  }
  std::vector<Graded> graded;
  std::vector<const Item*> seen;
  for (const Item& item : *said) {
    if (!item.members.empty()) return std::nullopt;  // the list reading is the engine's own
    const bool again = std::any_of(seen.begin(), seen.end(), [&](const Item* other) {
      return other->kind == item.kind && other->unit == item.unit &&
             other->numbers == item.numbers &&
             (item.numbers.empty() ? other->text == item.text : true) &&
             other->leading_zero == item.leading_zero;
    });
    if (again) continue;
    seen.push_back(&item);
    Graded out;
    out.raw = item.raw;
    out.level = "unsupported";
    std::vector<std::string> levels;
    for (const auto& items : carried) levels.push_back(best_level(item, items));
    for (const std::string& level : levels) {
      if (rank(level) < rank(out.level)) out.level = level;
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (levels[i] != "unsupported" && class_of(levels[i]) == class_of(out.level)) {
        out.carriers.push_back(i);
      }
    }
    // What was supplied stands first; its carriers are those of any level.
    if (best_level(item, given) != "unsupported") out.level = "supplied";
    graded.push_back(std::move(out));
  }
  return graded;
}

}  // namespace agentfootprint::evidence::oracle
