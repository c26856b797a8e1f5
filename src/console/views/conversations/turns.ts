// Owns a conversation as a person reads it: what one speaker has said at one place, with the memories from it beside it. Pure.

import type { AgentMemory, Origin } from "../../../../clients/typescript/src/generated/models.ts";

export interface Turn {
  readonly origin: Origin;
  /** Its passages, in their order. Empty: only other memories from it are stored. */
  readonly said: AgentMemory[];
  readonly kept: AgentMemory[];
}

export function speakerOf(origin: Origin | undefined): string {
  return origin?.name ?? roleNames[origin?.role ?? "unknown"];
}

const roleNames = { user: "User", assistant: "Assistant", unknown: "Unknown speaker" } as const;

/** The places of a memory in a conversation, the first one first. */
export function originsIn({ origins = [] }: AgentMemory, conversation: string): Origin[] {
  const own = origins.filter((each) => each.conversation === conversation);
  return own.toSorted((left, right) => Date.parse(left.said_at ?? "") - Date.parse(right.said_at ?? "") || 0);
}

interface Contents {
  readonly conversation: string;
  /** In the order in which they were said. */
  readonly said: readonly AgentMemory[];
  readonly kept: readonly AgentMemory[];
  /** Whether `said` has all passages: what was kept of later ones is left out until then. */
  readonly isComplete: boolean;
}

/** Each passage is shown where it was said first. */
export function toTurns({ conversation, said, kept, isComplete }: Contents): Turn[] {
  const placeOf = (memory: AgentMemory) => originsIn(memory, conversation)[0] ?? {};
  const turns: Turn[] = [];
  for (const passage of said) {
    const origin = placeOf(passage);
    const last = turns.at(-1);
    if (last !== undefined && isSame(last.origin, origin)) last.said.push(passage);
    else turns.push({ origin, said: [passage], kept: [] });
  }
  const end = timeOf(turns.at(-1));
  for (const memory of kept) {
    const origin = placeOf(memory);
    const turn = { origin, said: [], kept: [memory] };
    const beside = findBeside(turns, origin, memory.content);
    if (beside !== undefined) beside.kept.push(memory);
    else if (isComplete || timeOf(turn) <= end)
      turns.splice(turns.findLastIndex((each) => timeOf(each) <= timeOf(turn)) + 1, 0, turn);
  }
  return turns;
}

/** Where the words are, or else another passage of the same message. */
function findBeside(turns: readonly Turn[], origin: Origin, content: string): Turn | undefined {
  const same = turns.filter((turn) => isSame(turn.origin, origin));
  const isKnown = origin.message !== undefined || origin.said_at !== undefined;
  return (
    same.find(({ said }) => said.some((passage) => passage.content.includes(content))) ??
    (isKnown ? same[0] : undefined)
  );
}

function isSame(left: Origin, right: Origin): boolean {
  return (["message", "said_at", "role", "name"] as const).every((name) => left[name] === right[name]);
}

/** Milliseconds since 1970. Where nobody says when it was said, when it was stored. */
function timeOf(turn: Turn | undefined): number {
  const at = turn?.origin.said_at ?? turn?.said[0]?.created_at ?? turn?.kept[0]?.created_at;
  return at === undefined ? Number.NEGATIVE_INFINITY : Date.parse(at);
}
