// Fuzz target: a ledger and a moment spelled by the input, and the contingent rule against its
// definition.
//
// Bytes: pairs (result, standing) until a zero byte, then masks of carriers, one value each.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "agentfootprint/findings/contingent.hpp"
#include "agentfootprint/findings/ledger.hpp"

namespace {

using namespace agentfootprint;

findings::ResultRef result(unsigned which) {
  return findings::ResultRef("c" + std::to_string(which), CallKey{which, 0});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  findings::Ledger ledger;
  int now[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
  std::size_t at = 0;
  while (at + 1 < size && data[at] != 0) {
    const unsigned which = data[at] % 8;
    const unsigned standing = data[at + 1] % 4;
    findings::StandingRow row;
    row.result = result(which);
    row.standing = findings::kStandings[standing];
    ledger.record({row});
    now[which] = static_cast<int>(standing);
    at += 2;
  }
  std::vector<findings::CarriedValue> values;
  std::vector<std::string> want;
  for (++at; at < size && values.size() < 64; ++at) {
    findings::CarriedValue value;
    value.value = "v" + std::to_string(values.size());
    bool every = data[at] != 0;
    for (unsigned which = 0; which < 8; ++which) {
      if ((data[at] >> which & 1U) == 0) continue;
      value.carriers.emplace_back(result(which));
      every = every && now[which] > 0;
    }
    if (every) want.push_back(value.value);
    values.push_back(std::move(value));
  }
  const auto rows = findings::contingent_rows_of(values, ledger.fold(), findings::DeclaredOn(), 1);
  if (rows.size() != want.size()) std::abort();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].value != want[k]) std::abort();
  }
  return 0;
}
