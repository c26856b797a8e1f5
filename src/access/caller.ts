// Owns the type Caller: the key of a call and its project.

import type { Key } from "./key.ts";
import type { Project } from "./project.ts";

/** A key and the project that it belongs to. */
export interface Caller {
  readonly key: Key;
  /** The keys of a deleted project are revoked. A call with such a key is still recorded in the chain of the project. */
  readonly isProjectDeleted: boolean;
  readonly project: Project;
}
