// Owns the requests that a thread has been given and has not answered: their numbers, and who waits for each of them.

import { Refusal } from "../errors.ts";
import type { Complaint, ThreadReply } from "./protocol.ts";

export interface PendingRequests {
  readonly size: number;
  /** `send` gets the number under which the request will be answered. */
  add<Answer>(send: (number: number) => void): Promise<Answer>;
  /** Gives an answer to whoever waits for it. A number that nobody waits for is ignored. */
  settle(reply: ThreadReply): void;
  /** Answers all of them. */
  refuse(reason: Refusal): void;
}

interface Pending {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

export function createPendingRequests(onComplaint: (complaint: Complaint) => void): PendingRequests {
  const pending = new Map<number, Pending>();
  let lastNumber = 0;
  return {
    get size() {
      return pending.size;
    },
    add<Answer>(send: (number: number) => void) {
      const number = ++lastNumber;
      return new Promise<Answer>((resolve, reject) => {
        // The thread's entry file says what it answers; nobody checks it.
        pending.set(number, { resolve: (answer) => resolve(answer as Answer), reject });
        try {
          send(number);
        } catch (error) {
          // What cannot be sent is never answered.
          pending.delete(number);
          throw error;
        }
      });
    },
    settle(reply) {
      const waiting = pending.get(reply.number);
      if (waiting === undefined) return;
      pending.delete(reply.number);
      if ("answer" in reply) waiting.resolve(reply.answer);
      else if ("refused" in reply) {
        const { code, message, retryAfterSeconds, complaint } = reply.refused;
        if (complaint !== null) onComplaint(complaint);
        waiting.reject(new Refusal(code, message, {}, retryAfterSeconds));
      } else {
        const { message, stack } = reply.failed;
        waiting.reject(Object.assign(new Error(message), { stack }));
      }
    },
    refuse(reason) {
      for (const { reject } of pending.values()) reject(reason);
      pending.clear();
    },
  };
}
