// The sets of memories and questions on which search is judged: conversations of files, and those of bench/everyday. Must never change a
// text.

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Conversation, readConversations, toContent } from "./locomo.ts";

export interface Question {
  readonly text: string;
  readonly kind: string;
  /** Ids of memories that answer it; none: no memory does. */
  readonly evidence: readonly string[];
  /** Whether it needs all of its evidence; otherwise any of it will do. */
  readonly needsAll: boolean;
}

/** The memories of one project, and what is asked of them. */
export interface Pool {
  readonly id: string;
  readonly memories: readonly { readonly id: string; readonly content: string }[];
  readonly questions: readonly Question[];
}

export interface QuestionSet {
  readonly name: string;
  readonly pools: readonly Pool[];
}

const everydayFolder = join(import.meta.dir, "everyday");

/** Questions that two memories answer together. */
const needsAllKind = "twostep";

/** The sets of these conversations, and everyday; `names`: only these. @throws Error for a name that no set has, or two have */
export function readSets(datasets: readonly string[], names: readonly string[] | null): QuestionSet[] {
  const sets = [
    { name: "everyday", pools: [withAnswers(readEveryday())] },
    ...datasets.flatMap((file) => setsOf(file, readConversations(file))),
  ];
  const known = sets.map(({ name }) => name);
  const twice = known.find((name, at) => known.indexOf(name) < at);
  if (twice !== undefined) throw new Error(`Two files are named ${twice}. Rename one of them.`);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(
      `There is no set ${unknown}; there are ${known.join(", ")}. Name its file with --dataset.`,
    );
  return sets.filter(({ name }) => names?.includes(name) ?? true);
}

/** Conversations with an assistant are two sets: the messages of users alone, and all messages. */
export function setsOf(file: string, conversations: readonly Conversation[]): QuestionSet[] {
  const name = basename(file).replace(/(-dev)?\.json(\.gz)?$/, "");
  const all = conversations.map(toPool);
  if (!conversations.some(({ turns }) => turns.some(({ speaker }) => speaker !== undefined)))
    return [{ name, pools: all }];
  const ofUsers = conversations.map((conversation) => {
    const turns = conversation.turns.filter(({ speaker }) => speaker === "user");
    return toPool({ ...conversation, turns });
  });
  return [
    { name: `${name}-users`, pools: ofUsers },
    { name: `${name}-all`, pools: all },
  ];
}

/** Without the evidence that is not among the turns. */
function toPool({ id, turns, questions }: Conversation): Pool {
  const ids = new Set(turns.map((turn) => turn.id));
  return withAnswers({
    id,
    memories: turns.map((turn) => ({ id: turn.id, content: toContent(turn) })),
    questions: questions.map(({ question, category, evidence }) => ({
      text: question,
      kind: String(category),
      evidence: evidence.filter((turn) => ids.has(turn)),
      needsAll: false,
    })),
  });
}

function withAnswers(pool: Pool): Pool {
  return { ...pool, questions: pool.questions.filter(({ evidence }) => evidence.length > 0) };
}

/** Also the questions that no memory answers. */
export function readEveryday(): Pool {
  const memories = readRows("memories.tsv").map(([id = "", content = ""]) => ({ id, content }));
  const questions = readRows("questions.tsv").map(([kind = "", text = "", ids = ""]) => ({
    kind,
    text,
    evidence: ids.split(/[\s,]+/).filter((id) => id !== ""),
    needsAll: kind === needsAllKind,
  }));
  return { id: "everyday", memories, questions };
}

function readRows(file: string): string[][] {
  const lines = readFileSync(join(everydayFolder, file), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => line.split("\t"));
}
