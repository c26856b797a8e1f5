// The columns of the table of memories, and the words for the state of one.

import { now } from "../../clock.ts";
import type { Column } from "../../parts/table/types.ts";
import { Tags } from "../../parts/text/tag-input.tsx";
import { agoWidth, Time } from "../../parts/text/time.tsx";
import { speakerOf } from "../conversations/turns.ts";
import { type Memory, type ShownOrigin, typeNames } from "./memory-query.ts";

/** A row is one line: more of a long text would not be seen, and slow the table down. */
const shownMaxCharacters = 400;
/** Rows show the first tags only; the panel shows all. */
const shownTags = 4;

/** @param origin which memories are listed */
export function columnsOf(origin: ShownOrigin): readonly Column<Memory>[] {
  return origin === "conversation" ? saidColumns : columns;
}

const columns: readonly Column<Memory>[] = [
  {
    name: "content",
    title: "Memory",
    width: 18,
    grows: true,
    cell: (memory) => (
      <>
        <State memory={memory} />
        <bdi class={isUsed(memory) ? undefined : "quiet"}>{memory.content.slice(0, shownMaxCharacters)}</bdi>
      </>
    ),
    narrow: "title",
  },
  { name: "type", title: "Type", width: 4.75, cell: ({ memory_type }) => typeNames[memory_type] },
  {
    name: "tags",
    title: "Tags",
    width: 11,
    cell: ({ tags = [] }) => <Tags tags={tags.slice(0, shownTags)} />,
  },
  {
    name: "importance",
    title: "Importance",
    width: 6,
    align: "end",
    cell: ({ importance }) => importance.toFixed(2),
    isSortable: true,
    narrow: "hidden",
  },
  {
    name: "updated_at",
    title: "Changed",
    width: agoWidth,
    cell: ({ updated_at }) => <Time at={updated_at} ago />,
    isSortable: true,
    narrow: "hidden",
  },
  {
    name: "created_at",
    title: "Created",
    width: agoWidth,
    cell: ({ created_at }) => <Time at={created_at} ago />,
    isSortable: true,
  },
];

/** Passages all have the same type and importance: who said them is of more use. */
const saidColumns: readonly Column<Memory>[] = [
  ...columns.filter(({ name }) => name === "content"),
  {
    name: "speaker",
    title: "Speaker",
    width: 7,
    cell: ({ origins = [] }) => <bdi>{speakerOf(origins.at(-1))}</bdi>,
  },
  {
    name: "conversation",
    title: "Conversation",
    width: 11,
    cell: ({ origins = [] }) => <bdi>{origins.at(-1)?.conversation ?? "–"}</bdi>,
  },
  {
    name: "said_at",
    title: "Said",
    width: agoWidth,
    cell: ({ origins = [] }) => <Time at={origins.at(-1)?.said_at ?? null} ago />,
    narrow: "hidden",
  },
  ...columns.filter(({ name }) => name === "created_at"),
];

/** Why searches do not find the memory; nothing if they do. */
export function State({ memory }: { readonly memory: Memory }) {
  return (
    <>
      {!memory.is_active && <span class="badge state">inactive</span>}
      {isExpired(memory) && <span class="badge warning state">expired</span>}
    </>
  );
}

export function isExpired({ expires_at }: Pick<Memory, "expires_at">): boolean {
  return expires_at !== null && new Date(expires_at).getTime() <= now();
}

function isUsed(memory: Memory): boolean {
  return memory.is_active && !isExpired(memory);
}
