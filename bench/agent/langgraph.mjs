// One benchmark of the agent comparison on the npm package @langchain/langgraph with a scripted model: `node langgraph.mjs NAME`.
// Prints one JSON line: microseconds a step (median of the runs), or runs a second.
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";

const rows = (seed) =>
  JSON.stringify(
    Array.from({ length: 5 }, (_, i) => ({ name: `vol-${seed * 7 + i}`, iops: 41200 + seed * 13 + i, state: "ok" })),
  );

const input = { schema: z.object({ seed: z.number() }), description: "For measuring." };
const rowsTool = tool(async ({ seed }) => rows(seed), { name: "rows", ...input });
const waitTool = tool(
  async ({ seed }) => {
    await new Promise((done) => setTimeout(done, 1));
    return rows(seed);
  },
  { name: "rows", ...input },
);

// The nth request has n results before it: two messages a step, behind the question.
function agent(steps, used, checkpointer) {
  const model = (state) => {
    const done = Math.floor(state.messages.length / 2);
    if (done >= steps) return { messages: [new AIMessage("all done")] };
    const call = { name: "rows", args: { seed: done }, id: `call_${done}`, type: "tool_call" };
    return { messages: [new AIMessage({ content: "", tool_calls: [call] })] };
  };
  const more = (state) => (state.messages.at(-1).tool_calls?.length ? "tools" : END);
  return new StateGraph(MessagesAnnotation)
    .addNode("model", model)
    .addNode("tools", new ToolNode([used]))
    .addEdge(START, "model")
    .addConditionalEdges("model", more)
    .addEdge("tools", "model")
    .compile({ checkpointer });
}

let thread = 0;
async function run(graph) {
  const config = { recursionLimit: 1e6, configurable: { thread_id: `t${thread++}` } };
  const state = await graph.invoke({ messages: [new HumanMessage("go")] }, config);
  if (state.messages.at(-1).content !== "all done") throw new Error("no answer");
}

async function perStep(steps, repeat, saved) {
  const times = [];
  for (let i = 0; i <= repeat; i++) {
    const graph = agent(steps, rowsTool, saved ? new MemorySaver() : undefined);
    const start = process.hrtime.bigint();
    await run(graph);
    if (i > 0) times.push(Number(process.hrtime.bigint() - start) / 1e3 / steps); // the first one warms up
  }
  times.sort((a, b) => a - b);
  return { us: times[Math.floor(times.length / 2)] };
}

async function concurrent(count) {
  const graph = agent(5, waitTool);
  await run(graph);
  const start = process.hrtime.bigint();
  await Promise.all(Array.from({ length: count }, () => run(graph)));
  return { runsPerSecond: count / (Number(process.hrtime.bigint() - start) / 1e9) };
}

const benchmarks = {
  step_20: () => perStep(20, 15, false),
  step_400: () => perStep(400, 3, false),
  step_20_saved: () => perStep(20, 9, true),
  step_400_saved: () => perStep(400, 1, true),
  concurrent_2000: () => concurrent(2000),
};

const name = process.argv[2];
if (!benchmarks[name]) {
  console.error(`known: ${Object.keys(benchmarks).join(" ")}`);
  process.exit(2);
}
console.log(JSON.stringify({ name, ...(await benchmarks[name]()) }));
