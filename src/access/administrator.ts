// Owns the type Administrator: who performs administration, as far as the machine of the server tells.

/** The user of this machine who performs administration or uses a local key, as reported by the program or the server. */
export interface Administrator {
  /** Number of the operating-system user of the process; null: not reported. */
  readonly osUid: number | null;
  /** Name of this user, from the variable USER; null: not reported. */
  readonly osUser: string | null;
  /** Name of the user who ran sudo; null: not known. */
  readonly sudoUser: string | null;
}
