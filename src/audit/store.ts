// Owns what the ledger needs from a storage engine.

import type { RecordDraft } from "./record.ts";

export interface AuditTransaction {
  /** Appends a record to the chain of `draft.project`, or to the installation's chain when it is null. */
  append(draft: RecordDraft): Promise<void>;
}
