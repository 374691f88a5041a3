// The documented list of stable error and refusal codes.
//
// What: one row a code: where it comes from and what it means. A test holds every code that the
// sources spell against this list; docs/errors.md is written from it. Codes are kebab-case, except
// those that a wire format or the upstream system already fixes.
//
// When to use: add a row in the same change that first uses a code. Never reuse or rename one.
//
// Not guaranteed: that every code can be reached from every command.
//
// Example:
//   for (const ErrorCode& row : kErrorCodes) { (void)row.code; (void)row.meaning; }
#pragma once

#include <string_view>

namespace agentfootprint {

struct ErrorCode {
  std::string_view code;
  std::string_view area;  // the folder it belongs to
  std::string_view meaning;
};

inline constexpr ErrorCode kErrorCodes[] = {
    // base
    {"random-source", "base", "the operating system gave no random bytes"},
    {"hash-unavailable", "base", "OpenSSL offers no SHA-256"},
    {"cancelled", "base", "the work was cancelled; the message is the reason given"},
    {"deadline", "base", "the work had not ended when its deadline passed"},
    {"task-stuck", "base", "a task waits for something that neither runs nor sleeps on its loop"},
    // json
    {"json-syntax", "json", "the text is not JSON at the named line, column and byte"},
    {"json-cut", "json", "the text ends inside a JSON value"},
    {"json-depth", "json", "the value nests deeper than the stated limit"},
    {"json-size", "json", "the text is larger than the stated limit"},
    {"json-type", "json", "a value has another type than the one asked for, at the named path"},
    {"json-missing", "json", "a member that is needed is not there, at the named path"},
    {"json-number", "json", "a text is not a JSON number, or does not fit the type asked for"},
    // semantics
    {"malformed-semantics", "semantics",
     "a described result, absence, coverage or period breaks a rule of its vocabulary"},
    {"series-without-grain", "semantics",
     "a series does not say what one of its points stands for"},
    {"counter-aggregation-unstated", "semantics",
     "an aggregation looks like a counter and is_counter is not stated"},
    {"data-without-provenance", "semantics", "facts or series without measuring time or source"},
    {"malformed-time-axis", "semantics", "the declared time axis of a dataset breaks a rule"},
    {"unknown-result-class", "semantics", "a tool's result class is not one of the set"},
    {"invalid-catalog", "semantics", "a catalogue of sample results has not the shape it needs"},
    {"triage-without-coverage", "semantics", "a triage tool's sample says no coverage"},
    {"inventory-without-coverage", "semantics", "an inventory tool's sample says no coverage"},
    {"inventory-without-render", "semantics", "an inventory tool's facts say not how to show them"},
    {"unsampled-tool-class", "semantics", "a classed tool has no sample result"},
    {"projection-declaration-changed", "semantics",
     "a projection lost or changed what the tool's result declared"},
    {"projection-declaration-unreadable", "semantics",
     "a declaration is larger or deeper than the projection guard reads"},
    {"semantics-ignored", "semantics", "a marked result breaks the rules and stays ordinary data"},
    {"period-ignored", "semantics", "a declared period breaks the rules and is left out"},
    {"wrapped-declaration", "semantics",
     "one declaring helper's result stands inside of another's"},
    // artifacts
    {"ERR_INVALID_ARTIFACT", "artifacts",
     "a put is refused: its declaration, payload or size cannot be"},
    {"ERR_UNKNOWN_PARENT_REF", "artifacts",
     "parentRefs names a ticket that is not live in the scope"},
    {"ERR_ARTIFACT_INTEGRITY", "artifacts", "what is stored is not what the ticket's digest says"},
    {"ERR_UNREADABLE_ARTIFACT_FILE", "artifacts",
     "a file of the store is no artifact; it was put aside"},
    {"ERR_UNREADABLE_ARTIFACT_STORE", "artifacts",
     "the store cannot be opened, is not ours, or is newer"},
    {"ERR_UNSERIALIZABLE_RECORDING", "artifacts", "a recording cannot be written as JSON"},
    {"ERR_NO_ARTIFACT_STORE", "artifacts", "a tool used artifacts and the agent has no store"},
    {"artifact-capability-ended", "artifacts", "a handle was used after the call it was given to"},
    {"artifact-key-root", "artifacts", "a key prefix is blank, only slashes, or leaves its place"},
    {"artifact-placement", "artifacts", "a placement threshold or a result kind cannot be"},
    {"artifact-query", "artifacts", "a query is not one read-only SELECT, or broke a limit"},
    {"artifact-retention", "artifacts", "a retention dial is not a number above zero"},
    {"artifact-rows", "artifacts", "a payload has no rows, or a row of it cannot be read"},
    {"artifact-scope", "artifacts", "a field of a scope is not a string"},
    {"artifact-store-busy", "artifacts", "other writers held the store until the deadline"},
    {"artifact-store-closed", "artifacts", "the store was closed"},
    {"artifact-store-io", "artifacts", "the disk or the file system below the store failed"},
    {"artifact-store-url", "artifacts", "a store URL names no store this library has"},
    {"artifact-unsupported", "artifacts", "the store does not offer an optional member"},
    {"artifact-wants", "artifacts", "what a tool wants does not fit its input schema"},
    {"dataset-artifact", "artifacts", "an artifact of a dataset lacks kind, mediaType or data"},
    {"dataset-key", "artifacts", "a dataset's key is blank or stands twice"},
    {"dataset-list", "artifacts", "datasets is not an array"},
    {"dataset-plan", "artifacts", "a dataset plan has no projection"},
    // explain
    {"why-message", "explain", "the conversation has no such answer of the assistant"},
    // record
    {"record-io", "record", "a record cannot be opened, read, written or synced"},
    {"record-format", "record", "the input is no footprint of a known version"},
    {"record-ended", "record", "something was written behind the end of a record"},
    {"record-base", "record", "the base of a request is no earlier request of the record"},
    {"record-kind", "record", "a line of this kind is not written this way"},
    // transcript
    {"transcript-io", "transcript", "the input cannot be opened or read"},
    {"transcript-format", "transcript", "the named format does not exist or is not the input's"},
    {"transcript-empty", "transcript", "the input is empty or holds no conversation"},
    {"transcript-binary", "transcript", "the input is binary data"},
    {"transcript-syntax", "transcript", "the input is not JSON"},
    {"transcript-cut", "transcript", "the input ends inside a value"},
    {"transcript-depth", "transcript", "the input nests deeper than the stated limit"},
    {"transcript-shape", "transcript", "the input has no known shape"},
    // evidence
    {"unit-declared", "evidence", "a unit has no spelling, no dimension or no positive factor"},
    {"evidence-text-size", "evidence", "a result is too large to be indexed as one text"},
    {"evidence-option", "evidence", "the evidence gate has no such option, or it has another type"},
    {"evidence-posture", "evidence", "the posture is none of assist, guard, rails"},
    {"evidence-min-digits", "evidence", "minDigits is no whole number of at least 1"},
    {"evidence-shape", "evidence", "a declared shape has no name of its own or no RE2 pattern"},
    {"evidence-exempt", "evidence", "an exemption is neither a text nor an RE2 pattern"},
    {"evidence-recovery", "evidence", "an instruction or the recovery text is past its limit"},
    // findings
    {"findings-no-basis", "findings", "a basis row was asked of a declaration without a basis"},
    {"findings-option", "findings", "an option is unknown or has a value it cannot have"},
    {"findings-name-taken", "findings", "a registered tool has an input property _findings"},
    {"findings-instruction", "findings", "the instruction text is longer than the limit"},
    {"findings-standings", "findings", "a side file of standings cannot be read at a line"},
    // flow
    {"flow-id", "flow", "a step or branch id is empty, too long, or holds one of / # ~"},
    {"flow-duplicate-id", "flow", "two steps of a chart have one id"},
    {"flow-empty", "flow", "a chart has no step"},
    {"flow-function", "flow", "a step has no function to run"},
    {"flow-branch", "flow",
     "a decision or fork lacks a branch, names an unknown one, or has one twice"},
    {"flow-for-each", "flow",
     "the list of a for_each is no array, or it and the results lie in one another"},
    {"flow-rule", "flow", "a rule could never match, is too long, or chooses an unknown branch"},
    {"flow-loop", "flow", "a loop leads to no step it may go back to"},
    {"flow-unreachable", "flow", "a step stands where it would never run"},
    {"flow-misplaced", "flow", "a builder call stands where it belongs to nothing"},
    {"flow-retry", "flow", "a retry policy cannot apply"},
    {"flow-limit", "flow", "a chart is larger than the stated limit"},
    {"flow-path", "flow",
     "a path is malformed, or a write goes below something that has no members"},
    {"flow-type", "flow", "a value of the state has another type than the key it is read with"},
    {"flow-missing", "flow", "a value that a stage requires is absent"},
    {"flow-context", "flow", "a stage asks for a context the run was not given"},
    {"flow-read-only", "flow", "a rule's function tried to write"},
    {"flow-no-branch", "flow", "a decision named no branch that exists and has no default"},
    {"flow-fork-conflict", "flow", "two branches of a merging fork wrote the same path"},
    {"flow-exhausted", "flow", "a run reached one of its budgets; the reason names it"},
    {"flow-async", "flow", "a chart with coroutine stages was run without an executor"},
    {"flow-resume", "flow", "there is no such pause to resume"},
    {"flow-checkpoint", "flow", "a checkpoint is damaged, of another version or of another chart"},
    {"flow-row", "flow", "a log has no such row"},
    // cli
    {"eval-input", "cli",
     "a line given to `eval` lacks a required member or has one of a wrong type"},
    {"cli-input", "cli", "a named file or folder cannot be read, or a folder holds no transcript"},
    {"cli-option", "cli", "an option's value cannot be used"},
    {"eval-failed", "cli", "an eval function failed for another reason than its input's shape"},
    // model
    {"model-rate-limit", "model", "the provider asked to slow down"},
    {"model-overloaded", "model", "the provider is overloaded"},
    {"model-server", "model", "the provider failed"},
    {"model-network", "model", "the connection to the provider broke"},
    {"model-timeout", "model", "the provider did not answer in time"},
    {"model-invalid-request", "model", "the provider refused the request as it is"},
    {"model-authentication", "model", "the provider does not accept the key"},
    {"model-quota", "model", "the account's quota is used up"},
    {"model-context-window", "model", "the request is longer than the model can read"},
    {"model-protocol", "model", "the provider's answer breaks its protocol or ends early"},
    {"model-exhausted-script", "model", "a scripted model was asked for more than its script"},
    {"model-chain", "model", "a resilient model without a model"},
    {"model-resilience", "model", "a number of the resilience options is outside its limits"},
    // context
    {"window-keep", "context", "a window that keeps no recent turn"},
    {"window-threshold", "context", "a token budget without a positive threshold"},
    {"window-pins", "context", "a number of results or facts to keep that cannot be"},
    {"window-state", "context", "a window's state is damaged or of another conversation"},
    // agent
    {"agent-window", "agent",
     "a window without its summariser, or a summariser without its window"},
    {"window-unmeasurable", "agent", "a token budget over a provider that reports no usage"},
    {"tool-name", "agent", "a tool's name is one that providers refuse"},
    {"tool-description", "agent", "a tool without a description"},
    {"tool-schema", "agent", "an input schema that cannot check arguments"},
    {"tool-timeout", "agent", "a timeout that is not positive"},
    {"tool-ceiling", "agent", "a result ceiling that is not positive"},
    {"tool-credential", "agent", "a credential for no service"},
    {"tool-arguments-from", "agent", "arguments taken from no tool or from the tool itself"},
    {"tool-duplicate", "agent", "two tools with one name"},
    {"tool-function", "agent", "a tool with nothing to run"},
    {"tool-wants-store", "agent", "a tool wants datasets and there is no store"},
    {"tool-credential-provider", "agent", "a tool needs a credential and there is no provider"},
    {"middleware-name", "agent", "a middleware without a name"},
    {"middleware-hooks", "agent", "a middleware that would never run"},
    {"agent-model", "agent", "an agent without a model or without the model's name"},
    {"agent-name", "agent", "a blank name"},
    {"agent-twice", "agent", "a setting given twice"},
    {"agent-number", "agent", "a number that must be positive"},
    {"agent-cost", "agent", "a cost budget that is not positive"},
    {"agent-artifacts", "agent", "artifacts without a store"},
    {"agent-output-schema", "agent", "an output schema or its retries cannot work"},
    {"agent-output-fallback", "agent", "a fallback answer that would never be used or never fit"},
    {"agent-judge", "agent", "a judge without a name, a callback, or findings"},
    {"agent-prior-turn", "agent", "prior turns noticed without the evidence gate"},
    {"resume-checkpoint", "agent", "a checkpoint of another kind, version or agent, or damaged"},
    {"resume-unknown", "agent", "no open question has that id"},
    {"resume-stale", "agent", "a question answered twice"},
    {"resume-kind", "agent", "an answer of the wrong kind for the question"},
    {"stage-stopped", "agent", "the run of an agent stage stopped"},
    {"stage-failed", "agent", "the run of an agent stage failed"},
    {"stage-answer", "agent", "a chart's pause that no agent stage made"},
    {"run-internal", "agent", "the loop ended in a way it should not"},
};

}  // namespace agentfootprint
