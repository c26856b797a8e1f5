// Owns the requests that a thread has not answered: their numbers and their promises.

import { Refusal } from "../errors.ts";
import type { Complaint, ThreadReply } from "./protocol.ts";

interface PendingRequests {
  readonly size: number;
  /** `send` receives the number of the request, which its answer repeats. */
  add<Answer>(send: (number: number) => void): Promise<Answer>;
  /** Settles the request of an answer. An answer with an unknown number is ignored. */
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
        // The type of the answer is determined by the entry file of the thread; it is not checked.
        pending.set(number, { resolve: (answer) => resolve(answer as Answer), reject });
        try {
          send(number);
        } catch (error) {
          // A request that cannot be sent is never answered.
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
