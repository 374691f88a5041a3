// Runs the agent benchmarks on both sides, each in a process of its own, and prints a Markdown table.
// usage: node compare.mjs PATH_OF_AGENT_BENCH
import { execFileSync } from "node:child_process";

const bench = process.argv[2];
const here = new URL(".", import.meta.url).pathname;
const theirs = (name) => JSON.parse(execFileSync("node", ["langgraph.mjs", name], { cwd: here, encoding: "utf8" }).trim().split("\n").pop());
const report = JSON.parse(
  execFileSync(bench, ["--benchmark_filter=step|bare_loop|concurrent", "--benchmark_format=json"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }),
);
const ours = (name) => report.benchmarks.find((one) => one.name.startsWith(name));
const perStep = (name, steps) => {
  const one = ours(`${name}/${steps}`);
  return (one.real_time * { ns: 1e-3, us: 1, ms: 1e3, s: 1e6 }[one.time_unit]) / steps;
};
const shown = (us) => (us >= 100 ? `${us.toFixed(0)} µs` : `${us.toFixed(1)} µs`);
const times = (ratio) => `${ratio >= 10 ? Math.round(ratio) : ratio.toFixed(1)}x`;

console.log("| a step | LangGraph 1.7.3 | ours | ratio | bare C++ loop |");
console.log("|---|---|---|---|---|");
const table = [
  ["of 20, nothing kept", "step_20", "agent/step_no_record", 20],
  ["of 400, nothing kept", "step_400", "agent/step_no_record", 400],
  ["of 20, checkpoints / full record in memory", "step_20_saved", "agent/step_memory_sink", 20],
  ["of 400, checkpoints / full record in memory", "step_400_saved", "agent/step_memory_sink", 400],
];
for (const [title, name, own, steps] of table) {
  const us = theirs(name).us;
  const mine = perStep(own, steps);
  console.log(`| ${title} | ${shown(us)} | ${shown(mine)} | ${times(us / mine)} | ${shown(perStep("agent/bare_loop", steps))} |`);
}
const many = theirs("concurrent_2000").runsPerSecond;
const own = ours("agent/concurrent_runs_5_calls_1ms").items_per_second;
console.log(`\n2,000 runs at once, 5 calls of 1 ms each: LangGraph ${many.toFixed(0)} runs/s, ours ${own.toFixed(0)} runs/s with a record each (${times(own / many)}).`);
