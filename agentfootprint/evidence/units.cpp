// The unit table: rows, look-up by spelling, conversion to a base.
#include "agentfootprint/evidence/units.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "agentfootprint/base/error.hpp"
#include "agentfootprint/evidence/internal/chars.hpp"
#include "agentfootprint/evidence/internal/unit_rows.hpp"

namespace agentfootprint::evidence {
namespace {

// The precision of a conversion that is no exact decimal (°F to °C).
constexpr int kConversionDecimals = 40;

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), internal::lower);
  return out;
}

struct Factor {
  Decimal numerator;
  Decimal divisor{1};
};
std::optional<Factor> parse_factor(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto numerator = Decimal::parse(text.substr(0, slash));
  if (!numerator || numerator->is_zero() || numerator->is_negative()) return std::nullopt;
  Factor factor{*numerator, Decimal(1)};
  if (slash != std::string_view::npos) {
    const auto divisor = Decimal::parse(text.substr(slash + 1));
    if (!divisor || divisor->is_zero() || divisor->is_negative()) return std::nullopt;
    factor.divisor = *divisor;
  }
  return factor;
}

struct ScaleWord {
  std::string_view word;
  int power;
  bool glued;  // counts only glued to the number
};
constexpr std::array<ScaleWord, 18> kScales = {{{"k", 3, true},
                                                {"K", 3, true},
                                                {"M", 6, true},
                                                {"B", 9, true},
                                                {"T", 12, true},
                                                {"bn", 9, false},
                                                {"Bn", 9, false},
                                                {"mn", 6, false},
                                                {"mio", 6, false},
                                                {"tn", 12, false},
                                                {"thousand", 3, false},
                                                {"million", 6, false},
                                                {"billion", 9, false},
                                                {"trillion", 12, false},
                                                {"millions", 6, false},
                                                {"billions", 9, false},
                                                {"lakh", 5, false},
                                                {"crore", 7, false}}};

}  // namespace

struct UnitTable::Spelling {
  std::uint16_t id = 0;
  bool spaced = true;
};

struct UnitTable::Index {
  // Looked up by views, without making strings of them.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>()(text);
    }
  };
  template <class T>
  using ByText = std::unordered_map<std::string, T, Hash, std::equal_to<>>;
  ByText<Spelling> exact;
  ByText<Spelling> folded;  // of two letters and more; the first row wins
};

UnitTable::UnitTable() : index_(std::make_shared<Index>()) {
  entries_.emplace_back();
  dimensions_.emplace_back();
}

const UnitTable& UnitTable::standard() {
  static const UnitTable table = [] {
    UnitTable made;
    for (const internal::StandardUnit& unit : internal::standard_units()) {
      made.add({std::string(unit.spelling), std::string(unit.dimension), std::string(unit.factor),
                std::string(unit.canonical), unit.spaced, std::string(unit.offset),
                std::string(unit.other_factor)});
    }
    return made;
  }();
  return table;
}

void UnitTable::add(const UnitRow& row) {
  const auto refuse = [&](std::string_view field, const std::string& message) {
    throw Refusal("unit-declared", field, message);
  };
  if (row.spelling.empty())
    refuse("spelling", "spelling is blank: a unit needs one to be found by");
  if (row.dimension.empty()) refuse("dimension", "dimension is blank: name what the unit measures");
  const auto factor = parse_factor(row.factor);
  if (!factor) refuse("factor", "factor is no positive decimal or fraction: write 0.001 or 5/9");
  if (index_.use_count() > 1) index_ = std::make_shared<Index>(*index_);
  std::uint16_t id = row.canonical.empty() ? std::uint16_t{0} : find(row.canonical);
  if (id == 0) {
    Entry entry;
    entry.name = row.spelling;
    auto found = std::find(dimensions_.begin(), dimensions_.end(), row.dimension);
    if (found == dimensions_.end()) found = dimensions_.insert(dimensions_.end(), row.dimension);
    entry.dimension = static_cast<std::uint16_t>(found - dimensions_.begin());
    entry.factor = factor->numerator;
    entry.divisor = factor->divisor;
    if (!row.offset.empty()) entry.offset = Decimal::parse(row.offset).value_or(Decimal());
    if (!row.other_factor.empty()) entry.other_factor = Decimal::parse(row.other_factor);
    entry.near_factor = entry.factor.to_double() / entry.divisor.to_double();
    entry.near_offset = entry.offset.to_double();
    if (entry.other_factor) entry.near_other_factor = entry.other_factor->to_double();
    id = static_cast<std::uint16_t>(entries_.size());
    entries_.push_back(std::move(entry));
  }
  index_->exact.insert_or_assign(row.spelling, Spelling{id, row.spaced});
  if (row.spelling.size() > 1)
    index_->folded.try_emplace(lowered(row.spelling), Spelling{id, row.spaced});
  named_ = {find("%"), find("B"), find("s"), find("d")};
}

