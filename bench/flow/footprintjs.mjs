// One benchmark of the flow comparison on the npm package footprintjs: `node footprintjs.mjs NAME`.
// Prints one JSON line: the median milliseconds of the measured part and the peak memory it added.
import { flowChart, FlowChartExecutor } from "footprintjs";
import { causalChain, keysReadFromExecutionTree, timeTravel } from "footprintjs/trace";

const rssMb = () => process.resourceUsage().maxRSS / 1024;
const baseline = rssMb();

function linear(count, body) {
  let chart = flowChart("s0", (s) => body(s, 0), "s0");
  for (let i = 1; i < count; i++) chart = chart.addFunction(`s${i}`, (s) => body(s, i), `s${i}`);
  return chart.build();
}

function loop(turns, bodies) {
  let chart = flowChart("seed", (s) => { s.n = 0; s.v = 0; s.w = 0; s.list = []; }, "seed");
  bodies.forEach((body, i) => { chart = chart.addFunction(`l${i}`, (s) => body(s, turns), `l${i}`); });
  return chart.loopTo("l0").build();
}

const scalarLoop = (turns) => loop(turns, [
  (s) => { s.n = s.w + 1; },
  (s) => { s.v = s.n; },
  (s, t) => { const v = s.v; s.w = v; if (v >= t) s.$break(); },
]);

async function run(chart, options = {}) {
  const executor = new FlowChartExecutor(chart);
  await executor.run({ maxIterations: 1e9, maxDepth: 1e6, ...options });
  return executor;
}

async function timed(repeat, prepare, body) {
  const times = [];
  for (let i = 0; i < repeat; i++) {
    const input = await prepare();
    const start = process.hrtime.bigint();
    await body(input);
    times.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)];
}

const loopSnapshot = async () => (await run(scalarLoop(10000))).getSnapshot();
function sliceOf(snapshot, limits) {
  const log = snapshot.commitLog;
  const reads = keysReadFromExecutionTree(snapshot.executionTree);
  const keys = reads.lookup;
  return causalChain(log, log[log.length - 1].runtimeStageId, keys, limits);
}

const benchmarks = {
  linear_same_key: () => timed(7, () => linear(1000, (s, i) => { s.x = i; }), run),
  linear_distinct_keys: () => timed(5, () => linear(1000, (s, i) => { s[`k${i}`] = i; }), run),
  loop_30001: () => timed(3, () => scalarLoop(10000), run),
  slice_default: () => timed(3, loopSnapshot, (snapshot) => sliceOf(snapshot, {})),
  slice_whole: () =>
    timed(3, loopSnapshot, (snapshot) => sliceOf(snapshot, { maxDepth: 1e9, maxNodes: 1e9 })),
  fork_1000: () =>
    timed(5, () => {
      const children = [];
      for (let i = 0; i < 1000; i++) children.push({ id: `c${i}`, name: `c${i}`, fn: (s) => { s.v = i; } });
      return flowChart("r", () => {}, "r").addListOfFunction(children).build();
    }, run),
  appends_2000: () =>
    timed(1, () => loop(2000, [
      (s) => { s.n = s.n + 1; },
      (s) => { s.list.push("item"); },
      (s, t) => { if (s.n >= t) s.$break(); },
    ]), run),
  state_at_row: () =>
    timed(3, loopSnapshot, (snapshot) => {
      const travel = timeTravel(snapshot);
      return travel.stateAt(15000);
    }),
  scalar_beside_1mb: () => {
    const big = Array.from({ length: 10000 }, (_, i) => ({ id: i, text: "x".repeat(80) }));
    return timed(3, () => linear(51, (s, i) => { if (i === 0) s.big = big; else s.x = i; }), run);
  },
  paused_1000: () => {
    const chart = flowChart("seed", (s) => { s.n = 1; s.list = ["a", "b"]; }, "seed")
      .addFunction("work", (s) => { s.v = s.n + 1; }, "work")
      .addPausableFunction("ask", { execute: () => ({ q: "go on?" }), resume: (s, a) => { s.a = a; } }, "ask")
      .addFunction("end", (s) => { s.w = s.a; }, "end")
      .build();
    return timed(1, () => [], async (kept) => {
      for (let i = 0; i < 1000; i++) {
        const executor = new FlowChartExecutor(chart);
        const outcome = await executor.run();
        if (!outcome.paused) throw new Error("it did not pause");
        kept.push({ executor, checkpoint: outcome.checkpoint });
      }
      globalThis.kept = kept;
    });
  },
  mount_in_loop_1000: () => {
    const inner = flowChart("in", (s) => { s.m = 1; }, "in").build();
    return timed(3, () =>
      flowChart("seed", (s) => { s.n = 0; }, "seed")
        .addFunction("l0", (s) => { s.n = s.n + 1; }, "l0")
        .addSubFlowChartNext("sub", inner, "sub", { inputMapper: (p) => ({ x: p.n }), outputMapper: (o) => ({ m: o.m }) })
        .addFunction("end", (s) => { if (s.n >= 1000) s.$break(); }, "end")
        .loopTo("l0").build(), run);
  },
};

const name = process.argv[2];
if (!benchmarks[name]) {
  console.error(`known: ${Object.keys(benchmarks).join(" ")}`);
  process.exit(2);
}
try {
  const ms = await benchmarks[name]();
  console.log(JSON.stringify({ name, ms, peakMb: rssMb() - baseline }));
} catch (error) {
  console.log(JSON.stringify({ name, error: String(error && error.message).slice(0, 200) }));
}
