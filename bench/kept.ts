// What extraction keeps of conversations: questions that are answered by extracted memories and by the turns themselves, through the
// executable's HTTP API. Must never rank by itself.

import type { ExtractionDetail } from "../src/memory/extraction/extractor.ts";
import { toSaidDate } from "../src/memory/search/prompt.ts";
import { builtInDetails } from "../src/models/extraction/built-in.ts";
import { answeredShare, contentWords, isAnswered, wordsOf } from "./answers.ts";
import { percent } from "./figures.ts";
import { copyAlone, createProject, progress, startServer, type Table, temporaryFolder } from "./harness.ts";
import { Connection, toRequest } from "./http-client.ts";
import { dataOf } from "./http-data.ts";
import { type Conversation, readConversations, toContent } from "./locomo.ts";

const topK = 10;
/** Longer answers are summaries, which no single memory has. */
const answerMaxWords = 8;
const leastKept = 0.6;
const mostStored = 0.6;

type Stored = "turns" | ExtractionDetail;

interface Kept {
  readonly memories: number;
  readonly characters: number;
  /** For each question with a short answer, in order. */
  readonly answered: readonly boolean[];
}

export async function kept(executable: string, dataset: string): Promise<Table> {
  const conversations = readConversations(dataset);
  const raw = await measure(executable, conversations, "turns");
  const rows = [row("turns", raw, raw)];
  const verdicts: string[] = [];
  for (const detail of builtInDetails) {
    const found = await measure(executable, conversations, detail);
    rows.push(row(`detail ${detail}`, found, raw));
    if (detail === "verbatim") verdicts.push(...bars(found, raw));
  }
  const questions = raw.answered.length;
  const note = `${conversations.length} conversations, ${questions} questions whose answers have at most ${answerMaxWords} words. In one project each turn is a memory \`[date] text\`; in the others each session was extracted with \`POST /v1/memories/extract\` as lines \`[date] Name: text\`. Each question is searched with \`mode\` hybrid and \`top_k\` ${topK}; it is answered when ${percent(answeredShare)} of the content words of its answer occur in the texts found. Kept: answered by the extracted memories, of those answered by the turns. Bars for verbatim: ${verdicts.join(", ")}.`;
  const columns = ["memories", "number", "characters", "of the turns", "answered", "kept"];
  return { title: "Extraction by rules: what is kept of conversations", note, columns, rows };
}

function bars(found: Kept, raw: Kept): string[] {
  const verdict = (is: boolean) => (is ? "reached" : "**not reached**");
  const [keptShare, storedShare] = [keptOf(found, raw), found.characters / raw.characters];
  return [
    `kept ≥ ${percent(leastKept)} ${verdict(keptShare >= leastKept)}`,
    `characters ≤ ${percent(mostStored)} ${verdict(storedShare <= mostStored)}`,
  ];
}

function row(name: string, found: Kept, raw: Kept): string[] {
  return [
    name,
    String(found.memories),
    String(found.characters),
    percent(found.characters / raw.characters),
    String(countOf(found)),
    percent(keptOf(found, raw)),
  ];
}

function countOf({ answered }: Kept): number {
  return answered.filter((is) => is).length;
}

function keptOf(found: Kept, raw: Kept): number {
  return countOf(found) / countOf(raw);
}

async function measure(
  executable: string,
  conversations: readonly Conversation[],
  stored: Stored,
): Promise<Kept> {
  progress(`extraction: kept, ${stored}`);
  using folder = temporaryFolder();
  const copy = copyAlone(executable, folder.path);
  const dataDir = `${folder.path}/data`;
  await using server = await startServer(copy, dataDir);
  let memories = 0;
  let characters = 0;
  const answered: boolean[] = [];
  for (const conversation of conversations) {
    const { key } = await createProject(copy, dataDir, conversation.id);
    const connection = await Connection.open(server.port);
    const post = async (path: string, body: object) =>
      dataOf(await connection.send(toRequest("POST", path, key, body)), 200, 201, 409);
    await (stored === "turns" ? storeTurns(conversation, post) : extractSessions(conversation, stored, post));
    const contents = await listContents(connection, key);
    memories += contents.length;
    characters += contents.reduce((sum, content) => sum + content.length, 0);
    for (const { question, answer } of conversation.questions) {
      if (contentWords(String(answer)).length === 0 || wordsOf(String(answer)).length > answerMaxWords)
        continue;
      const found = (await post("/v1/memories/search", {
        query: question,
        mode: "hybrid",
        rerank: "off",
        top_k: topK,
      })) as {
        results: { memory: ListedMemory }[];
      };
      const contents = found.results.map(({ memory }) => toWords(memory));
      answered.push(isAnswered(contents, String(answer)));
    }
    connection.close();
  }
  return { memories, characters, answered };
}

interface ListedMemory {
  readonly content: string;
  readonly origins?: readonly { readonly name?: string; readonly said_at?: string }[];
}

/** What a reader of a prompt is told: who said it and when, and the words. */
function toWords({ content, origins = [] }: ListedMemory): string {
  const said = origins.map(
    ({ name = "", said_at }) => `${name} ${said_at === undefined ? "" : toSaidDate(Date.parse(said_at))}`,
  );
  return [...said, content].join(" ");
}

type Post = (path: string, body: object) => Promise<unknown>;

async function storeTurns({ turns }: Conversation, post: Post): Promise<void> {
  for (const turn of turns) {
    await post("/v1/memories", { content: toContent(turn), memory_type: "fact", importance: 0.5 });
  }
}

async function extractSessions({ turns }: Conversation, detail: ExtractionDetail, post: Post): Promise<void> {
  for (const session of Map.groupBy(turns, (turn) => turn.session).values()) {
    await post("/v1/memories/extract", { text: session.map(toContent).join("\n"), detail });
  }
}

export async function listContents(connection: Connection, key: string): Promise<string[]> {
  const contents: string[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/v1/memories?page=${page}&page_size=100`;
    const listed = dataOf(await connection.send(toRequest("GET", path, key)), 200) as {
      memories: { content: string }[];
      pagination: { total_pages: number };
    };
    contents.push(...listed.memories.map(({ content }) => content));
    if (page >= listed.pagination.total_pages) return contents;
  }
}
