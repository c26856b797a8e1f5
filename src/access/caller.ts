// Owns the type Caller: whose call it is.

import type { Key } from "./key.ts";
import type { Project } from "./project.ts";

/** A key and the project that it belongs to. */
export interface Caller {
  readonly key: Key;
  /** Its keys were revoked with it; the record of a call with one of them still belongs to its chain. */
  readonly isProjectDeleted: boolean;
  readonly project: Project;
}
