// Owns the proposals of an extraction: what was found in a text, and what the person decided about each. Nothing is stored before.

import type { Memledger } from "../../../../clients/typescript/src/client.ts";
import { NotFoundError } from "../../../../clients/typescript/src/errors.ts";
import type { AgentMemory, ExtractionItem, Redaction } from "../../../../clients/typescript/src/index.ts";

export type Decision = "open" | "accepted" | "refused" | "stored";

export interface Proposal {
  readonly item: ExtractionItem;
  /** The memory that the item would update, or that has its content already; null: none, or it is another item of the text. */
  readonly known: AgentMemory | null;
  readonly decision: Decision;
  /** "update": the known memory gets the content. */
  readonly how: "create" | "update";
  /** As edited. */
  readonly content: string;
  readonly type: AgentMemory["memory_type"];
  readonly importance: number;
  /** Why it was not stored; null: it was not tried, or it was. */
  readonly fault: string | null;
}

/** What the page keeps of an extraction while the person decides. */
export interface Work {
  readonly text: string;
  readonly tags: readonly string[];
  /** Null: not extracted yet. */
  readonly proposals: readonly Proposal[] | null;
  readonly redacted: readonly Redaction[];
}

export const noWork: Work = { text: "", tags: [], proposals: null, redacted: [] };

export function isWork(value: unknown): value is Work {
  return typeof value === "object" && value !== null && "text" in value && "proposals" in value;
}

/** Finds the items of a text without storing them. @throws MemledgerError */
export async function propose(client: Memledger, { text, tags }: Work): Promise<Work> {
  const { extracted, redacted = [] } = await client.memories.extract({ text, tags, dry_run: true });
  const proposals = await Promise.all(
    extracted.map(async (item): Promise<Proposal> => {
      const known = item.match?.id == null ? null : await readMemory(client, item.match.id);
      return {
        item,
        known,
        decision: item.action === "skipped" ? "refused" : "open",
        how: item.action === "updated" && known !== null ? "update" : "create",
        content: item.content,
        type: item.memory_type,
        importance: item.importance,
        fault: null,
      };
    }),
  );
  return { text, tags, proposals, redacted };
}

/** Null: it was deleted meanwhile. */
async function readMemory(client: Memledger, id: string): Promise<AgentMemory | null> {
  try {
    return await client.memories.read(id);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/**
 * Stores the accepted proposals: all new memories in one call, and one call for each update.
 * @returns the proposals, with what became of them
 * @throws MemledgerError of the first call that fails; sending the new memories again changes nothing that was stored
 */
export async function store(
  client: Memledger,
  proposals: readonly Proposal[],
  tags: readonly string[],
  onStored: (proposals: readonly Proposal[]) => void,
): Promise<void> {
  let present = [...proposals];
  const show = (at: number, changes: Partial<Proposal>) => {
    present = present.map((each, index) => (index === at ? { ...each, ...changes } : each));
  };
  const accepted = [...proposals.entries()].filter(([, { decision }]) => decision === "accepted");
  const created = accepted.filter(([, { how }]) => how === "create");
  if (created.length > 0) {
    const { results } = await client.memories.createBatch({
      memories: created.map(([, { content, type, importance, item }]) => ({
        content,
        memory_type: type,
        importance,
        expires_at: item.expires_at,
        tags,
      })),
    });
    for (const { index, status, message = "" } of results) {
      const [at] = created[index] ?? [];
      if (at !== undefined) show(at, outcomes[status](message));
    }
    onStored(present);
  }
  for (const [at, { how, known, content, item }] of accepted) {
    if (how !== "update" || known === null) continue;
    const expires = item.expires_at ?? known.expires_at;
    await client.memories.update(known.id, { content, expires_at: expires });
    show(at, { decision: "stored", fault: null });
    onStored(present);
  }
}

const outcomes = {
  created: () => ({ decision: "stored", fault: null }),
  existing: () => ({ decision: "refused", fault: "A memory has this content already." }),
  refused: (message) => ({ decision: "accepted", fault: message }),
} satisfies Readonly<Record<string, (message: string) => Partial<Proposal>>>;
