// The parts of a declaration as C++ writes them: texts, items, coverage, provenance, grain.
//
// What: views with designated initialisers that `described_result`, `absent` and `coverage` take.
// What a part cannot do without has no default, so leaving it out does not compile: the measuring
// time and the source of a provenance, the reason of a limit.
//
// When to use: inside of a call, as in the examples of described_result.hpp and absent.hpp.
//
// Not guaranteed: a lifetime. The parts refer to the texts they were given, which must live as long
// as the full expression; every part is trivially copyable, which is what makes it safe inside of
// `co_await`.
//
// Limits: eight entries in a braced list (four for limits); give a vector for more.
//
// Example:
//   std::string store = "RVTools export";
//   semantics::CoverageItems items = {"every VM", {"site B", "its collector is down"}};
//   json::Value list = items.to_json();
//   json::Value texts = semantics::Texts{"v1", store}.to_json();
//   (void)list; (void)texts;
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "agentfootprint/json/value.hpp"

namespace agentfootprint::semantics {

// A text of a declaration: a view that has to be given.
class Text {
 public:
  Text(const char* text) : view_(text) {}         // NOLINT implicit
  Text(const std::string& text) : view_(text) {}  // NOLINT implicit
  Text(std::string_view text) : view_(text) {}    // NOLINT implicit
  Text(std::nullptr_t) = delete;
  [[nodiscard]] std::string_view view() const noexcept { return view_; }

 private:
  std::string_view view_;
};

// Up to eight texts in braces, or a vector, which must outlive the call.
class Texts {
 public:
  Texts() = default;  // not stated
  Texts(Text a, std::optional<Text> b = {}, std::optional<Text> c = {}, std::optional<Text> d = {},
        std::optional<Text> e = {}, std::optional<Text> f = {}, std::optional<Text> g = {},
        std::optional<Text> h = {})  // NOLINT implicit
      : inline_{a, b, c, d, e, f, g, h}, stated_(true) {}
  template <class List>
    requires std::same_as<List, std::vector<std::string>>
  Texts(const List& texts) : vector_(&texts), stated_(true) {}  // NOLINT implicit

  [[nodiscard]] bool stated() const noexcept { return stated_; }
  [[nodiscard]] json::Value to_json() const;

 private:
  std::array<std::optional<Text>, 8> inline_ = {};
  const std::vector<std::string>* vector_ = nullptr;
  bool stated_ = false;
};

// One entry of `checked` or `not_checked`: the ground, and perhaps why.
class CoverageItem {
 public:
  CoverageItem(const char* what) : what_(what), stated_(true) {}         // NOLINT implicit
  CoverageItem(const std::string& what) : what_(what), stated_(true) {}  // NOLINT implicit
  CoverageItem(std::string_view what) : what_(what), stated_(true) {}    // NOLINT implicit
  CoverageItem(Text what, Text why) : what_(what.view()), why_(why.view()), stated_(true) {}
  // For the record only: at most 80 code points, one plain line, not longer than the ground.
  [[nodiscard]] CoverageItem short_text(Text text) const {
    CoverageItem item = *this;
    item.short_ = text.view();
    return item;
  }
  // For the record only: "existence" or "scope"; refused on `checked`.
  [[nodiscard]] CoverageItem kind(Text kind) const {
    CoverageItem item = *this;
    item.kind_ = kind.view();
    return item;
  }
  [[nodiscard]] json::Value to_json() const;

 private:
  friend class CoverageItems;
  CoverageItem() = default;
  std::string_view what_;
  std::optional<std::string_view> why_;
  std::optional<std::string_view> short_;
  std::optional<std::string_view> kind_;
  bool stated_ = false;
};

// One entry of `cannot_cover`: a limit without its reason does not compile.
class LimitItem {
 public:
  LimitItem(Text what, Text why) : item_(what, why) {}
  [[nodiscard]] LimitItem short_text(Text text) const { return LimitItem(item_.short_text(text)); }
  [[nodiscard]] LimitItem kind(Text kind) const { return LimitItem(item_.kind(kind)); }

