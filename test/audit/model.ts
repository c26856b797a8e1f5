// A second, much simpler memledger: what every call must answer, which record it must leave, and what is there afterwards. Shares no
// rule with the product; plans stand here as the contract's table has them.

export const planNames = ["free", "basic", "pro", "business", "custom"] as const;
export type PlanName = (typeof planNames)[number];

const plans: Readonly<
  Record<PlanName, { memories: number; days: number | null; export: boolean; hash: boolean }>
> = {
  free: { memories: 0, days: 7, export: false, hash: false },
  basic: { memories: 1_000, days: 30, export: false, hash: false },
  pro: { memories: 20_000, days: 90, export: true, hash: false },
  business: { memories: 200_000, days: 365, export: true, hash: true },
  custom: { memories: Number.POSITIVE_INFINITY, days: null, export: true, hash: true },
};
const dayMs = 86_400_000;
/** The default of the setting installation-retention-days. */
const installationDays = 365;
export const statusOf: Readonly<Record<number, number>> = {
  1400: 400,
  1401: 401,
  1403: 403,
  2100: 404,
  2101: 400,
  2104: 409,
  2105: 404,
  2106: 403,
  2200: 403,
  2201: 400,
  2202: 403,
  2203: 409,
  2204: 404,
  2207: 403,
};

export interface ModelRecord {
  readonly action: string;
  readonly status: number;
  readonly code: number | null;
  readonly key: string | null;
  readonly memory: string | null;
  /** A little later than the time of the record itself. */
  readonly at: number;
  /** All that its payload holds of request and answer. */
  readonly text: string;
  erased: "nothing" | "parts" | "all";
  /** Once a list has shown it. */
  id: string | null;
}

export interface ModelMemory {
  readonly id: string;
  /** Memories with the same number have the same content, but for white space. */
  content: number;
  type: string;
  importance: number;
  isActive: boolean;
  expiresAt: number | null;
  /** Sorted. */
  tags: readonly string[];
  readonly serial: number;
  revision: number;
}

export interface ModelKey {
  readonly id: string;
  readonly secret: string;
  readonly permissions: readonly string[];
  readonly expiresAt: number | null;
  isRevoked: boolean;
}

/** The record at index i has the seq i + 1. */
export class ModelChain {
  readonly records: ModelRecord[] = [];
  anchored = 0;
  anchors = 0;

  append(record: Omit<ModelRecord, "erased" | "id">): void {
    const at = Math.max(record.at, this.records.at(-1)?.at ?? 0);
    this.records.push({ ...record, at, erased: "nothing", id: null });
  }

  /** What a sweep removes that keeps what is not older than `floor`, and the record that it leaves. */
  prune(floor: number, now: number): void {
    const old = this.records.findIndex(({ at }, index) => index >= this.anchored && at >= floor);
    const through = Math.min(old < 0 ? this.records.length : old, this.records.length - 1);
    if (through <= this.anchored) return;
    this.anchored = through;
    this.anchors += 1;
    const record = { action: "audit.prune", status: 200, code: 1000, key: null, memory: null };
    this.append({ ...record, at: now, text: "" });
  }

  /** Those that are left, oldest first. */
  get present(): readonly ModelRecord[] {
    return this.records.slice(this.anchored);
  }
}

interface PinnedList {
  /** Records that the chain had, without the one of the call. */
  readonly size: number;
  readonly total: number;
  readonly endsAt: number;
}

export class ModelProject {
  readonly id: string;
  plan: PlanName;
  isSubscribed = true;
  memoryLimit: number | null = null;
  retentionDays: number | null = null;
  readonly keys: ModelKey[] = [];
  readonly memories = new Map<string, ModelMemory>();
  /** By content: who would make another one a duplicate. */
  readonly holders = new Map<number, string>();
  /** By source id: the id that a memory of it has, or had. */
  readonly sources = new Map<string, string>();
  /** By id: the memory that each expects, the oldest check first. */
  readonly checks = new Map<string, string>();
  readonly chain = new ModelChain();
  /** By key and filters: the list as its page 1 found it. */
  readonly pinnedLists = new Map<string, PinnedList>();

  constructor(id: string, plan: PlanName) {
    this.id = id;
    this.plan = plan;
  }

  get limit(): number {
    return this.memoryLimit ?? plans[this.plan].memories;
  }

  get showsHash(): boolean {
    return plans[this.plan].hash;
  }

