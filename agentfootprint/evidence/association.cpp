// Entity and value in one clause: does a record carry both?
#include "agentfootprint/evidence/association.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "agentfootprint/evidence/blocks.hpp"
#include "agentfootprint/evidence/internal/facts.hpp"

namespace agentfootprint::evidence {
namespace {

constexpr std::size_t kMaxRecords = 8;

struct RecordAt {
  std::size_t result;
  std::uint32_t record;
};

class Associator {
 public:
  Associator(const Judge& judge, std::string_view answer, const Verdict& verdict)
      : judge_(judge), verdict_(verdict), blocks_(Blocks::of(answer)) {}

  std::vector<AssociationNote> run() {
    // Positions of the verdict's values by clause.
    std::map<std::tuple<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> clauses;
    for (std::size_t i = 0; i < verdict_.values.size(); ++i) {
      for (const Span& span : verdict_.values[i].spans) {
        const BlockPlace place = blocks_.place(span.begin);
        std::vector<std::size_t>& clause = clauses[{place.block, place.item}];
        if (clause.empty() || clause.back() != i) clause.push_back(i);
      }
    }
    std::vector<AssociationNote> notes;
    for (const auto& [key, clause] : clauses) look_at(clause, notes);
    return notes;
  }

 private:
  static bool read_from_results(const JudgedValue& value) {
    return value.level >= Level::exact && value.level <= Level::converted;
  }

  void look_at(const std::vector<std::size_t>& clause, std::vector<AssociationNote>& notes) const {
    std::optional<std::size_t> entity;
    for (const std::size_t i : clause) {
      if (verdict_.values[i].value.kind != ValueKind::identifier) continue;
      if (entity) return;  // which of them is meant cannot be told
      entity = i;
    }
    if (!entity) return;
    const JudgedValue& named = verdict_.values[*entity];
    const auto entity_records = records_of(named);
    if (!entity_records || entity_records->empty()) return;
    for (const std::size_t i : clause) {
      const JudgedValue& value = verdict_.values[i];
      if (i == *entity || !read_from_results(value)) continue;
      const auto value_records = records_of(value);
      if (!value_records || value_records->empty()) continue;
      if (together(named, *entity_records, *value_records)) continue;
      notes.push_back({*entity, i, told(*value_records)});
    }
  }

  // Empty when a place is in no record, or when there may be more places than the judge gives.
  std::optional<std::vector<RecordAt>> records_of(const JudgedValue& value) const {
    std::vector<RecordAt> records;
    const auto& entries = judge_.index().results();
    for (const Carrier& carrier : value.grounding.carriers) {
      if (carrier.places.size() >= judge_.options().max_places) return std::nullopt;
      const ResultIndex& index = *entries[carrier.result].index;
      const internal::Tables& tables = *index.derivations().read(index.text()).tables;
      for (const Place& place : carrier.places) {
        const auto record = tables.record_at(index.span(place.item).begin);
        if (!record) return std::nullopt;
        records.push_back({carrier.result, *record});
      }
    }
    return records;
  }

  const internal::Tables& tables_of(std::size_t result) const {
    const ResultIndex& index = *judge_.index().results()[result].index;
    return *index.derivations().read(index.text()).tables;
  }

  // Is `outer` the record or one around it?
  bool inside(const RecordAt& record, const RecordAt& outer) const {
    if (record.result != outer.result) return false;
    const internal::Tables& tables = tables_of(record.result);
    for (std::uint32_t at = record.record; at != internal::kNone;
         at = tables.records()[at].parent) {
      if (at == outer.record) return true;
    }
    return false;
  }

  bool together(const JudgedValue& entity, const std::vector<RecordAt>& entities,
                const std::vector<RecordAt>& values) const {
    for (const RecordAt& value : values) {
      if (asked_for(value.result, entity)) return true;
      for (const RecordAt& at : entities) {
        if (inside(value, at) || inside(at, value)) return true;
      }
    }
    return false;
  }

  // Did the call that gave the result name the entity?
  bool asked_for(std::size_t result, const JudgedValue& entity) const {
    const auto& leaves = judge_.index().results()[result].argument_leaves;
    if (!leaves) return false;
    const std::string name = fold_text(entity.value.raw);
    return std::any_of(leaves->begin(), leaves->end(), [&](const std::string& leaf) {
      return fold_text(leaf).find(name) != std::string::npos;
    });
  }

  std::vector<AssociatedRecord> told(const std::vector<RecordAt>& records) const {
    std::vector<AssociatedRecord> out;
    for (const RecordAt& record : records) {
      if (out.size() == kMaxRecords) break;
      out.push_back({record.result, tables_of(record.result).record_pointer(record.record)});
    }
    return out;
  }

  const Judge& judge_;
  const Verdict& verdict_;
  Blocks blocks_;
};

}  // namespace

std::vector<AssociationNote> associations(const Judge& judge, std::string_view answer,
                                          const Verdict& verdict) {
  return Associator(judge, answer, verdict).run();
}

void note_associations(Verdict& verdict, const std::vector<AssociationNote>& notes) {
  for (const AssociationNote& note : notes) {
    verdict.values[note.value].grounding.notes.push_back("not-associated: " +
                                                         verdict.values[note.entity].value.raw);
  }
}

}  // namespace agentfootprint::evidence
