// What every engine promises about answers that wait to be remembered: a task lives as long as the texts of its record, and ends in the
// transaction of its outcome.

import { describe, expect, test } from "bun:test";
import { encodePayload } from "../../../../src/audit/parts/payload.ts";
import type { Call, Decision, Origin } from "../../../../src/calls/contract/call.ts";
import { eraseRecords } from "../../../../src/calls/operations/ledger/erase-records.ts";
import { findOperation } from "../../../../src/calls/operations.ts";
import { precomputeExchange } from "../../../../src/calls/outcome.ts";
import { attemptsMax } from "../../../../src/memory/remembering/limits.ts";
import type { NewTask, RememberedPart } from "../../../../src/memory/remembering/task.ts";
import { successCode } from "../../../../src/platform/errors.ts";
import { createIdSource } from "../../../../src/platform/ids.ts";
import { administrationOf, type Member, type Seam } from "../seam.ts";
import { type EngineUnderTest, withNewSeam } from "./engine-under-test.ts";

const createId = createIdSource();
const http: Origin = { transport: "http", ip: null, userAgent: null, client: null, metadata: null };

function callOf({ caller: { key, project } }: Member, fields: Pick<Call, "operation"> & Partial<Call>) {
  const nothing = { memoryId: null, parameters: null, bodyText: "{}", unreadableBody: null };
  return { keyId: key.id, project: project.id, origin: http, arrivedAt: 0, ...nothing, ...fields };
}

/** Records an exchange whose answer is to be remembered. @returns the id of its record */
async function queue(seam: Seam, member: Member, tags: readonly string[] = []): Promise<string> {
  const recordId = createId(seam.now());
  const { key, project } = member.caller;
  const ids = { record: recordId, keyId: key.id, project: project.id, subject: null };
  const task: NewTask = { ...ids, tags, createdAt: seam.now() };
  const operation = findOperation("gateway.chat");
  if (operation === undefined) throw new Error("there is no gateway");
  const call = callOf(member, { operation: operation.name, recordId });
  const details = { output_content: { text: "Noted." } };
  const entry = { status: 200, code: successCode, numbers: {} } as const;
  const passed = { precomputed: { data: null, details }, prepared: task, entry };
  const precomputed = await precomputeExchange(call, passed, encodePayload);
  const decision: Decision = { refused: null, parameters: {}, prepared: task, precomputed };
  const { code } = await seam.store.commit({ ...call, decision });
  expect(code).toBe(1000);
  return recordId;
}

/** Has a call extract a part of a task, with this outcome. @returns the code of its answer */
async function extract(
  { store }: Seam,
  member: Member,
  part: Partial<RememberedPart> & Pick<RememberedPart, "record">,
  outcome: "success" | 1403 | 1503,
): Promise<number> {
  const sources = { user: [], assistant: [] };
  const remembers = { part: 0, parts: 1, attempt: 1, leftOutCharacters: 0, sources, ...part };
  const decision: Decision =
    outcome === "success"
      ? { refused: null, parameters: {}, prepared: null }
      : { refused: { code: outcome, message: "refused", data: {} } };
  const bodyText = JSON.stringify({ action: "app.event", http_status: 200 });
  const origin: Origin = { ...http, performedFor: "gateway.chat", remembers };
  // What matters is the outcome, so this is an operation that needs no preparation.
  const call = callOf(member, { operation: "audit.append", origin, bodyText });
  return (await store.commit({ ...call, decision })).code;
}

async function tasksOf({ store: { remembering } }: Seam): Promise<string[]> {
  const found: string[] = [];
  for (let task = await remembering.nextAfter(null); task !== null; ) {
    found.push(task.record);
    task = await remembering.nextAfter(task.project);
  }
  return found;
}

export function testRemembering(subject: EngineUnderTest): void {
  describe("an answer that waits to be remembered", () => {
    test("is found with what its call has said, the oldest of each project first", () =>
      withNewSeam(subject, async (seam) => {
        const [one, two] = [await seam.project(), await seam.project()];
        const first = await queue(seam, one, ["user:dana"]);
        await queue(seam, one);
        const other = await queue(seam, two);
        const { remembering } = seam.store;
        expect((await tasksOf(seam)).toSorted()).toEqual([first, other].toSorted());
        expect(await remembering.count(one.caller.project)).toBe(2);
        const tasks = [await remembering.nextAfter(null), await remembering.nextAfter(one.id)];
        expect(tasks.find((task) => task?.record === first)).toMatchObject({
          record: first,
          project: one.id,
          keyId: one.caller.key.id,
          action: "gateway.chat",
          tags: ["user:dana"],
          part: 0,
          attempts: 0,
        });
      }));

    test("waits behind others of its project after an attempt, and ends with its outcome", () =>
      withNewSeam(subject, async (seam) => {
        const member = await seam.project();
        const [first, second] = [await queue(seam, member), await queue(seam, member)];
        const { remembering } = seam.store;
        expect(await remembering.begin({ record: first, part: 0 })).toBe(true);
        expect(await remembering.begin({ record: first, part: 1 })).toBe(false);
        expect(await tasksOf(seam)).toEqual([second]);
        expect(await extract(seam, member, { record: second }, 1503)).toBe(1503);
        expect(await remembering.count(member.caller.project)).toBe(2);
        expect(await extract(seam, member, { record: second }, "success")).toBe(1000);
        expect(await tasksOf(seam)).toEqual([first]);
        expect(await remembering.nextAfter(null)).toMatchObject({ attempts: 1 });
        // Refused for good, and failed for the last time.
        expect(await extract(seam, member, { record: first }, 1403)).toBe(1403);
        const third = await queue(seam, member);
        expect(await extract(seam, member, { record: third, attempt: attemptsMax }, 1503)).toBe(1503);
        expect(await tasksOf(seam)).toEqual([]);
      }));

    test("is extracted part by part, and no part twice", () =>
      withNewSeam(subject, async (seam) => {
        const member = await seam.project();
        const record = await queue(seam, member);
        await seam.store.remembering.begin({ record, part: 0 });
        expect(await extract(seam, member, { record, parts: 2 }, "success")).toBe(1000);
        expect(await seam.store.remembering.nextAfter(null)).toMatchObject({ part: 1, attempts: 0 });
        expect(await extract(seam, member, { record, parts: 2 }, "success")).toBe(2204);
        expect(await extract(seam, member, { record, parts: 2, part: 1 }, "success")).toBe(1000);
        expect(await extract(seam, member, { record, parts: 2, part: 1 }, "success")).toBe(2204);
        expect(await tasksOf(seam)).toEqual([]);
      }));

    test("is gone with the texts of its record, with its project, and when it is removed", () =>
      withNewSeam(subject, async (seam) => {
        const member = await seam.project();
        const erased = await queue(seam, member);
        const input = { record: erased };
        const prepared = await eraseRecords.prepare?.(input, administrationOf(seam.store));
        expect((await seam.administer("audit.redact", input, prepared)).code).toBe(1000);
        expect(await extract(seam, member, { record: erased }, "success")).toBe(2204);
        const removed = await queue(seam, member);
        await seam.store.remembering.remove(removed);
        await queue(seam, member);
        await seam.administer("project.delete", { project: member.id });
        expect(await tasksOf(seam)).toEqual([]);
      }));
  });
}