 private:
  friend class LimitItems;
  explicit LimitItem(const CoverageItem& item) : item_(item) {}
  CoverageItem item_;
};

// A list of a declaration: up to eight items in braces, or a vector, which must outlive the call.
class CoverageItems {
 public:
  CoverageItems() = default;                               // not stated
  CoverageItems(CoverageItem a) : CoverageItems(a, {}) {}  // NOLINT implicit
  CoverageItems(CoverageItem a, CoverageItem b, CoverageItem c = {}, CoverageItem d = {},
                CoverageItem e = {}, CoverageItem f = {}, CoverageItem g = {}, CoverageItem h = {})
      : inline_{a, b, c, d, e, f, g, h}, stated_(true) {}
  template <class List>
    requires std::same_as<List, std::vector<CoverageItem>>
  CoverageItems(const List& items) : vector_(&items), stated_(true) {}  // NOLINT implicit

  [[nodiscard]] bool stated() const noexcept { return stated_; }
  [[nodiscard]] json::Value to_json() const;

 private:
  std::array<CoverageItem, 8> inline_ = {CoverageItem{}, CoverageItem{}, CoverageItem{},
                                         CoverageItem{}, CoverageItem{}, CoverageItem{},
                                         CoverageItem{}, CoverageItem{}};
  const std::vector<CoverageItem>* vector_ = nullptr;
  bool stated_ = false;
};

class LimitItems {
 public:
  LimitItems() = default;                       // not stated
  LimitItems(LimitItem a) : items_(a.item_) {}  // NOLINT implicit
  LimitItems(LimitItem a, LimitItem b) : items_(a.item_, b.item_) {}
  LimitItems(LimitItem a, LimitItem b, LimitItem c) : items_(a.item_, b.item_, c.item_) {}
  LimitItems(LimitItem a, LimitItem b, LimitItem c, LimitItem d)
      : items_(a.item_, b.item_, c.item_, d.item_) {}
  template <class List>
    requires std::same_as<List, std::vector<LimitItem>>
  LimitItems(const List& items) : vector_(&items) {}  // NOLINT implicit

  [[nodiscard]] bool stated() const noexcept { return vector_ != nullptr || items_.stated(); }
  [[nodiscard]] json::Value to_json() const;

 private:
  CoverageItems items_;
  const std::vector<LimitItem>* vector_ = nullptr;
};

// `checked` of an absence: ground that has to be named.
class GroundItems {
 public:
  GroundItems(CoverageItem a) : items_(a) {}  // NOLINT implicit
  GroundItems(CoverageItem a, CoverageItem b) : items_(a, b) {}
  GroundItems(CoverageItem a, CoverageItem b, CoverageItem c) : items_(a, b, c) {}
  GroundItems(CoverageItem a, CoverageItem b, CoverageItem c, CoverageItem d)
      : items_(a, b, c, d) {}
  template <class List>
    requires std::same_as<List, std::vector<CoverageItem>>
  GroundItems(const List& items) : items_(items) {}  // NOLINT implicit
  [[nodiscard]] const CoverageItems& items() const noexcept { return items_; }

 private:
  CoverageItems items_;
};

struct Coverage {
  CoverageItems checked = {};
  CoverageItems not_checked = {};
  LimitItems cannot_cover = {};
};

struct Provenance {
  Text measured_at;
  Text source;
  std::optional<double> age_seconds = {};
  std::optional<Text> source_export_date = {};
};

struct Grain {
  std::optional<Text> interval = {};
  std::optional<Text> aggregation = {};
  std::optional<bool> is_counter = {};
  std::optional<Text> collapsed = {};
};

struct Render {
  Text default_view;  // travels as `default`
  Texts columns = {};
  std::optional<Text> sort = {};
  std::optional<Text> filter_note = {};
  std::optional<Text> chart_hint = {};
};

struct Clarification {
  Text question;
  Texts candidates = {};
};

static_assert(std::is_trivially_copyable_v<Coverage> && std::is_trivially_destructible_v<Coverage>);
static_assert(std::is_trivially_copyable_v<Render> && std::is_trivially_copyable_v<Clarification>);
static_assert(std::is_trivially_copyable_v<Provenance> && std::is_trivially_copyable_v<Grain>);

}  // namespace agentfootprint::semantics
