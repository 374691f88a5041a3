// Decimals: two numbers and an operation from bytes; laws of arithmetic must hold.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "agentfootprint/json/decimal.hpp"

namespace {

using agentfootprint::json::Decimal;

void need(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void check_one(const Decimal& a) {
  const std::optional<Decimal> again = Decimal::parse(a.to_string());
  need(again && *again == a && again->hash() == a.hash(), "a spelling reads back");
  need(again->to_string() == a.to_string(), "spelling is stable");
  need(a.negated().negated() == a, "negation undoes itself");
  need(a.abs() >= a && !a.abs().is_negative(), "a magnitude");
  const std::optional<Decimal> none = a.minus(a);
  need(none && none->is_zero() && !none->is_negative(), "a - a is 0");
  for (const int decimals : {-3, 0, 2}) {
    const Decimal rounded = a.rounded(decimals);
    const Decimal cut = a.truncated(decimals);
    need(rounded.rounded(decimals) == rounded, "rounding once is enough");
    need(cut.abs() <= a.abs(), "cutting goes towards zero");
    need(cut.abs() <= rounded.abs(), "rounding goes away from zero or cuts");
  }
  if (const auto whole = a.to_int64()) {
    need(Decimal(*whole) == a, "an integer is what it was");
  }
}

void check_two(const Decimal& a, const Decimal& b) {
  need((a < b) + (a == b) + (a > b) == 1, "an order");
  need((a < b) == (b > a), "an order from both sides");
  need((a == b) == (a.to_string() == b.to_string()), "one spelling a value");
  const std::optional<Decimal> sum = a.plus(b);
  need(sum == b.plus(a), "sums commute");
  if (sum) {
    const std::optional<Decimal> back = sum->minus(b);
    need(!back || *back == a, "subtraction undoes addition");
  }
  const std::optional<Decimal> product = a.times(b);
  need(product == b.times(a), "products commute");
  if (product && !b.is_zero()) {
    const std::optional<Decimal> back = product->divide(b, 20);
    need(!back || *back == a.rounded(20), "division undoes multiplication");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 512) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t space = text.find(' ');
  const std::optional<Decimal> a = Decimal::parse(text.substr(0, space));
  if (!a) return 0;
  check_one(*a);
  if (space == std::string_view::npos) return 0;
  const std::optional<Decimal> b = Decimal::parse(text.substr(space + 1));
  if (!b) return 0;
  check_one(*b);
  check_two(*a, *b);
  return 0;
}
