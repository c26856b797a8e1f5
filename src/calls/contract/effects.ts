// Owns what an operation says about its effect on the data.

/** The effect of an operation on the data, except its own record and times of last use. The meanings are those of the hints of MCP. */
export interface Effects {
  /** Changes nothing. */
  readonly readOnly: boolean;
  /** May replace or delete data; otherwise it only adds data. */
  readonly destructive: boolean;
  /** Repeating the same call changes nothing more, even if the answer differs. */
  readonly idempotent: boolean;
}
