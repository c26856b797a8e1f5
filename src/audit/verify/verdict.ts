// Owns the results of verification: verdicts, checks, and the report about a ledger. Must never check a record.

/** Exit codes of `audit verify`; docs/engineer/AUDIT-FORMAT.md describes them. */
export const verdicts = { intact: 0, unattested: 10, broken: 20, contradicted: 30, unusable: 40 } as const;

export type Verdict = keyof typeof verdicts;

/** The check that failed; docs/engineer/AUDIT-FORMAT.md describes at which seq each one fails. */
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
  | "owner"
  | "orphan"
  | "tree"
  | "schema"
  | "index"
  | "manifest"
  | "file";

export interface Failure {
  /** Null: the failure concerns no single record. */
  readonly seq: number | null;
  readonly check: Check;
  readonly message: string;
}

export interface Contradiction {
  readonly kind: "truncated" | "rewritten" | "replaced";
  readonly chain: string;
  /** Size of the checkpoint that contradicts the chain. */
  readonly size: number;
  readonly message: string;
}

/** The records that a chain has. */
export interface ChainExtent {
  readonly records: number;
  /** Null when there are none. */
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
  /** Records whose payload has been removed. */
  readonly withoutPayload: number;
  /** Records that clients have appended (own-records.ts). */
  readonly appended: number;
}

export interface ChainReport extends ChainExtent {
  readonly chain: string;
  /** Null: the installation. */
  readonly project: string | null;
  /** Number of checkpoints with valid signatures. */
  readonly checkpoints: number;
  readonly anchors: number;
  /** The newest record that an external checkpoint covers; null when there is none. */
  readonly coveredThrough: number | null;
  /** Number of records after that one. */
  readonly uncoveredRecords: number;
  /** Number of records and payloads whose removal is documented only after that one; 0 without an external checkpoint. */
  readonly uncoveredRemovals: number;
  readonly failure: Failure | null;
  readonly contradiction: Contradiction | null;
  /** Records that a later release has written. Absent: none. */
  readonly newer?: readonly NewerFinding[];
}

/** A member that this version does not know. */
export interface NewerFinding {
  /** Null: of a manifest. */
  readonly seq: number | null;
  readonly member: string;
  /** The release that knows the member. */
  readonly release: string;
  /** Whether an accepted key has signed a checkpoint that covers it. */
  readonly isCovered: boolean;
}

export interface Report {
  readonly verdict: Verdict;
  readonly chains: readonly ChainReport[];
  readonly records: number;
  /** The first failure: of the chain with the lowest number, or one that concerns no chain. */
  readonly failure: (Failure & { readonly chain: string | null }) | null;
  readonly contradiction: Contradiction | null;
  /** What a person should know in addition to the verdict. */
  readonly remarks: readonly string[];
}

/** The input cannot be verified: it has another format, is damaged, or something is missing. The message says what to do. */
export class UnusableInput extends Error {}

/** Which check is reported if several fail at one seq. */
const order: readonly Check[] = [
  ...(["genesis", "anchor", "signature", "checkpoint", "form", "seq", "link", "chain", "time"] as const),
  ...(["hash", "payload", "columns", "owner", "tree"] as const),
];

/** The failure with the lower seq, or of the check that comes first. */
export function earlier(one: Failure | null, other: Failure | null): Failure | null {
  if (one === null || other === null) return one ?? other;
  const [seq, otherSeq] = [one.seq ?? Number.POSITIVE_INFINITY, other.seq ?? Number.POSITIVE_INFINITY];
  if (seq === otherSeq) return order.indexOf(other.check) < order.indexOf(one.check) ? other : one;
  return otherSeq < seq ? other : one;
}

export interface Findings {
  /** By number of the chain. */
  readonly chains: readonly ChainReport[];
  /** A failure that concerns no chain. */
  readonly failure: Failure | null;
  /** Chains that a checkpoint covers and that are missing. */
  readonly contradictions: readonly Contradiction[];
  readonly remarks: readonly string[];
}

/** @throws UnusableInput when nothing is wrong, but a later release has written something that this version does not know */
export function createReport(findings: Findings): Report {
  const report = toReport(findings);
  const newer = findings.chains.flatMap((chain) => chain.newer ?? []);
  const [first] = newer;
  if (first === undefined) return report;
  const isClean = report.failure === null && report.contradiction === null;
  if (isClean && newer.every(({ isCovered }) => isCovered)) {
    const where = first.seq === null ? "The manifest" : `Record ${first.seq}`;
    throw new UnusableInput(
      `${where} has the member ${first.member}, which this version of memledger does not know. Verify it with version ${first.release} or a later one.`,
    );
  }
  return toReport({ ...findings, chains: findings.chains.map(refuseNewer) });
}

/** Otherwise unknown members are a failure like any other. */
function refuseNewer({ newer = [], ...chain }: ChainReport): ChainReport {
  const failures = newer.map(
    ({ seq, member }): Failure => ({
      seq,
      check: seq === null ? "manifest" : seq === 0 ? "tree" : "form",
      message: `the member ${member} is not known`,
    }),
  );
  return { ...chain, failure: failures.reduce<Failure | null>(earlier, chain.failure) };
}

function toReport({ chains, failure, contradictions, remarks }: Findings): Report {
  const broken = chains.find((chain) => chain.failure !== null);
  const contradiction =
    chains.find((chain) => chain.contradiction !== null)?.contradiction ?? contradictions[0] ?? null;
  const first =
    broken?.failure != null
      ? { ...broken.failure, chain: broken.chain }
      : failure && { ...failure, chain: null };
  const isCovered = chains.every(({ records, coveredThrough }) => records === 0 || coveredThrough !== null);
  const hasRecords = chains.some(({ records }) => records > 0);
  const clean = isCovered && hasRecords ? "intact" : "unattested";
  return {
    verdict: first !== null ? "broken" : contradiction !== null ? "contradicted" : clean,
    chains,
    records: chains.reduce((sum, { records }) => sum + records, 0),
    failure: first,
    contradiction,
    remarks,
  };
}