namespace {

constexpr std::size_t kLongestSpelling = 32;

// A spelling in small letters, in place.
class Lowered {
 public:
  explicit Lowered(std::string_view text) : size_(text.size()) {
    std::transform(text.begin(), text.end(), bytes_.begin(), internal::lower);
  }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  std::array<char, kLongestSpelling> bytes_;
  std::size_t size_;
};

bool same_letters(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return x == internal::lower(y); });
}

}  // namespace

std::uint16_t UnitTable::find(std::string_view spelling) const noexcept {
  if (spelling.empty() || spelling.size() > kLongestSpelling) return 0;
  if (const auto it = index_->exact.find(spelling); it != index_->exact.end()) {
    return it->second.id;
  }
  const auto it = index_->folded.find(Lowered(spelling).view());
  return it == index_->folded.end() ? std::uint16_t{0} : it->second.id;
}

std::uint16_t UnitTable::find_spaced(std::string_view spelling) const noexcept {
  if (spelling.empty() || spelling.size() > kLongestSpelling) return 0;
  if (const auto it = index_->exact.find(spelling); it != index_->exact.end()) {
    return it->second.spaced ? it->second.id : std::uint16_t{0};
  }
  const auto it = index_->folded.find(Lowered(spelling).view());
  return it == index_->folded.end() || !it->second.spaced ? std::uint16_t{0} : it->second.id;
}

int UnitTable::find_scale(std::string_view word, bool glued) const noexcept {
  if (word.empty() || word.size() > kLongestSpelling) return 0;
  for (const ScaleWord& scale : kScales) {
    if (scale.glued && !glued) continue;
    if (scale.glued || scale.word.size() < 3 ? scale.word == word
                                             : same_letters(scale.word, word)) {
      return scale.power;
    }
  }
  return 0;
}

std::uint16_t UnitTable::of_key(std::string_view key) const noexcept {
  // The last word of snake_case, kebab-case, camelCase or spaced names.
  std::size_t begin = key.size();
  while (begin > 0) {
    const char before = key[begin - 1];
    if (!internal::is_letter(before)) break;
    --begin;
    if (before >= 'A' && before <= 'Z' && begin > 0 && key[begin - 1] >= 'a' &&
        key[begin - 1] <= 'z')
      break;
  }
  if (key.ends_with('%')) return find("%");
  const std::string word = lowered(key.substr(begin));
  // Alone, these name a bound or a counter, not a unit.
  if (begin == 0 && (word.size() < 2 || word == "min" || word == "sec")) return 0;
  if (word.size() == 1 && word != "s" && word != "h" && word != "d") return 0;
  const std::uint16_t id = find(word);
  return id != 0 && entries_[id].name == "x" ? std::uint16_t{0} : id;
}

std::uint16_t UnitTable::of_label(std::string_view text, std::size_t begin) const noexcept {
  std::size_t end = begin;
  const auto step_over = [&](std::string_view signs) {
    const std::size_t before = end;
    while (end > 0 && signs.find(text[end - 1]) != std::string_view::npos) --end;
    return before != end;
  };
  step_over(" \"'\\");
  if (!step_over("=:")) return 0;
  step_over(" \"'\\");
  std::size_t first = end;
  bool words = false;
  while (first > 0 &&
         (internal::is_word(text[first - 1]) || text[first - 1] == '_' || text[first - 1] == '-')) {
    --first;
    const char c = text[first];
    const bool capital =
        c >= 'A' && c <= 'Z' && first > 0 && text[first - 1] >= 'a' && text[first - 1] <= 'z';
    words = words || c == '_' || c == '-' || capital;
  }
  return words ? of_key(text.substr(first, end - first)) : std::uint16_t{0};
}

std::vector<std::uint16_t> UnitTable::of_dimension(std::uint16_t dimension) const {
  std::vector<std::uint16_t> out;
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    if (entries_[i].dimension == dimension) out.push_back(static_cast<std::uint16_t>(i));
  }
  return out;
}

std::uint16_t UnitTable::dimension(std::string_view name) const noexcept {
  for (std::size_t i = 1; i < dimensions_.size(); ++i) {
    if (dimensions_[i] == name) return static_cast<std::uint16_t>(i);
  }
  return 0;
}

std::optional<Decimal> UnitTable::to_base(const Decimal& number, const Unit& unit) const {
  if (unit.id == 0) return number;
  const Entry& entry = entries_[unit.id];
  const auto shifted = number.plus(entry.offset);
  if (!shifted) return std::nullopt;
  const auto product = shifted->times(entry.factor);
  if (!product || entry.divisor == Decimal(1)) return product;
  return product->divide(entry.divisor, kConversionDecimals);
}

bool UnitTable::convertible(const Unit& a, const Unit& b) const noexcept {
  return a.id != 0 && b.id != 0 && a.per == b.per &&
         entries_[a.id].dimension == entries_[b.id].dimension;
}

}  // namespace agentfootprint::evidence
