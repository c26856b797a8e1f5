// Owns the words in which verification answers: verdicts, checks, and the report of a ledger. Decides nothing about records.

/** Exit codes of `audit verify`; docs/engineer/AUDIT-FORMAT.md says what each one means. */
export const verdicts = { intact: 0, unattested: 10, broken: 20, contradicted: 30, unusable: 40 } as const;

export type Verdict = keyof typeof verdicts;

/** What failed; docs/engineer/AUDIT-FORMAT.md says where each one is counted. */
export type Check =
  | "genesis"
  | "anchor"
  | "form"
  | "seq"
  | "chain"
  | "link"
  | "time"
  | "hash"
  | "columns"
  | "payload"
  | "checkpoint"
  | "signature"
  | "orphan"
  | "schema"
  | "index"
  | "manifest"
  | "file";

export interface Failure {
  /** Null: no record is to blame. */
  readonly seq: number | null;
  readonly check: Check;
  readonly message: string;
}

export interface Contradiction {
  readonly kind: "truncated" | "rewritten" | "replaced";
  readonly chain: string;
  /** Of the checkpoint that contradicts. */
  readonly size: number;
  readonly message: string;
}

export interface ChainReport {
  readonly chain: string;
  /** Null: the installation. */
  readonly project: string | null;
  readonly records: number;
  /** Null when there are none. */
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
  /** Records whose payload has been removed. */
  readonly withoutPayload: number;
  /** Signatures that were checked and found good. */
  readonly checkpoints: number;
  readonly anchors: number;
  /** The newest record that a checkpoint from outside vouches for; null when none does. */
  readonly attestedThrough: number | null;
  /** Records after that one. */
  readonly tail: number;
  /** Records and payloads that were removed by records after that one; 0 when none vouches for anything. */
  readonly removedInTail: number;
  readonly failure: Failure | null;
  readonly contradiction: Contradiction | null;
}

export interface Report {
  readonly verdict: Verdict;
  readonly chains: readonly ChainReport[];
  readonly records: number;
  /** The first failure: of the chain with the lowest number, or one that no chain is to blame for. */
  readonly failure: (Failure & { readonly chain: string | null }) | null;
  readonly contradiction: Contradiction | null;
  /** What a person should know beside the verdict. */
  readonly remarks: readonly string[];
}

/** The file cannot be judged: not ours, damaged beyond reading, or something is missing. The message says what to do. */
export class UnusableInput extends Error {}

/** The one that comes first along a chain. */
export function earlier(one: Failure | null, other: Failure | null): Failure | null {
  if (one === null || other === null) return one ?? other;
  return (other.seq ?? Number.POSITIVE_INFINITY) < (one.seq ?? Number.POSITIVE_INFINITY) ? other : one;
}

export interface Findings {
  /** By number of the chain. */
  readonly chains: readonly ChainReport[];
  /** What belongs to no chain. */
  readonly failure: Failure | null;
  /** Chains that are attested and absent. */
  readonly contradictions: readonly Contradiction[];
  readonly remarks: readonly string[];
}

export function judge({ chains, failure, contradictions, remarks }: Findings): Report {
  const broken = chains.find((chain) => chain.failure !== null);
  const contradiction =
    chains.find((chain) => chain.contradiction !== null)?.contradiction ?? contradictions[0] ?? null;
  const first =
    broken?.failure != null
      ? { ...broken.failure, chain: broken.chain }
      : failure && { ...failure, chain: null };
  const isAttested = chains.every(
    ({ records, attestedThrough }) => records === 0 || attestedThrough !== null,
  );
  const hasRecords = chains.some(({ records }) => records > 0);
  const clean = isAttested && hasRecords ? "intact" : "unattested";
  return {
    verdict: first !== null ? "broken" : contradiction !== null ? "contradicted" : clean,
    chains,
    records: chains.reduce((sum, { records }) => sum + records, 0),
    failure: first,
    contradiction,
    remarks,
  };
}
