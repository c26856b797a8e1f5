// Owns the interface to a place elsewhere that keeps files.

import type { JsonObject } from "../../platform/json/json.ts";

export interface DepositPlace {
  /** As the settings name it, for people, and for the database: other files are kept under another name. */
  readonly name: string;
  /** @throws Error that says what to do when no file can be kept now */
  check?(): Promise<void>;
  /**
   * Keeps a file. The same file again is no error.
   * @returns what it has answered
   * @throws AttestationRefused when it has another file of this name
   * @throws Error when the file cannot be kept now
   */
  keep(file: SpooledFile, signal: AbortSignal): Promise<JsonObject>;
}

export interface SpooledFile {
  /** Below the place, with slashes. */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** @param where the place and the name */
export function otherFileMessage(where: string): string {
  return `${where} has another content than the file that is to be kept under this name. Do not delete it: it may be evidence that the ledger was rewritten, or the ledger is an older copy. Run memledger audit verify --kept with a copy of what was kept. If an older copy of the data directory was restored on purpose, keep its records elsewhere: change the setting keep.`;
}
