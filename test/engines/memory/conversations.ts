// The conversations of the test engine: read from the origins of all memories, each time.

import type {
  ConversationReader,
  ConversationSummary,
  ConversationTransaction,
} from "../../../src/calls/storage/conversation-store.ts";
import { isExpired } from "../../../src/memory/memory.ts";
import { type Owner, ownerId } from "../../../src/memory/owner.ts";
import type { Data, MemoryRow } from "./data.ts";

export function createConversationReader(data: Data): ConversationReader {
  return {
    find: (owner, name) =>
      data.inTurn(() => {
        const id = findId(data, owner, name);
        return id === undefined ? null : { id, name };
      }),
    findById: ({ id: project }, id) =>
      data.inTurn(() => {
        const row = data.conversations.get(id);
        if (row === undefined || row.project !== project || row.name === null) return null;
        const name = row.subject === null ? null : (data.subjects.get(row.subject)?.name ?? "");
        const subject = row.subject === null || name === null ? null : { id: row.subject, name };
        return { conversation: { id, name: row.name }, subject };
      }),
    list: (owner, { cursor, limit }) =>
      data.inTurn(() => {
        const own = ofOwner(data, owner);
        const names = new Set(own.flatMap(({ memory }) => memory.origins.map((each) => each.conversation)));
        const all = [...names]
          .filter((name) => name !== null)
          .map((name) => summaryOf(name, own))
          .toSorted((one, other) => other.lastAt - one.lastAt);
        const skip = Number(cursor ?? 0);
        const next = all.length > skip + limit ? String(skip + limit) : null;
        return { conversations: all.slice(skip, skip + limit), next };
      }),
    read: (owner, name, { cursor, limit, keptMax }) =>
      data.inTurn(() => {
        const said = saidIn(data, owner, name).toSorted(
          (one, other) => placeOf(one, name) - placeOf(other, name),
        );
        if (said.length === 0) return "absent";
        const memories = said.map(({ memory }) => memory);
        const passages = memories.filter(({ passage }) => passage);
        const skip = Number(cursor ?? 0);
        return {
          summary: summaryOf(name, said),
          passages: passages.slice(skip, skip + limit),
          next: passages.length > skip + limit ? String(skip + limit) : null,
          kept: memories.filter(({ passage }) => !passage).slice(0, keptMax),
        };
      }),
    neighbours: (owner, { passages, withProject, now }) =>
      data.inTurn(() =>
        passages.map((id) => {
          const own = ofOwner(data, owner);
          const all = withProject ? [...own, ...ofOwner(data, { ...owner, subject: null })] : own;
          const passage = all.find(({ memory }) => memory.id === id && memory.passage);
          const name = passage?.memory.origins[0]?.conversation ?? null;
          if (passage === undefined || name === null) return { before: null, after: null };
          const said = all
            .filter(
              (row) => row.project === passage.project && row.memory.passage && timesOf(row, name).length > 0,
            )
            .toSorted((one, other) => one.created - other.created);
          const at = said.indexOf(passage);
          const shown = (row: MemoryRow | undefined) =>
            row?.memory.active === true && !isExpired(row.memory, now) ? row.memory : null;
          return { before: at > 0 ? shown(said[at - 1]) : null, after: shown(said[at + 1]) };
        }),
      ),
    madeOf: (owner, { name }) => data.inTurn(() => saidIn(data, owner, name).map(({ memory }) => memory)),
  };
}

export function createConversationTransaction(data: Data): ConversationTransaction {
  return {
    async open(owner, { id, name }) {
      const known = findId(data, owner, name);
      if (known !== undefined) return known === id;
      if (data.conversations.get(id) !== undefined) return false;
      data.conversations.set(id, { id, name, ...owner });
      return true;
    },
    madeOf: async (owner, { name }) => saidIn(data, owner, name).map(({ memory }) => memory),
    // It keeps the texts of payloads, not their parts.
    held: async () => [],
    async forget(_owner, { id }) {
      const row = data.conversations.get(id);
      if (row !== undefined) data.conversations.set(id, { ...row, name: null });
    },
  };
}

function findId({ conversations }: Data, { project, subject }: Owner, name: string): string | undefined {
  return conversations
    .all()
    .find((row) => row.project === project && row.subject === subject && row.name === name)?.id;
}

function ofOwner({ memories }: Data, owner: Owner): MemoryRow[] {
  return memories.all().filter((row) => row.project === ownerId(owner));
}

function saidIn(data: Data, owner: Owner, name: string): MemoryRow[] {
  return ofOwner(data, owner).filter(({ memory }) =>
    memory.origins.some(({ conversation }) => conversation === name),
  );
}

function timesOf({ memory }: MemoryRow, name: string): number[] {
  return memory.origins
    .filter(({ conversation }) => conversation === name)
    .map(({ saidAt }) => saidAt ?? memory.createdAt);
}

function placeOf(row: MemoryRow, name: string): number {
  return Math.min(...timesOf(row, name));
}

function summaryOf(name: string, rows: readonly MemoryRow[]): ConversationSummary {
  const said = rows.filter((row) => timesOf(row, name).length > 0);
  const times = said.flatMap((row) => timesOf(row, name));
  const passages = said.filter(({ memory }) => memory.passage).length;
  return {
    name,
    firstAt: Math.min(...times),
    lastAt: Math.max(...times),
    passages,
    kept: said.length - passages,
  };
}
