// The subcommands of `artifacts`.
//
// What: one function a subcommand, over the parsed arguments. When to use: cli/artifacts.cpp.
// Not guaranteed: anything about members another subcommand uses.
//
// Example:
//   ArtifactsArguments arguments;
//   arguments.store = "memory:";
//   int exit_code = artifacts_du(arguments);
//   (void)exit_code;
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agentfootprint/artifacts/store.hpp"

namespace agentfootprint {

struct ArtifactsArguments {
  std::string store;
  std::string scope;
  bool as_json = false;
  std::string ref;
  std::vector<std::string> refs;
  std::string sql;
  std::string output;
  std::string cursor;
  std::string at;
  std::string kind;
  std::vector<std::string> columns;
  std::int64_t limit = 50;
  std::uint64_t offset = 0;
  bool mint = false;
  bool dot = false;
  bool mend = false;
};

int artifacts_ls(const ArtifactsArguments& arguments);
int artifacts_head(const ArtifactsArguments& arguments);
int artifacts_get(const ArtifactsArguments& arguments);
int artifacts_rm(const ArtifactsArguments& arguments);
int artifacts_rows(const ArtifactsArguments& arguments);
int artifacts_query(const ArtifactsArguments& arguments);
int artifacts_lineage(const ArtifactsArguments& arguments);
int artifacts_verify(const ArtifactsArguments& arguments);
int artifacts_fsck(const ArtifactsArguments& arguments);
int artifacts_du(const ArtifactsArguments& arguments);
int artifacts_conformance(const ArtifactsArguments& arguments);

// The store of `--store`. A store on disk must exist: looking makes nothing.
[[nodiscard]] std::shared_ptr<ArtifactStore> open_existing_store(
    const ArtifactsArguments& arguments);
// The scope of `--scope`, or every scope of the store that can be looked into.
[[nodiscard]] std::vector<ArtifactScope> scopes_of(ArtifactStore& store,
                                                   const ArtifactsArguments& arguments);

}  // namespace agentfootprint
