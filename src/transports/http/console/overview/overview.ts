// Owns the type Overview: what the console shows about the server that is no operation, because nothing of it belongs to the ledger.

import type { Json } from "../../../../platform/json/json.ts";
import type { Live } from "./live.ts";

export interface Overview {
  readonly live: Live;
  /** For administrators: the settings in force and the versions of components. */
  settings(): Json;
  /** For everybody who is signed in: how assistants are connected to the server at this URL, without a slash at the end. */
  connections(url: string): Promise<Json>;
  /** For those who may read the records of the project: what its calls of the gateway have cost. @throws Refusal 1503 */
  costs(project: string): Promise<Json>;
  /** For the administrators of the machine: as the member of the state. */
  confirmations(): Promise<Json>;
  /** For everybody who is signed in: the statements about changes of the signing key, as signed notes, the oldest first. */
  keyChanges(): readonly string[];
}
