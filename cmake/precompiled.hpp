// Standard headers that nearly every source uses. Only a build speed-up: each header and source
// still includes what it needs, which tests/tools proves by compiling every header alone.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
