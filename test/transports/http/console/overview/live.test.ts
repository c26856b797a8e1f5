// Tests the event streams over real connections: what is sent to whom and when, and how streams end. The whole way from a sign-in to the
// figures of real calls is in test/transports/http/console/events.test.ts.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { permissions } from "../../../../../src/access/key.ts";
import { defaultPlans } from "../../../../../src/access/plan.ts";
import { createCallHistory } from "../../../../../src/calls/statistics/call-history.ts";
import type { ChainContents } from "../../../../../src/calls/storage/statistics.ts";
import type { JsonObject } from "../../../../../src/platform/json/json.ts";
import { createClock } from "../../../../../src/platform/time/clock.ts";
import { createClockShift, passTime } from "../../../../../src/platform/time/clock-shift.ts";
import { eventStream } from "../../../../../src/transports/http/console/event-stream.ts";
import {
  heartbeatEveryMs,
  streamsMax,
  streamsOfSessionMax,
} from "../../../../../src/transports/http/console/overview/limits.ts";
import {
  createLive,
  type Live,
  type Viewer,
} from "../../../../../src/transports/http/console/overview/live.ts";
import type { InstallationState } from "../../../../../src/transports/http/console/overview/state.ts";
import { type EventReader, readEvents } from "./event-reader.ts";

const shift = createClockShift();
const clock = createClock(shift);
const second = () => passTime(shift, 1_000);

const noContents: ChainContents = { newestSequence: 0, memories: [], project: null, exports: [] };
const state = (ready: boolean): InstallationState => ({
  health: { ready, reasons: ready ? [] : ["the disk is full"] },
  warnings: [],
  server: {
    version: "1",
    commit: "c",
    started_at: "",
    database_format: 7,
    extractor: "rules",
    data_directory: "/secret",
  },
  contents: null,
  storage: { disk: null, database: null, directory: null },
  ledger: {
    checkpoint_at: null,
    unsigned_records: null,
    oldest_unsigned_at: null,
    verified_at: null,
    failed_chains: 0,
    confirmations: [],
  },
  backup: { last: null, failure: null, schedule: null },
  tls: null,
  model: { id: "m", change: null },
  search: { indexes: 0, index_bytes: 0, limit_bytes: 1 },
  retention: null,
});

let contents = new Map<string | null, ChainContents>();
let isReady = true;
let reads = 0;
let history = createCallHistory(clock);
let live: Live;
let server: Bun.Server<undefined>;
let readers: EventReader[] = [];
let sessions = new Map<string, Viewer>();

beforeEach(() => {
  contents = new Map();
  isReady = true;
  reads = 0;
  readers = [];
  sessions = new Map();
  // A step of five minutes begins, so that none ends within a test.
  passTime(shift, 300_000 - (Math.floor(clock.now()) % 300_000));
  history = createCallHistory(clock);
  live = createLive({
    history,
    clock,
    plans: defaultPlans,
    readState: async () => state(isReady),
    readPast: async () => undefined,
    statistics: {
      async ofChain(owner) {
        reads += 1;
        return contents.get(owner?.id ?? null) ?? noContents;
      },
    },
  });
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 1,
    fetch(request, own) {
      const viewer = sessions.get(new URL(request.url).pathname.slice(1));
      if (viewer === undefined) return new Response(null, { status: 404 });
      try {
        return eventStream(live, viewer, request, {
          setIdleTimeout: (of, seconds) => own.timeout(of, seconds),
        });
      } catch (error) {
        return new Response(String(error), { status: 429 });
      }
    },
  });
});
afterEach(async () => {
  live.close();
  for (const reader of readers) reader.close();
  await server.stop(true);
});

const viewer = (fields: Partial<Viewer> = {}): Viewer => ({
  session: "s1",
  project: null,
  isAdministrator: true,
  permissions,
  isActive: async () => true,
  ...fields,
});
const open = async (fields: Partial<Viewer> = {}): Promise<EventReader> => {
  const name = String(sessions.size);
  sessions.set(name, viewer(fields));
  const reader = await readEvents(`${server.url}${name}`);
  readers.push(reader);
  return reader;
};
const call = (project: string | null = null, operation = "memory.search") =>
  history.count({ operation, code: 1000, seconds: 0.004, project, endedAtMs: clock.elapsed() });
const newest = (project: string | null, newestSequence: number, fields: Partial<ChainContents> = {}) =>
  contents.set(project, { ...noContents, newestSequence, ...fields });
