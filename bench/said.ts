// How well what was said in conversations is found and injected later, beside many other memories, through the executable's HTTP API. Must
// never rank by itself.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compare, toPoints } from "./bootstrap.ts";
import { mean, percent } from "./figures.ts";
import { remember } from "./filled-server.ts";
import { copyAlone, createProject, progress, startServer, type Table, temporaryFolder } from "./harness.ts";
import { Connection, toRequest } from "./http-client.ts";
import { dataOf } from "./http-data.ts";
import { readConversations } from "./locomo.ts";
import { readEveryday } from "./question-sets.ts";

const others = 1_850;
const first = 5;
const maxCharacters = 2_400;
const leastFound = 0.82;
const leastInjected = 0.78;
const mostBehindEnglish = 0.03;

interface Message {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly name?: string;
  readonly content: string;
  readonly said_at: string;
}

interface Asked {
  readonly question: string;
  /** Of a conversation of files: words of the message that answers it. */
  readonly words: string;
  /** Ids of the messages that answer it. */
  readonly evidence: readonly string[];
}

/** What is stored in one project, and asked of it. */
interface Said {
  readonly set: string;
  readonly language: string;
  /** By the id of each conversation. */
  readonly conversations: ReadonlyMap<string, readonly Message[]>;
  readonly questions: readonly Asked[];
}

/** For each question, in order. */
interface Answered {
  readonly language: string;
  /** Whether one of the first results answers it. */
  readonly found: boolean;
  readonly injected: boolean;
  readonly lines: number;
  /** Lines that are neither of a message that answers the question nor of one beside it. */
  readonly useless: number;
}

/** @param dataset conversations in the LoCoMo format; null: only those of bench/conversations */
export async function said(
  executable: string,
  against: string | null,
  dataset: string | null,
): Promise<Table[]> {
  const sets = [...readSaid("tune"), ...readSaid("unseen"), ...(dataset === null ? [] : readSpoken(dataset))];
  const now = await measure(executable, sets);
  const before = against === null ? null : await measure(against, sets);
  const names = [...new Set(sets.map(({ set }) => set))];
  const rows = names.flatMap((set) => rowsOf(set, now.get(set) ?? [], before?.get(set) ?? null));
  const note = `Messages of conversations, stored with the detail verbatim beside ${others.toLocaleString("en")} memories of everyday in one project for each language (bench/conversations; of LoCoMo for each conversation). Found: one of the first ${first} results of a hybrid search with default settings answers the question. Injected: a line of an injection of at most ${maxCharacters.toLocaleString("en")} characters does. Useless: lines of injections that are of no message that answers the question, nor of one beside it. Differences in points (lines: in lines for a question), with 95 % intervals of a paired bootstrap over the questions: from the executable of --against, and of the other languages from English, over the same conversations. Bars on the unseen part: found ≥ ${percent(leastFound)}, injected ≥ ${percent(leastInjected)}, other languages not more than ${percent(mostBehindEnglish)} points behind.`;
  const columns = [
    "questions",
    "number",
    "found, %",
    "injected, %",
    "lines",
    "useless lines",
    "found - before",
    "injected - before",
    "useless lines - before",
    "found - English",
  ];
  return [{ title: "Extraction by rules: what was said", note, columns, rows }];
}

function rowsOf(set: string, now: readonly Answered[], before: readonly Answered[] | null): string[][] {
  const languages = [...new Set(now.map(({ language }) => language))];
  const of = (all: readonly Answered[], language: string) => all.filter((each) => each.language === language);
  const english = of(now, "en");
  const row = (
    name: string,
    own: readonly Answered[],
    former: readonly Answered[] | null,
    others: readonly Answered[],
  ) => [
    name,
    String(own.length),
    percent(mean(own.map(({ found }) => Number(found)))),
    percent(mean(own.map(({ injected }) => Number(injected)))),
    mean(own.map(({ lines }) => lines)).toFixed(1),
    mean(own.map(({ useless }) => useless)).toFixed(1),
    ...(["found", "injected", "useless"] as const).map((figure) => difference(own, former, figure)),
    others.length === 0 ? "" : toPoints(compare(...behindEnglish(others, english))),
  ];
  const foreign = now.filter(({ language }) => language !== "en");
  const whole = row(`**${set}**`, now, before, foreign);
  if (languages.length === 1) return [whole];
  return [
    whole,
    ...languages.map((each) =>
      row(`${set}, ${each}`, of(now, each), before && of(before, each), each === "en" ? [] : of(now, each)),
    ),
  ];
}