  /** The oldest time that is kept and shown. */
  floor(now: number): number {
    const days = this.retentionDays ?? plans[this.plan].days;
    return days === null ? Number.NEGATIVE_INFINITY : now - days * dayMs;
  }

  /** The code of the refusal, or null. */
  refuses(key: ModelKey, permission: string, feature: "memory" | "audit" | "export", now: number) {
    if (key.isRevoked || (key.expiresAt !== null && key.expiresAt <= now)) return 1401;
    if (!key.permissions.includes(permission)) return 1403;
    if (feature === "memory") return this.limit === 0 ? 2106 : null;
    if (!this.isSubscribed) return 2200;
    return feature === "export" && !plans[this.plan].export ? 2202 : null;
  }

  /** Who has this content already, `except` aside. `fromInactive`: an inactive memory gives it up. */
  holderOf(content: number, now: number, except: string | null, fromInactive = false): string | null {
    const holder = this.holders.get(content);
    const memory = this.memories.get(holder ?? "");
    if (memory === undefined || memory.id === except || isExpired(memory, now)) return null;
    return fromInactive && !memory.isActive ? null : memory.id;
  }

  claim(content: number, id: string): void {
    for (const [other, holder] of this.holders) if (holder === id) this.holders.delete(other);
    this.holders.set(content, id);
  }

  /** Whether another memory has the content that the change claims. */
  refusesChange(memory: ModelMemory, changes: Partial<ModelMemory>, now: number): boolean {
    const claim = claimOf(memory, changes, now);
    return claim !== null && this.holderOf(claim.content, now, memory.id, claim.fromInactive) !== null;
  }

  change(memory: ModelMemory, changes: Partial<ModelMemory>, revision: number, now: number): void {
    const claim = claimOf(memory, changes, now);
    if (claim !== null) this.claim(claim.content, memory.id);
    Object.assign(memory, changes, { revision });
  }

  forget(id: string): void {
    this.memories.delete(id);
    for (const [content, holder] of this.holders) if (holder === id) this.holders.delete(content);
  }
}

/** The content that a change claims, because it is new, or because the memory was expired or inactive; null: none. */
function claimOf(memory: ModelMemory, changes: Partial<ModelMemory>, now: number) {
  const after = { ...memory, ...changes };
  if (changes.content !== undefined) return { content: after.content, fromInactive: false };
  const isActivated = !memory.isActive && after.isActive;
  if (isExpired(after, now) || !(isActivated || isExpired(memory, now))) return null;
  return { content: after.content, fromInactive: isActivated };
}

export function isExpired({ expiresAt }: Pick<ModelMemory, "expiresAt">, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

export class Model {
  readonly projects: ModelProject[] = [];
  readonly installation = new ModelChain();
  /** Of memories: in order of creation, and of change. */
  serial = 0;

  get chains(): readonly ModelChain[] {
    return [this.installation, ...this.projects.map(({ chain }) => chain)];
  }

  prune(now: number): void {
    this.installation.prune(now - installationDays * dayMs, now);
    for (const project of this.projects) project.chain.prune(project.floor(now), now);
  }

  /** An erasure deletes the checks that expect the memory. @returns how many */
  forgetChecksOf(memory: string): number {
    let forgotten = 0;
    for (const { checks } of this.projects)
      for (const [id, expected] of checks) if (expected === memory && checks.delete(id)) forgotten += 1;
    return forgotten;
  }

  /**
   * Erases what names this memory, and these records, of some all. What is left in a record of which something was erased before is not
   * known. @returns how many records.
   */
  erase(memory: string | null, others: ReadonlyMap<ModelRecord, "parts" | "all">, now: number): number {
    let erased = 0;
    const lasting = ["audit.redact", "audit.prune"];
    for (const chain of this.chains) {
      const held = chain.present.filter(
        (record) =>
          record.erased !== "all" &&
          !lasting.includes(record.action) &&
          (others.has(record) ||
            (memory !== null && record.erased === "nothing" && record.text.includes(memory))),
      );
      for (const record of held) record.erased = others.get(record) ?? "parts";
      erased += held.length;
      if (held.length > 0) chain.append({ ...redaction, at: now });
    }
    return erased;
  }
}

export const redaction = {
  action: "audit.redact",
  status: 200,
  code: 1000,
  key: null,
  memory: null,
  text: "",
};
