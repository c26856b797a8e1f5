// What each detail of an extraction stores of conversations about work with an assistant, and what injections give of it later, through the
// executable's HTTP API. Must never rank by itself.

import type { ExtractionDetail } from "../src/memory/extraction/extractor.ts";
import { builtInDetails } from "../src/models/extraction/built-in.ts";
import {
  isNoise,
  loadWorkConversations,
  type WorkConversation,
} from "../test/models/extraction/sessions/work-conversations.ts";
import { answeredShare, isAnswered } from "./answers.ts";
import { mean, percent } from "./figures.ts";
import { copyAlone, createProject, progress, startServer, type Table, temporaryFolder } from "./harness.ts";
import { Connection, toRequest } from "./http-client.ts";
import { dataOf } from "./http-data.ts";
import { listContents } from "./kept.ts";

const topK = 10;

/** What people write when they begin something else in the same project. */
const newPrompts = [
  "Add an endpoint that returns the length of the queue.",
  "The build fails on main, please have a look.",
  "Write unit tests for the date parser.",
  "Refactor the settings page into smaller components.",
  "Why is the first page load so slow?",
  "Update the dependencies and run the tests.",
  "Write the release notes for the next version.",
  "Review this pull request for security problems.",
  "Draft an e-mail to the customers about the maintenance window.",
  "Explain what the function mergeItems does.",
  "Add a dark mode.",
  "Which tables does the nightly job write?",
];

type Stored = ExtractionDetail | "messages";
type Post = (path: string, body: object) => Promise<unknown>;

interface Injected {
  readonly lines: number;
  readonly noise: number;
  readonly characters: number;
}

interface Figures {
  readonly memories: number;
  readonly characters: number;
  readonly noise: number;
  readonly found: readonly boolean[];
  readonly given: readonly boolean[];
  readonly injections: readonly Injected[];
  readonly newInjections: readonly Injected[];
}

export async function workDetails(executable: string): Promise<Table> {
  const conversations = loadWorkConversations();
  const rows: string[][] = [];
  for (const stored of ["messages", ...builtInDetails] as const)
    rows.push(row(stored, await measure(executable, conversations, stored)));
  const count = (of: (each: WorkConversation) => number) =>
    conversations.reduce((sum, each) => sum + of(each), 0);
  const note = `${conversations.length} conversations about work with an assistant, ${count(({ messages }) => messages.length)} messages, ${count(({ questions }) => questions.length)} questions that a colleague would ask later (test/models/extraction/sessions; their author has also chosen the default), in one project. "messages": each message is a memory; in the other rows memories are extracted from a whole conversation in one call; the built-in extractor finds the same in each answer with the words of the user before it, as the gateway extracts them. Found: ${percent(answeredShare)} % of the content words of the answer occur in the first ${topK} results of a hybrid search. Injected: they occur in the prompt that \`POST /v1/memories/inject\` gives for the question with default settings. Noise: memories of sentences that are marked as such, in percent of all. New prompts: ${newPrompts.length} requests that begin something else.`;
  return {
    title: "Extraction by rules: detail for conversations about work",
    note,
    columns: [
      ...["memories", "number", "characters", "noise, %", "found, %", "injected, %"],
      ...[
        "lines per question",
        "of it noise, %",
        "lines per new prompt",
        "of it noise, %",
        "characters per new prompt",
      ],
    ],
    rows,
  };
}

function row(stored: Stored, figures: Figures): string[] {
  const { memories, characters, noise, found, given, injections, newInjections } = figures;
  const share = (all: readonly boolean[]) => percent(mean(all.map(Number)));
  const lines = (all: readonly Injected[]) => mean(all.map((each) => each.lines)).toFixed(1);
  const noisy = (all: readonly Injected[]) => {
    const sum = (of: (each: Injected) => number) => all.reduce((total, each) => total + of(each), 0);
    const whole = sum((each) => each.lines);
    return whole === 0 ? "" : percent(sum((each) => each.noise) / whole);
  };
  const isRaw = stored === "messages";
  return [
    isRaw ? "messages" : `detail ${stored}`,
    String(memories),
    String(characters),
    isRaw ? "" : percent(noise / memories),
    share(found),
    share(given),
    lines(injections),
    isRaw ? "" : noisy(injections),
    lines(newInjections),
    isRaw ? "" : noisy(newInjections),
    mean(newInjections.map((each) => each.characters)).toFixed(0),
  ];
}

async function measure(
  executable: string,
  conversations: readonly WorkConversation[],
  stored: Stored,
): Promise<Figures> {
  progress(`extraction: work, ${stored}`);
  using folder = temporaryFolder();
  const copy = copyAlone(executable, folder.path);
  const dataDir = `${folder.path}/data`;
  await using server = await startServer(copy, dataDir);
  const { key } = await createProject(copy, dataDir, "work");
  const connection = await Connection.open(server.port);
  const post: Post = async (path, body) =>
    dataOf(await connection.send(toRequest("POST", path, key, body)), 200, 201, 409);
  const noisy = new Set<string>();
  for (const conversation of conversations) {
    if (stored === "messages") await storeMessages(conversation, post);
    else for (const id of await extract(conversation, stored, post)) noisy.add(id);
  }
  const contents = await listContents(connection, key);
  const inject = (query: string) => injectFor(query, noisy, post);
  const found: boolean[] = [];
  const given: boolean[] = [];
  const injections: Injected[] = [];
  for (const { question, answer } of conversations.flatMap(({ questions }) => questions)) {
    const { results } = (await post("/v1/memories/search", {
      query: question,
      mode: "hybrid",
      top_k: topK,
    })) as {
      results: { memory: { content: string } }[];
    };
    found.push(
      isAnswered(
        results.map(({ memory }) => memory.content),
        answer,
      ),
    );
    const injected = await inject(question);
    given.push(isAnswered([injected.prompt], answer));
    injections.push(injected);
  }
  const newInjections: Injected[] = [];
  for (const prompt of newPrompts) newInjections.push(await inject(prompt));
  connection.close();
  const characters = contents.reduce((sum, content) => sum + content.length, 0);
  return {
    ...{ memories: contents.length, characters, noise: noisy.size },
    ...{ found, given, injections, newInjections },
  };
}

async function storeMessages({ messages }: WorkConversation, post: Post): Promise<void> {
  for (const { content } of messages)
    await post("/v1/memories", { content, memory_type: "fact", importance: 0.5 });
}

/** Ids of the memories that are noise. */
async function extract(
  conversation: WorkConversation,
  detail: ExtractionDetail,
  post: Post,
): Promise<readonly string[]> {
  const { messages } = conversation;
  const { extracted } = (await post("/v1/memories/extract", { messages, detail })) as {
    extracted: { id: string; action: string; evidence: string }[];
  };
  return extracted
    .filter(({ action, evidence }) => action !== "skipped" && isNoise(evidence, conversation))
    .map(({ id }) => id);
}

async function injectFor(
  query: string,
  noisy: ReadonlySet<string>,
  post: Post,
): Promise<Injected & { readonly prompt: string }> {
  const { prompt, rules, results } = (await post("/v1/memories/inject", { query })) as {
    prompt: string;
    rules: { id: string }[];
    results: { memory: { id: string } }[];
  };
  const ids = [...rules.map(({ id }) => id), ...results.map(({ memory }) => memory.id)];
  return {
    prompt,
    lines: ids.length,
    noise: ids.filter((id) => noisy.has(id)).length,
    characters: prompt.length,
  };
}
