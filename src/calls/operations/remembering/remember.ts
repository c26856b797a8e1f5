// Owns the work on one task: reads the new words of a record, and has the next part of them extracted for the key of its call. What it needs of
// chat APIs is passed in. Must never change a task that the outcome of a call changes.

import { keyFault } from "../../../access/authorise.ts";
import type { ExtractionDetail } from "../../../memory/extraction/extractor.ts";
import { attemptsMax } from "../../../memory/remembering/limits.ts";
import { type NewWords, toParts } from "../../../memory/remembering/parts.ts";
import { mayBeRetried, type RememberTask } from "../../../memory/remembering/task.ts";
import { Refusal, successCode } from "../../../platform/errors.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Waiter } from "../../../platform/scheduling/fair-queue.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import type { Answer } from "../../contract/answer.ts";
import type { ProjectOperation } from "../../contract/operation.ts";
import type { Request } from "../../contract/request.ts";
import type { AccessReader } from "../../storage/access-store.ts";
import type { AuditReader } from "../../storage/ledger-store.ts";
import type { RememberQueue } from "../../storage/remember-store.ts";
import { extractMemories } from "../extraction/extract.ts";

export interface RememberTools {
  readonly queue: RememberQueue;
  readonly access: Pick<AccessReader, "findCallerOfKey">;
  readonly audit: Pick<AuditReader, "find" | "partsAt">;
  /** The new words in the text of the payload of a record of this action. @throws Refusal when too many wait, or the call is cancelled */
  readonly readWords: (action: string, payload: string, waiter: Waiter) => Promise<NewWords>;
  /** How much of a conversation becomes a memory. */
  readonly detail: ExtractionDetail;
  readonly perform: (operation: ProjectOperation, request: Request) => Promise<{ readonly answer: Answer }>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** "done": the task has made progress or is gone. "failed": try another one of the project later. */
export type Progress = "done" | "failed";

/** Never counts an attempt before it can read everything. @throws Error or Refusal when the database cannot be read or written */
export async function remember(
  tools: RememberTools,
  task: RememberTask,
  signal: AbortSignal,
): Promise<Progress> {
  const { queue, audit, logger } = tools;
  const { record: id, part } = task;
  const drop = async (reason: string): Promise<Progress> => {
    await queue.remove(id);
    logger.info("an answer of the gateway was removed from the queue without an extraction", {
      record: id,
      project: task.project,
      reason,
    });
    return "done";
  };
  const reason = await findKeyFault(tools, task);
  if (reason !== null) return drop(reason);
  const record = await audit.find({ id: task.project }, id, signal);
  const payload = record?.payload ?? null;
  if (payload === null) return drop("The texts of the record were removed.");
  const words = await tools.readWords(task.action, payload, { project: task.project, signal });
  const { parts, leftOutCharacters } = toParts(words);
  const messages = parts[part];
  if (messages === undefined) return drop("The record has no new words.");
  const places = [words.userAt ?? "", "/output_content"];
  const [user = [], assistant = []] = (await audit.partsAt({ id: task.project }, id, places, signal)).map(
    (index) => [index],
  );
  if (!(await queue.begin({ record: id, part }))) return "done";

  const isOver = task.attempts >= attemptsMax;
  const remembers = {
    record: id,
    part,
    parts: parts.length,
    attempt: task.attempts + 1,
    leftOutCharacters: part + 1 === parts.length ? leftOutCharacters : 0,
    sources: { user, assistant },
  };
  const said_at = toTimestamp(task.createdAt);
  const tags = task.tags.length === 0 ? {} : { tags: [...task.tags] };
  const { answer } = await tools.perform(extractMemories, {
    credentials: {
      kind: "task",
      keyId: task.keyId,
      subject: task.subject,
      conversation: task.conversation,
      performedFor: task.action,
      remembers,
    },
    input: {
      kind: "object",
      fields: {
        messages: messages.map((message) => ({ ...message, said_at })),
        detail: tools.detail,
        ...tags,
      },
      fault: isOver ? interrupted : null,
    },
    origin: { transport: "gateway", ip: null, userAgent: null, client: null, metadata: null },
    signal,
  });
  if (answer.code === successCode) return "done";
  const fields = {
    record: id,
    project: task.project,
    extraction: answer.recordId ?? null,
    attempt: remembers.attempt,
    code: answer.code,
  };
  if (mayBeRetried(answer) && remembers.attempt < attemptsMax) {
    logger.info("an answer of the gateway could not be remembered and will be retried", fields);
  } else logger.warn("an answer of the gateway is not remembered", fields);
  return mayBeRetried(answer) ? "failed" : "done";
}

/** For an attempt after the last one: the others had no outcome, because the server did not live to write it. */
const interrupted = new Refusal(
  1503,
  `The server ended ${attemptsMax} times while it extracted memories from these words. It does not try again. Extract them with memory.extract.`,
);

/** Why the key cannot be used any more, as a sentence; null: it can. */
async function findKeyFault(
  { access, clock }: RememberTools,
  { keyId }: RememberTask,
): Promise<string | null> {
  const caller = await access.findCallerOfKey(keyId);
  return caller === null ? "The API key no longer exists." : (keyFault(caller, clock.now())?.message ?? null);
}
