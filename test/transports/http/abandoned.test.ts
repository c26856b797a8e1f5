// Proves with real sockets that a call whose client closes the connection does not run when its turn comes.

import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { defaultPlans } from "../../../src/access/plan.ts";
import { createRateLimiter } from "../../../src/access/rate.ts";
import { createPerform } from "../../../src/calls/perform.ts";
import { bodiesHere } from "../../../src/gateway/bodies.ts";
import { noReranker } from "../../../src/memory/search/reranker.ts";
import type { Waiter } from "../../../src/platform/scheduling/fair-queue.ts";
import { spawnWorker } from "../../../src/platform/threads/spawn.ts";
import { createClock } from "../../../src/platform/time/clock.ts";
import { startServer } from "../../../src/transports/http/network/network-server.ts";
import { testTokens } from "../../access/tokens.ts";
import { keepsSecrets } from "../../calls/in-process.ts";
import { reportedSettings } from "../../calls/reported-settings.ts";
import { openSeam, seamModel, unitVector } from "../../calls/storage/seam.ts";
import { cannotForward, nobodyCounts, noGateway, nothingKept } from "../../gateway/no-gateway.ts";
import { head } from "./raw.ts";

let searchers = 0;
const seam = await openSeam({
  spawn: (name, init) => {
    if (name === "searcher") searchers += 1;
    return spawnWorker(name, init);
  },
});
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const clock = createClock();
let onEmbed: (waiter: Waiter) => Promise<void> = async () => {};
const perform = createPerform({
  store: seam.store,
  clock,
  logger,
  plans: defaultPlans,
  settings: reportedSettings,
  limiter: createRateLimiter(),
  gateway: noGateway,
  memoryOutcomes: nobodyCounts,
  bodies: bodiesHere,
  injectedSections: nothingKept,
  tokens: testTokens,
  forward: cannotForward,
  prices: { extractionCredits: 1, chargeDryRuns: true, creditUsd: 0 },
  extractors: {
    builtIn: { name: "built-in", extract: async () => ({ items: [], model: null, usage: null }) },
    languageModel: null,
    passagesLastMs: null,
  },
  redactor: keepsSecrets,
  embeddingModel: () => "of-the-test",
  reranker: noReranker,
  async embed(_text, _role, waiter) {
    await onEmbed(waiter);
    return { vector: unitVector(1), model: seamModel.sha256 };
  },
});
const server = startServer({
  perform,
  clock,
  logger,
  hostname: "127.0.0.1",
  port: 0,
  trustedProxies: [],
  mcp: null,
  overview: null,
  console: null,
  allowedHosts: [],
  allowedOrigins: [],
  certificate: null,
  corsOrigins: [],
  calls: { log() {}, close() {} },
  readiness: async () => ({ ready: true, reasons: [] }),
});
afterAll(async () => {
  await server.stop();
  await seam.close();
});

const body = JSON.stringify({ query: "Where?" });

test.each(["is closed", "is reset", "is closed on one side"])("when the connection %s", async (how) => {
  const member = await seam.project();
  const { data } = await seam.administer("key.create", { project: member.id, permissions: ["memory.read"] });
  const embedding = Promise.withResolvers<Waiter>();
  onEmbed = async (waiter) => {
    embedding.resolve(waiter);
    if (!waiter.signal.aborted) {
      await new Promise((resolve) => waiter.signal.addEventListener("abort", resolve));
    }
  };
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(
    `${head("POST", "/v1/memories/search", String(data.key))}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const { project, signal } = await embedding.promise;
  expect({ project, aborted: signal.aborted }).toEqual({
    project: member.caller.project.id,
    aborted: false,
  });
  if (how === "is closed") socket.destroy();
  else if (how === "is reset") socket.resetAndDestroy();
  else socket.end();

  // The record is the only trace, since nobody reads the answer.
  const codes = async () => {
    const query = {
      from: null,
      to: null,
      action: "memory.search",
      keyId: null,
      memoryId: null,
      statusClass: null,
    };
    const page = await seam.store.audit.list(
      member.caller.project,
      { ...query, limit: 10, through: null, total: null, after: { skip: 0 } },
      new AbortController().signal,
    );
    return page.records.map(({ entry }) => JSON.parse(entry).code);
  };
  while ((await codes()).length === 0) await Bun.sleep(5);
  expect(await codes()).toEqual([1503]);
  expect(searchers).toBe(0);
});
