// Tests that the idle timeout of a connection does not end a call of a batch when another one that may run long has ended. A stand-in
// performs the calls, because real ones would have to run for minutes.

import { expect, test } from "bun:test";
import type { Caller } from "../../../src/access/caller.ts";
import type { Admitted } from "../../../src/calls/arrival/admission.ts";
import type { Answer } from "../../../src/calls/contract/answer.ts";
import { extractMemories } from "../../../src/calls/operations/extraction/extract.ts";
import { listMemories } from "../../../src/calls/operations/memories/list.ts";
import { createCallStatistics } from "../../../src/calls/statistics/call-statistics.ts";
import { idleTimeoutSeconds } from "../../../src/platform/limits.ts";
import { createLogger } from "../../../src/platform/log/logger.ts";
import { createClock } from "../../../src/platform/time/clock.ts";
import { createCallLog } from "../../../src/transports/http/call-log.ts";
import { openMcpRequest } from "../../../src/transports/mcp/mcp-request.ts";
import { createRunningCalls } from "../../../src/transports/mcp/running-calls.ts";

const caller: Caller = {
  subject: null,
  conversation: null,
  owner: { project: "2".repeat(32), subject: null },
  ownsProject: false,
  key: {
    id: "1".repeat(32),
    name: "key",
    permissions: ["memory.write"],
    createdAt: 0,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    tokenEpoch: 0,
    subject: null,
    gateway: null,
  },
  isProjectDeleted: false,
  project: {
    id: "2".repeat(32),
    name: "project",
    plan: "custom",
    subscription: "active",
    credits: null,
    memoryLimit: null,
    passageLimit: null,
    retentionDays: null,
    createdAt: 0,
  },
};
const admitted: Admitted = {
  caller,
  claim: { take() {}, [Symbol.dispose]() {} },
  mayPerform: () => true,
  turnForLargeBody: async () => {},
};
const done: Answer = { status: 200, code: 1000, message: "success", data: "{}" };

test("the timeout applies again when the last long call of a batch has ended", async () => {
  const clock = createClock(null);
  const logger = createLogger("error");
  const running: PromiseWithResolvers<Answer>[] = [];
  const timeouts: number[] = [];
  const mcpRequest = openMcpRequest(
    new Request("http://127.0.0.1/mcp", { method: "POST" }),
    {
      subject: null,
      credentials: { kind: "key", secret: null, advice: { missing: "", unknown: "" } },
      origin: { ip: null, userAgent: null, metadata: null },
      webPageFault: null,
      setIdleTimeout: (seconds) => timeouts.push(seconds),
    },
    {
      async perform() {
        const call = Promise.withResolvers<Answer>();
        running.push(call);
        return { answer: await call.promise, caller };
      },
      clock,
      logger,
      calls: createCallLog({ logger, clock, statistics: createCallStatistics(), isAccessLogged: false }),
      running: createRunningCalls(),
    },
  );
  const { signal } = new AbortController();
  const calls = [extractMemories, listMemories, extractMemories].map((operation, requestId) =>
    mcpRequest.perform(admitted, operation, {
      input: { kind: "object", fields: {} },
      client: null,
      requestId,
      signal,
    }),
  );
  await Bun.sleep(0);
  for (const at of [1, 0]) {
    running[at]?.resolve(done);
    await calls[at];
  }
  expect(timeouts).toEqual([0, 0]);
  running[2]?.resolve(done);
  await calls[2];
  expect(timeouts).toEqual([0, 0, idleTimeoutSeconds]);
});
