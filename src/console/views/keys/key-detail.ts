// Owns what a key is for administrators, and what each permission allows.

/** With what the permission allows. */
export const permissions = {
  "memory.read": "Read and search memories",
  "memory.write": "Create, change and delete memories",
  "audit.read": "Read the ledger",
  "audit.export": "Export the ledger",
  "audit.write": "Append own records to the ledger",
  "gateway.use": "Use language models through the gateway",
  "subject.erase": "Erase subjects",
  "key.issue": "Issue tokens, each for one subject",
  "memory.propose": "Propose changes of memories, which somebody else decides about",
};
export type Permission = keyof typeof permissions;

/** As key.list answers it. */
export interface KeyDetail {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly created_at: string;
  /** Null: never. */
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
  /** The only one that it is for, or with a * at the end the beginning of the names of such subjects. Absent: the project and all subjects. */
  readonly subject?: string;
  /** Its settings for requests to the gateway. */
  readonly gateway: object | null;
}

/** As key.create answers it. */
export interface NewKeyDetail extends KeyDetail {
  /** The secret. It is in no other answer. */
  readonly key: string;
}

export type KeyState = "valid" | "expired" | "revoked";

export function stateOf({ revoked_at, expires_at }: KeyDetail, now: number): KeyState {
  if (revoked_at !== null) return "revoked";
  return expires_at !== null && Date.parse(expires_at) <= now ? "expired" : "valid";
}
