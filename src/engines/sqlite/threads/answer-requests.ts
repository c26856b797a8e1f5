// Owns how the engine's worker threads answer: a disk that fails is a refusal with 1503 and a line in the log, not a defect.

import { type AnswerOptions, answerRequests } from "../../../platform/threads/answer-requests.ts";
import { isDamage, isDiskFailure, unreadable } from "../database-file/disk-failure.ts";

/** How the main thread recognises damage among the complaints of a thread. */
export const damageComplaint =
  "found the database file damaged, or the disk cannot read it; stop the server, keep a copy of the data directory and run memledger doctor";

export function answerStoreRequests<Answer>(
  handle: (request: unknown) => Answer | Promise<Answer>,
  options: Omit<AnswerOptions<Answer>, "recognise"> = {},
): void {
  answerRequests(handle, {
    ...options,
    recognise: (error) =>
      isDiskFailure(error)
        ? {
            refusal: unreadable(error),
            complaint: isDamage(error) ? damageComplaint : "cannot read the database",
          }
        : null,
  });
}

/** The name of a handler, with the arguments of its function. */
export interface NamedRequest {
  readonly name: string;
  readonly values: readonly unknown[];
}

export type RequestHandlers = Readonly<Record<string, (...values: never[]) => unknown>>;

export function answerNamedRequests(handlers: RequestHandlers): void {
  answerStoreRequests((request) => {
    // Only reader.ts sends requests here.
    const { name, values } = request as NamedRequest;
    const handle = handlers[name] as (...values: readonly unknown[]) => unknown;
    return handle(...values);
  });
}