const use = {
  name: "default",
  plan: "pro",
  subscription: "active",
  credits: 5,
  memoryLimit: null,
  passageLimit: null,
  retentionDays: null,
} as const;
const isOk = ({ operations }: JsonObject) => JSON.stringify(operations) !== "{}";
/** Resolves when everything that is under way has been answered. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

describe("a stream", () => {
  test("is an event stream that no proxy holds back", async () => {
    const { response } = await open();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store, no-transform");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    expect(response.headers.get("content-encoding")).toBeNull();
  });

  test("begins with the whole series, then has one increment a second if something has happened", async () => {
    call();
    const reader = await open();
    const first = await reader.next("figures");
    expect(first).toMatchObject({ project: null, step_seconds: 60 });
    // Minutes before the call are 0, if the server has started in one of them.
    expect(first.operations).toEqual({ "memory.search": { ok: expect.arrayContaining([1]) } });
    call();
    call();
    second();
    const next = await reader.next("figures");
    expect(next.operations).toEqual({ "memory.search": { ok: [3] } });
    await settle();
    const before = reader.events.length;
    second();
    await settle();
    expect(reader.events.slice(before).map(({ event }) => event)).toEqual([]);
  });

  test("says what the newest record is, and when there are new ones", async () => {
    newest(null, 7);
    const reader = await open();
    expect(await reader.next("records")).toEqual({ project: null, newest_sequence: 7 });
    newest(null, 9);
    call();
    second();
    expect(await reader.next("records")).toEqual({ project: null, newest_sequence: 9 });
  });

  test("looks at what nobody has called only now and then", async () => {
    const reader = await open();
    await reader.next("records");
    const before = reads;
    for (let index = 0; index < 10; index++) {
      second();
      await settle();
    }
    expect(reads).toBe(before);
    newest(null, 1);
    passTime(shift, 15_000);
    await reader.next("records", (data) => data.newest_sequence === 1);
  });

  test("has the state, and again when it has changed", async () => {
    const reader = await open();
    expect(await reader.next("state")).toMatchObject({
      health: { ready: true },
      installation: { server: { data_directory: "/secret" } },
    });
    second();
    await settle();
    isReady = false;
    second();
    expect(await reader.next("state")).toMatchObject({
      health: { ready: false, reasons: ["the disk is full"] },
    });
    expect(reader.events.filter(({ event }) => event === "state")).toHaveLength(2);
  });

  test("sends an empty event when nothing happens, so that no proxy closes the connection", async () => {
    const reader = await open();
    await reader.next("state");
    await settle();
    // One of them may begin a minute, which has figures.
    for (let rounds = 0; rounds < 3; rounds++) {
      passTime(shift, heartbeatEveryMs);
      await settle();
    }
    expect(reader.heartbeats()).toBeGreaterThan(0);
  });

  test("outlives the idle timeout of the server", async () => {
    const reader = await open();
    await reader.next("state");
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    call();
    second();
    await reader.next("figures", isOk);
  });
});

describe("a session of a key", () => {
  const ofKey = { project: "p1", isAdministrator: false };

  test("sees its own project, and of the installation whether it is ready", async () => {
    newest("p1", 3, { project: use, memories: [{ type: "fact", memories: 2 }] });
    newest(null, 98_765);
    const reader = await open(ofKey);
    expect(await reader.next("state")).toEqual({ health: { ready: true, reasons: [] }, installation: null });
    const { events } = reader;
    expect(events.find(({ event }) => event === "records")?.data).toEqual({
      project: "p1",
      newest_sequence: 3,
    });
    expect(events.find(({ event }) => event === "project")?.data.project).toMatchObject({
      id: "p1",
      name: "default",
      memory_limit: 20_000,
      credits: 5,
      rate: { per_second: 50, burst: 200 },
    });
    expect(events.find(({ event }) => event === "memories")?.data).toEqual({
      project: "p1",
      memories: { fact: 2 },
    });
    call("p2", "memory.create");
    call(null, "project.list");
    call("p1");
    second();
    const figures = await reader.next("figures", isOk);
    expect(figures).toMatchObject({ project: "p1", operations: { "memory.search": { ok: [1] } } });
    await settle();
    expect(JSON.stringify(events)).not.toMatch(/memory\.create|project\.list|secret|98765/);
  });

  test("sees records and exports only with the permission", async () => {
    newest("p1", 3, { project: use });
    const reader = await open({ ...ofKey, permissions: ["memory.read"] });
    await reader.next("project");
    await reader.next("state");
    newest("p1", 4, { project: use });
    call("p1");
    second();
    await reader.next("figures", isOk);
    await settle();
    expect(reader.events.map(({ event }) => event)).not.toContain("records");
    expect(reader.events.map(({ event }) => event)).not.toContain("exports");
  });

  test("sees numbers of memories only with the permission", async () => {
    newest("p1", 3, { project: use, memories: [{ type: "fact", memories: 77_777 }] });
    const reader = await open({ ...ofKey, permissions: ["memory.write", "audit.read"] });
    await reader.next("project");
    await reader.next("state");
    newest("p1", 4, { project: use, memories: [{ type: "fact", memories: 77_777 }] });
    call("p1");
    second();
    await reader.next("records", (data) => data.newest_sequence === 4);
    expect(JSON.stringify(reader.events)).not.toMatch(/77777|"fact"/);
  });

  test("sees how far an export is, every second until it is completed", async () => {
    const made = {
      id: "e1",
      format: "csv",
      startAt: 0,
      endAt: 1,
      firstSeq: 1,
      lastSeq: 100,
      filter: null,
      selected: null,
      verifiable: true,
      bytes: null,
      sha256: null,
      error: null,
      createdAt: 0,
      completedAt: null,
      expiresAt: null,
      path: "/secret/e1.csv",
    } as const;
    const written = (status: "processing" | "completed", records: number) =>
      newest("p1", 3, { project: use, exports: [{ ...made, status, records }] });
    written("processing", 10);
    const reader = await open(ofKey);
    expect((await reader.next("exports")).exports).toMatchObject([
      { export_id: "e1", status: "processing", records: 10, estimated_records: 100 },
    ]);
    written("processing", 60);
    second();
    expect((await reader.next("exports")).exports).toMatchObject([{ records: 60 }]);
    written("completed", 100);
    second();
    expect((await reader.next("exports")).exports).toMatchObject([{ status: "completed" }]);
    expect(JSON.stringify(reader.events)).not.toContain("/secret");
  });
});

describe("streams end", () => {
  test("within a second when the session has ended, and say so", async () => {
    let isActive = true;
    const reader = await open({ isActive: async () => isActive });
    const other = await open({ session: "s2" });
    await reader.next("state");
    isActive = false;
    call();
    second();
    expect(await reader.next("session")).toEqual({ reason: "ended" });
    await reader.ended;
    await other.next("figures", isOk);
    expect(live.streams()).toBe(1);
    // Nothing of what happened after the end of the session.
    expect(reader.events.some(({ event, data }) => event === "figures" && isOk(data))).toBe(false);
  });

  test("when it cannot be known whether the session is still in force", async () => {
    let fails = false;
    const reader = await open({
      isActive: async () => {
        if (fails) throw new Error("the disk fails");
        return true;
      },
    });
    await reader.next("state");
    fails = true;
    second();
    await reader.ended;
  });

  test("when the client closes the connection, and then nothing is read any more", async () => {
    const reader = await open();
    await reader.next("state");
    reader.close();
    for (let attempts = 0; attempts < 200 && live.streams() > 0; attempts++) await settle();
    expect(live.streams()).toBe(0);
    await settle();
    const before = reads;
    call();
    passTime(shift, 60_000);
    await settle();
    expect(reads).toBe(before);
  });

  test("when the server stops, which does not wait for them", async () => {
    const reader = await open();
    await reader.next("state");
    live.close();
    await server.stop();
    await reader.ended;
    expect(() => live.open(viewer(), { send: () => true, end() {} })).toThrow("stopping");
  });

  test("when the client does not read", async () => {
    const socket = await openSilentClient();
    for (let sent = 0; live.streams() === 1 && sent < 400; sent++) {
      // Each state is a new one of 300 kB.
      isReady = sent % 2 === 0;
      for (let index = 0; index < 300; index++)
        call(null, `an operation with a long name ${"x".repeat(1_000)} ${index}`);
      second();
      await settle();
    }
    expect(live.streams()).toBe(0);
    live.close();
    await server.stop();
    socket.destroy();
  });

  async function openSilentClient(): Promise<Socket> {
    sessions.set("silent", viewer());
    const socket = connect(server.port ?? 0, "127.0.0.1");
    socket.write("GET /silent HTTP/1.1\r\nHost: x\r\n\r\n");
    await new Promise((resolve) => socket.once("data", resolve));
    socket.pause();
    return socket;
  }
});

describe("limits", () => {
  test("a session has a few streams, and others have room", async () => {
    for (let index = 0; index < streamsOfSessionMax; index++) await open();
    const refused = await open();
    expect([refused.response.status, live.streams()]).toEqual([429, streamsOfSessionMax]);
    const other = await open({ session: "s2" });
    expect(other.response.status).toBe(200);
  });

  test("there is a limit for all", () => {
    const receiver = { send: () => true, end() {} };
    for (let index = 0; index < streamsMax; index++) live.open(viewer({ session: `s${index}` }), receiver);
    expect(() => live.open(viewer({ session: "another" }), receiver)).toThrow("Too many pages");
  });

  test("streams of one project are read once for all of them", async () => {
    newest("p1", 1, { project: use });
    const some = [await open({ project: "p1" }), await open({ project: "p1", session: "s2" })];
    await Promise.all(some.map((reader) => reader.next("records")));
    await settle();
    const before = reads;
    newest("p1", 2, { project: use });
    call("p1");
    second();
    await Promise.all(some.map((reader) => reader.next("records", (data) => data.newest_sequence === 2)));
    expect(reads).toBe(before + 1);
  });

  test("a request with HEAD opens no stream", async () => {
    sessions.set("head", viewer());
    const response = await fetch(`${server.url}head`, { method: "HEAD" });
    expect([response.status, live.streams()]).toEqual([200, 0]);
  });
});
