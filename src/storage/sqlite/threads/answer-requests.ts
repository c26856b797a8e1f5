// Owns how the store's worker threads answer: a failed disk is the caller's 1503 and a line in the log, not a defect.

import { answerRequests } from "../../../native/worker-client.ts";
import { isDamage, isDiskFailure, unreadable } from "../database-file/disk-failure.ts";

/** How the main thread recognises damage among the complaints of a thread. */
export const damageComplaint =
  "found the database file damaged, or the disk cannot read it; stop the server, keep a copy of the data directory and run memledger doctor";

/** What `moved` names of an answer goes over to the other side instead of being copied. */
export function answerStoreRequests<Answer>(
  handle: (request: unknown) => Promise<Answer>,
  moved: (answer: Answer) => readonly ArrayBuffer[] = () => [],
): void {
  answerRequests(handle, {
    moved,
    recognise: (error) =>
      isDiskFailure(error)
        ? {
            refusal: unreadable(error),
            complaint: isDamage(error) ? damageComplaint : "cannot read the database",
          }
        : null,
  });
}

/** A question by its name, with the arguments of its function. */
export interface Question {
  readonly question: string;
  readonly values: readonly unknown[];
}

export type QuestionTable = Readonly<Record<string, (...values: never[]) => unknown>>;

export function answerQuestions(questions: QuestionTable): void {
  answerStoreRequests(async (request) => {
    // The one place that vouches for what reader.ts sends.
    const { question, values } = request as Question;
    const answer = questions[question] as (...values: readonly unknown[]) => unknown;
    return answer(...values);
  });
}