function difference(
  now: readonly Answered[],
  before: readonly Answered[] | null,
  figure: "found" | "injected" | "useless",
): string {
  if (before === null) return "";
  const values = (all: readonly Answered[]) =>
    all.map((each) => Number(each[figure]) / (figure === "useless" ? 100 : 1));
  return toPoints(compare(values(now), values(before)));
}

/** The mean of the other languages for each question, and English: the questions of all languages are the same, in the same order. */
function behindEnglish(foreign: readonly Answered[], english: readonly Answered[]): [number[], number[]] {
  const languages = [...Map.groupBy(foreign, ({ language }) => language).values()];
  const other = english.map((_, at) => mean(languages.map((all) => Number(all[at]?.found ?? false))));
  return [other, english.map(({ found }) => Number(found))];
}

async function measure(executable: string, sets: readonly Said[]): Promise<Map<string, Answered[]>> {
  using folder = temporaryFolder();
  const copy = copyAlone(executable, folder.path);
  const dataDir = `${folder.path}/data`;
  await using server = await startServer(copy, dataDir);
  const everyday = readEveryday();
  const pool = { ...everyday, memories: everyday.memories.slice(0, others) };
  const answered = new Map<string, Answered[]>();
  for (const [at, { set, language, conversations, questions }] of sets.entries()) {
    progress(`extraction: said, ${set}, ${language}`);
    const { key } = await createProject(copy, dataDir, `${set} ${language} ${at}`);
    const post = async (path: string, body: object) => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      return dataOf({ status: response.status, body: await response.bytes() }, 200);
    };
    await remember(server.port, key, pool);
    for (const [conversation, messages] of conversations)
      await post("/v1/memories/extract", { messages, conversation, detail: "verbatim" });
    const messageOf = await readMessages(server.port, key);
    for (const asked of questions) {
      const one = await ask(asked, conversations, messageOf, post);
      answered.set(set, [...(answered.get(set) ?? []), { language, ...one }]);
    }
  }
  return answered;
}

interface Listed {
  readonly content: string;
  readonly origins?: readonly { readonly conversation?: string; readonly message?: string }[];
}

/** The message from which each content is. */
async function readMessages(port: number, key: string): Promise<ReadonlyMap<string, string>> {
  const connection = await Connection.open(port);
  const messageOf = new Map<string, string>();
  for (let cursor = ""; ; ) {
    const path = `/v1/memories?origin=conversation&page_size=100${cursor}`;
    const page = dataOf(await connection.send(toRequest("GET", path, key)), 200) as {
      memories: Listed[];
      next_cursor: string | null;
    };
    for (const { content, origins = [] } of page.memories) messageOf.set(content, origins[0]?.message ?? "");
    if (page.next_cursor === null) break;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
  connection.close();
  return messageOf;
}

async function ask(
  { question, words, evidence }: Asked,
  conversations: Said["conversations"],
  messageOf: ReadonlyMap<string, string>,
  post: (path: string, body: object) => Promise<unknown>,
): Promise<Omit<Answered, "language">> {
  const isAnswer = (content: string) =>
    content.includes(words) && evidence.includes(messageOf.get(content) ?? "");
  const search = { query: question, mode: "hybrid", top_k: first };
  const { results } = (await post("/v1/memories/search", search)) as { results: { memory: Listed }[] };
  const injection = { query: question, max_characters: maxCharacters };
  const { prompt } = (await post("/v1/memories/inject", injection)) as { prompt: string };
  const lines = [...prompt.matchAll(/^- \([^)]*\) (".*")$/gm)].map(([, text = '""']) =>
    String(JSON.parse(text)),
  );
  const useful = new Set(besides(evidence, conversations));
  return {
    found: results.some(({ memory }) => isAnswer(memory.content)),
    injected: lines.some(isAnswer),
    lines: lines.length,
    useless: lines.filter((content) => !useful.has(messageOf.get(content) ?? "")).length,
  };
}

