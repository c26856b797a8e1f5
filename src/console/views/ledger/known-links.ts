// Owns which records of the chain the page has seen, so that a record can be shown between the one before it and the one after it.

/** What is known of a record of the chain. */
export interface Link {
  readonly seq: number;
  readonly id: string;
  /** Null: the plan of the project shows no hashes. */
  readonly hash: string | null;
}

export interface KnownLinks {
  readonly at: (seq: number) => Link | undefined;
  readonly add: (records: readonly Link[]) => void;
}

/** Someone may scroll through a million records: the oldest ones of this list are forgotten. */
const linksMax = 5_000;

export function createKnownLinks(): KnownLinks {
  const bySeq = new Map<number, Link>();
  return {
    at: (seq) => bySeq.get(seq),
    add(records) {
      for (const { seq, id, hash } of records) {
        bySeq.delete(seq);
        bySeq.set(seq, { seq, id, hash });
      }
      const surplus = Math.max(bySeq.size - linksMax, 0);
      for (const seq of [...bySeq.keys()].slice(0, surplus)) bySeq.delete(seq);
    },
  };
}
