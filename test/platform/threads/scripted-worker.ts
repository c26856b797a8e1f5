// A worker thread that does what its requests say.

import { workerData } from "node:worker_threads";
import { Refusal } from "../../../src/platform/errors.ts";
import { answerRequests } from "../../../src/platform/threads/answer-requests.ts";

export interface ScriptedInit {
  /** Counts the workers that have started, and those that were asked to finish. */
  readonly counts: SharedArrayBuffer;
  /** The first worker fails before it is ready. */
  readonly failsFirst?: boolean;
  readonly neverCloses?: boolean;
  /** It is not ready before the first number is 1. */
  readonly gate?: SharedArrayBuffer;
}

export type ScriptedRequest =
  | { readonly echo: unknown }
  | { readonly refuse: true }
  | { readonly complain: true }
  | { readonly fail: string }
  | { readonly crash: "throw" | "exit" }
  | { readonly never: true };

const { counts, failsFirst = false, neverCloses = false, gate }: ScriptedInit = workerData;
const counters = new Int32Array(counts);
const starts = Atomics.add(counters, 0, 1) + 1;
if (failsFirst && starts === 1) throw new Error("scripted: does not start");
if (gate !== undefined) Atomics.wait(new Int32Array(gate), 0, 0);

answerRequests(
  (request) => {
    const asked = request as ScriptedRequest;
    if ("echo" in asked) return asked.echo;
    if ("refuse" in asked) throw new Refusal(1429, "scripted: refused", {}, 7);
    if ("complain" in asked) throw new RangeError("scripted: complaint");
    if ("fail" in asked) throw new Error(asked.fail);
    if ("never" in asked) return new Promise(() => undefined);
    if (asked.crash === "exit") process.exit(3);
    setTimeout(() => {
      throw new Error("scripted: crashed");
    });
    return new Promise(() => undefined);
  },
  {
    ready: { starts },
    recognise: (error) =>
      error instanceof RangeError
        ? { refusal: new Refusal(1503, "scripted: known"), complaint: "complained" }
        : null,
    close: () => {
      if (neverCloses) return new Promise<void>(() => undefined);
      Atomics.add(counters, 1, 1);
    },
  },
);
