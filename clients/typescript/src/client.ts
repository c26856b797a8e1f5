// Owns the client: one property for each part of the API.

import { createCalls } from "./calls.ts";
import { AuditLedger } from "./exports.ts";
import { Checks, Memories, Subjects } from "./generated/operations.ts";
import { type ClientOptions, readSettings } from "./settings.ts";

/**
 * A client of a memledger server. It holds no connection, so it needs no end. `new Memledger()` takes the key from the environment
 * variable MEMLEDGER_API_KEY, and http://127.0.0.1:8420 as the address.
 */
export class Memledger {
  readonly memories: Memories;
  readonly subjects: Subjects;
  readonly checks: Checks;
  readonly audit: AuditLedger;

  /** @throws MemledgerError without a key, and for an option that is not valid */
  constructor(options: ClientOptions = {}) {
    const settings = readSettings(options);
    const calls = createCalls(settings);
    this.memories = new Memories(calls);
    this.subjects = new Subjects(calls);
    this.checks = new Checks(calls);
    this.audit = new AuditLedger(calls, settings.sleep);
  }
}
