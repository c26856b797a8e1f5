// Owns the proposals of an extraction: what was found in a text, and what the person decided about each. Nothing is stored before.

import { NotFoundError } from "../../../../clients/typescript/src/errors.ts";
import type {
  AgentMemory,
  BatchResult,
  ExtractionItem,
  Redaction,
  UpdateResult,
} from "../../../../clients/typescript/src/index.ts";
import type { ProjectClient } from "../../api/calls.ts";

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
export async function propose(client: ProjectClient, { text, tags }: Work): Promise<Work> {
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
async function readMemory(client: ProjectClient, id: string): Promise<AgentMemory | null> {
  try {
    return await client.memories.read(id);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/**
 * Stores the accepted proposals: all new memories in one call, and all updates in another one. A memory that was changed after it was
 * shown is not updated.
 * @param onStored gets the proposals with what became of them, after each call
 * @throws MemledgerError of the first call that fails; sending the proposals again changes nothing that was stored
 */
export async function store(
  client: ProjectClient,
  proposals: readonly Proposal[],
  tags: readonly string[],
  onStored: (proposals: readonly Proposal[]) => void,
): Promise<void> {
  const present = [...proposals];
  const accepted = [...proposals.entries()].filter(([, { decision }]) => decision === "accepted");
  const show = (sent: readonly (readonly [at: number, Proposal])[], results: readonly Result[]) => {
    for (const { index, status, message = "" } of results) {
      const [at, proposal] = sent[index] ?? [];
      if (at !== undefined && proposal !== undefined)
        present[at] = { ...proposal, ...outcomes[status](message) };
    }
    onStored([...present]);
  };
  const created = accepted.filter(([, { how }]) => how === "create");
  if (created.length > 0) {
    const memories = created.map(([, { content, type, importance, item }]) => ({
      content,
      memory_type: type,
      importance,
      expires_at: item.expires_at,
      tags,
      // What the person has written instead was not said by anybody.
      ...(item.origins !== undefined && content === item.content && { origins: item.origins }),
    }));
    show(created, (await client.memories.createBatch({ memories })).results);
  }
  const updated = accepted.flatMap(([at, proposal]) =>
    proposal.how === "update" && proposal.known !== null ? [{ at, proposal, known: proposal.known }] : [],
  );
  if (updated.length > 0) {
    const memories = updated.map(({ proposal: { content, item }, known }) => ({
      memory_id: known.id,
      content,
      expires_at: item.expires_at ?? known.expires_at,
      if_updated_at: known.updated_at,
    }));
    const { results } = await client.memories.updateBatch({ memories });
    show(
      updated.map(({ at, proposal }) => [at, proposal] as const),
      results,
    );
  }
}

type Result = Pick<BatchResult | UpdateResult, "index" | "status" | "message">;

const stored = (): Partial<Proposal> => ({ decision: "stored", fault: null });
const outcomes: Readonly<Record<Result["status"], (message: string) => Partial<Proposal>>> = {
  created: stored,
  updated: stored,
  unchanged: stored,
  existing: () => ({ decision: "refused", fault: "A memory has this content already." }),
  refused: (message) => ({ decision: "accepted", fault: message }),
};
