// Owns the client: one property for each part of the API.

import { createCalls } from "./calls.ts";
import { AuditLedger } from "./exports.ts";
import {
  Checks,
  Conversations,
  Keys,
  Memories,
  Plans,
  Projects,
  Subjects,
  Suggestions,
} from "./generated/operations.ts";
import { type ClientOptions, readSettings } from "./settings.ts";

/**
 * A client of a memledger server. It holds no connection, so it needs no end. `new Memledger()` takes the key from the environment
 * variable MEMLEDGER_API_KEY, and http://127.0.0.1:8420 as the address.
 */
export class Memledger {
  readonly memories: Memories;
  readonly checks: Checks;
  readonly suggestions: Suggestions;
  readonly conversations: Conversations;
  readonly audit: AuditLedger;
  /** Projects, keys, plans and the chain of the installation need an administration key as `apiKey`. */
  readonly projects: Projects;
  readonly keys: Keys;
  readonly plans: Plans;
  readonly subjects: Subjects;

  /** @throws MemledgerError without a key, and for an option that is not valid */
  constructor(options: ClientOptions = {}) {
    const settings = readSettings(options);
    const calls = createCalls(settings);
    this.memories = new Memories(calls);
    this.checks = new Checks(calls);
    this.suggestions = new Suggestions(calls);
    this.conversations = new Conversations(calls);
    this.audit = new AuditLedger(calls, settings.sleep);
    this.projects = new Projects(calls);
    this.keys = new Keys(calls);
    this.plans = new Plans(calls);
    this.subjects = new Subjects(calls);
  }
}