/** The messages, and those before and after each. */
function besides(evidence: readonly string[], conversations: Said["conversations"]): string[] {
  return [...conversations.values()].flatMap((messages) =>
    messages
      .filter((_, at) => messages.slice(Math.max(0, at - 1), at + 2).some(({ id }) => evidence.includes(id)))
      .map(({ id }) => id),
  );
}

/** The conversations of a file of bench/conversations, one for each language. */
export function readSaid(set: string): Said[] {
  const text = readFileSync(join(import.meta.dir, "conversations", `${set}.txt`), "utf8");
  const parts = text.split(/^# /m).filter((part) => part.trim() !== "");
  const read = parts.map((part) => readPart(part));
  return [...Map.groupBy(read, ({ language }) => language)].map(([language, some]) => ({
    set,
    language,
    conversations: new Map(some.map(({ name, messages }) => [name, messages])),
    questions: some.flatMap(({ questions }) => questions),
  }));
}

function readPart(part: string) {
  const [head = "", ...lines] = part.trimEnd().split("\n");
  const [name = "", language = "", date = ""] = head.split(" ");
  const body = lines.filter((line) => !line.startsWith("? ")).join("\n");
  const messages = body.split(/^(?=[UA]: )/m).map(
    (each, at): Message => ({
      id: `${name}-${at}`,
      role: each.startsWith("U") ? "user" : "assistant",
      content: each.slice(3).trim(),
      said_at: new Date(Date.parse(date) + at * 60_000).toISOString(),
    }),
  );
  const questions = lines.flatMap((line): Asked[] => {
    const [, question = "", words = ""] = /^\? (.*) \| (.*)$/.exec(line) ?? [];
    if (question === "") return [];
    const evidence = messages.filter(({ content }) => content.includes(words)).map(({ id }) => id);
    if (evidence.length === 0)
      throw new Error(`No message of ${name} (${language}) has the words "${words}".`);
    return [{ question, words, evidence }];
  });
  return { name, language, messages, questions };
}

/** Conversations of two people, the first one in the place of the user; a conversation for each session. */
function readSpoken(file: string): Said[] {
  return readConversations(file).map(({ turns, questions }) => {
    const speakers = [...new Set(turns.map(({ text }) => text.split(": ")[0] ?? ""))];
    const messages = turns.map(({ id, session, date, text }) => {
      const [name = ""] = text.split(": ");
      const role = speakers.indexOf(name) === 0 ? ("user" as const) : ("assistant" as const);
      return {
        session,
        message: { id, role, name, content: text.slice(name.length + 2), said_at: toTime(date) },
      };
    });
    const sessions = Map.groupBy(messages, ({ session }) => `session ${session}`);
    return {
      set: "locomo",
      language: "en",
      conversations: new Map([...sessions].map(([id, all]) => [id, all.map(({ message }) => message)])),
      questions: questions.map(({ question, evidence }) => ({ question, words: "", evidence })),
    };
  });
}

/** @param text such as `1:56 pm on 8 May, 2023` */
function toTime(text: string): string {
  const [, hour = "0", minute = "0", half = "", day = ""] = /^(\d+):(\d+) ([ap]m) on (.*)$/.exec(text) ?? [];
  const hours = (Number(hour) % 12) + (half === "pm" ? 12 : 0);
  return new Date(Date.parse(`${day} UTC`) + (hours * 60 + Number(minute)) * 60_000).toISOString();
}
