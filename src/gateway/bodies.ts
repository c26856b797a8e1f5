// Owns the interface of the steps of large bodies, which run in a thread of their own, and the same steps in the calling thread.

import { type EncodePayload, encodeWithPrepared } from "../audit/parts/prepared-members.ts";
import type { NewWords } from "../memory/remembering/parts.ts";
import type { Waiter } from "../platform/scheduling/fair-queue.ts";
import type { AssembledAnswer } from "./answer/assembled.ts";
import type { AssemblerName } from "./answer/assemblers.ts";
import { bodySteps, type ChangedBody, type ReadableName, type ReadRequest } from "./body-steps.ts";
import type { Changes } from "./dialects/dialect.ts";
import type { OwnEmbeddings } from "./embeddings-request.ts";
import type { OtherRequest } from "./other-request.ts";

/** As BodySteps. Those with a waiter throw UpstreamFault "cancelled" when the client has gone, and Refusal 1429 or 1503 when too many wait. */
export interface Bodies {
  read(dialect: ReadableName, bytes: Uint8Array, waiter: Waiter): Promise<ReadRequest>;
  change(dialect: ReadableName, bytes: Uint8Array, changes: Changes, waiter: Waiter): Promise<ChangedBody>;
  readOther(bytes: Uint8Array, type: string, waiter: Waiter): Promise<OtherRequest>;
  readEmbeddings(bytes: Uint8Array, waiter: Waiter): Promise<OwnEmbeddings>;
  readAnswer(assembler: AssemblerName, choices: number, text: string): Promise<AssembledAnswer>;
  readWords(action: string, payload: string, waiter: Waiter): Promise<NewWords>;
  readonly encode: EncodePayload;
}

/** All steps at once, for tests and programs without threads. */
export const bodiesHere: Bodies = {
  read: async (dialect, bytes) => bodySteps.read(dialect, bytes),
  change: async (dialect, bytes, changes) => bodySteps.change(dialect, bytes, changes),
  readOther: (bytes, type) => bodySteps.readOther(bytes, type),
  readEmbeddings: async (bytes) => bodySteps.readEmbeddings(bytes),
  readAnswer: async (assembler, choices, text) => bodySteps.readAnswer(assembler, choices, text),
  readWords: async (action, payload) => bodySteps.readWords(action, payload),
  encode: encodeWithPrepared,
};
