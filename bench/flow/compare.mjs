// Runs each flow benchmark on both sides, each in a process of its own, and prints a Markdown table.
// usage: node compare.mjs PATH_OF_FLOW_BENCH
import { execFileSync } from "node:child_process";

const bench = process.argv[2];
const names = [
  ["linear_same_key", "1,000 stages, one key"],
  ["linear_distinct_keys", "1,000 stages, a key each"],
  ["loop_30001", "loop, 30,001 commits"],
  ["slice_default", "its slice, default limits"],
  ["slice_whole", "its slice, no limits (30,001 nodes)"],
  ["fork_1000", "fork of 1,000"],
  ["appends_2000", "2,000 appends to one array (6,001 commits)"],
  ["state_at_row", "state at row 15,000 of the loop"],
  ["scalar_beside_1mb", "50 scalar writes beside a 1 MB value"],
  ["paused_1000", "1,000 paused runs of 4 stages, kept"],
  ["mount_in_loop_1000", "mount in a loop, 1,000 turns"],
];

function last(text) {
  return JSON.parse(text.trim().split("\n").pop());
}

const shown = (ms) => (ms >= 1 ? `${ms.toFixed(2)} ms` : ms >= 0.001 ? `${(ms * 1000).toFixed(1)} µs` : `${(ms * 1e6).toFixed(0)} ns`);

console.log("| work | footprintjs 9.24.0 | peak MB | ours | peak MB | time | memory |");
console.log("|---|---|---|---|---|---|---|");
for (const [name, title] of names) {
  const theirs = last(execFileSync("node", ["footprintjs.mjs", name], { cwd: new URL(".", import.meta.url).pathname, encoding: "utf8" }));
  const report = JSON.parse(
    execFileSync(bench, [`--benchmark_filter=^${name}$`, "--benchmark_format=json"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
  const ours = report.benchmarks[0];
  const unit = { ns: 1e-6, us: 1e-3, ms: 1, s: 1e3 }[ours.time_unit];
  const ms = ours.real_time * unit;
  if (theirs.error) {
    console.log(`| ${title} | fails: ${theirs.error} | | ${shown(ms)} | ${ours.peak_mb.toFixed(1)} | | |`);
    continue;
  }
  const time = `${Math.round(theirs.ms / ms)}x`;
  const memory = `${(theirs.peakMb / ours.peak_mb).toFixed(0)}x`;
  console.log(`| ${title} | ${shown(theirs.ms)} | ${theirs.peakMb.toFixed(1)} | ${shown(ms)} | ${ours.peak_mb.toFixed(1)} | ${time} | ${memory} |`);
}
