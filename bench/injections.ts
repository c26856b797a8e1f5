// What injections give in stores of several sizes: for prompts that no memory helps with, and for tasks that one memory helps with, through
// the executable's HTTP API. Must never rank by itself.

import { mean, percent } from "./figures.ts";
import { FilledServer, type Mode, type Model } from "./filled-server.ts";
import { progress, type Table } from "./harness.ts";
import type { Pool, Question } from "./question-sets.ts";
import { createRandom } from "./texts.ts";

/** Several small stores, because one has the memories of few tasks. */
const stores = [
  { size: 25, count: 8 },
  { size: 150, count: 4 },
  { size: 500, count: 2 },
  { size: 2_000, count: 1 },
];
const injection: Mode = { name: "injection", path: "/v1/memories/inject", fields: {} };

const isTask = ({ kind }: Question) => kind === "task";
const isUnrelated = ({ evidence }: Question) => evidence.length === 0;

export async function injections(
  executable: string,
  everyday: Pool,
  models: readonly Model[],
): Promise<Table> {
  const rows: string[][] = [];
  for (const model of models) {
    for (const { size, count } of stores) {
      progress(`retrieval: injections, ${model.name}, ${size} memories`);
      using filled = await FilledServer.fill(executable, divide(everyday, size, count), model);
      const { found } = await filled.ask(injection);
      const tasks = found.filter(({ question }) => isTask(question));
      const lines = found.filter(({ question }) => isUnrelated(question)).map(({ results }) => results);
      rows.push([
        model.name,
        size.toLocaleString("en"),
        String(lines.length),
        mean(lines).toFixed(2),
        percent(mean(lines.map((number) => (number === 0 ? 1 : 0)))),
        String(tasks.length),
        percent(mean(tasks.map(({ rank }) => (rank === null ? 0 : 1)))),
        mean(tasks.map(({ results }) => results)).toFixed(2),
      ]);
    }
  }
  const numbers = stores.map(({ size, count }) => `${count} of ${size.toLocaleString("en")}`).join(", ");
  const note = `\`POST /v1/memories/inject\` with the query alone, in stores of random memories of everyday (seeded; ${numbers}). Every unrelated prompt is asked of every store, each task of a store that has its memory. Lines: memories in the answer.`;
  const columns = [
    ...["embedding model", "memories in the store", "unrelated prompts", "lines for one", "without lines, %"],
    ...["tasks", "right memory injected, %", "lines for a task"],
  ];
  return { title: "Retrieval: injections", note, columns, rows };
}

/**
 * Stores of `size` memories with the questions about them, and those about none. Each has its share of the memories that tasks need; the
 * others are drawn at random.
 */
function divide({ id, memories, questions }: Pool, size: number, count: number): Pool[] {
  const random = createRandom(size);
  const drawn = memories
    .map((memory) => ({ memory, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ memory }) => memory);
  const needed = new Set(questions.filter(isTask).flatMap(({ evidence }) => evidence));
  const ofTasks = drawn.filter((memory) => needed.has(memory.id));
  const others = drawn.filter((memory) => !needed.has(memory.id)).values();
  return Array.from({ length: count }, (_, store) => {
    const own = ofTasks.filter((_, at) => at % count === store).slice(0, size);
    const stored = [...own, ...others.take(size - own.length)];
    const ids = new Set(stored.map((memory) => memory.id));
    const asked = questions.filter(
      (question) =>
        isUnrelated(question) || (isTask(question) && question.evidence.every((each) => ids.has(each))),
    );
    return { id: `${id} ${store}`, memories: stored, questions: asked };
  });
}
