// What every engine promises about the ledger: unbroken chains, signed checkpoints, and lists that show what was asked for.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseCheckpoint, parseTreeCheckpoint } from "../../../../src/audit/checkpoint.ts";
import { rotationText } from "../../../../src/audit/key-rotation.ts";
import { createSigner, createSigningKey, openNote } from "../../../../src/audit/signed-note.ts";
import { splitNotes } from "../../../../src/audit/verify/note.ts";
import { fromTimestamp } from "../../../../src/platform/time/timestamp.ts";
import { describeWith } from "../../../needs.ts";
import { neverAborted, openSeam, type Seam, unitVector } from "../seam.ts";
import { createPlace, type EngineUnderTest, withNewSeam, withSeam } from "./engine-under-test.ts";
import { everyRecord, listRecords, readEntries, verifyRecords } from "./records.ts";

const memory = (content: string) => ({ content, vector: unitVector(content.length) });

/** A project whose calls succeed, are refused, and are about two memories. */
async function openBusy(seam: Seam) {
  const member = await seam.project();
  const first = String((await member.create(memory("first"))).data.id);
  seam.passTime(1_000);
  const second = String((await member.create(memory("second"))).data.id);
  await member.create(memory("first"));
  seam.passTime(1_000);
  await member.call("memory.update", { memory_id: first, importance: 1 });
  await member.call("memory.update", { memory_id: second, importance: 1 });
  await member.call("memory.read", { memory_id: "0".repeat(32) });
  return { member, first, second };
}

export function testLedger(subject: EngineUnderTest): void {
  describe("the ledger", () => {
    test("has a chain for each project, which each record continues", () =>
      withSeam(subject, async (seam) => {
        const [one, two] = [await seam.project(), await seam.project()];
        for (let at = 0; at < 10; at++) {
          await Promise.all([one.create(memory(`one ${at}`)), two.create(memory(`two ${at}`))]);
        }
        const chains = [];
        for (const member of [one, two]) {
          const records = await verifyRecords(seam, member);
          expect(records.map(({ seq }) => seq)).toEqual(Array.from({ length: 10 }, (_, at) => at + 1));
          chains.push(...new Set((await readEntries(seam, member)).map(({ chain }) => chain)));
        }
        expect(chains).toHaveLength(2);
        expect(chains[0]).not.toBe(chains[1]);
      }));

    test("lists the records that a query is about, the newest first", () =>
      withSeam(subject, async (seam) => {
        const { member, first } = await openBusy(seam);
        await (await seam.project()).create(memory("another project"));
        const entries = await readEntries(seam, member);
        const times = entries.map(({ at }) => fromTimestamp(at) ?? 0);
        // A second apart, with a record or more in each.
        const [at1 = 0, at2 = 0, at4 = 0] = [times[0], times[1], times[3]];
        const seqs = async (query: Parameters<typeof listRecords>[2]) => {
          const { records, total, hasMore } = await listRecords(seam, member, query);
          return [records.map(({ seq }) => seq), total, hasMore];
        };
        expect(await seqs({})).toEqual([[6, 5, 4, 3, 2, 1], 6, false]);
        expect(await seqs({ action: "memory.update" })).toEqual([[5, 4], 2, false]);
        expect(await seqs({ statusClass: 2 })).toEqual([[5, 4, 2, 1], 4, false]);
        expect(await seqs({ statusClass: 4 })).toEqual([[6, 3], 2, false]);
        expect(await seqs({ memoryId: first })).toEqual([[4, 1], 2, false]);
        expect(await seqs({ memoryId: first, action: "memory.create" })).toEqual([[1], 1, false]);
        expect(await seqs({ keyId: member.caller.key.id, limit: 2 })).toEqual([[6, 5], 6, true]);
        expect(await seqs({ keyId: "0".repeat(32) })).toEqual([[], 0, false]);
        const hidden = { keyIds: [member.caller.key.id], actions: ["memory.update", "memory.create"] };
        expect(await seqs({ hidden })).toEqual([[6, 3], 2, false]);
        expect(await seqs({ hidden, statusClass: 4 })).toEqual([[6, 3], 2, false]);
        expect(await seqs({ hidden, action: "memory.update" })).toEqual([[], 0, false]);
        expect(await seqs({ hidden: { ...hidden, actions: ["memory.update"] }, memoryId: first })).toEqual([
          [1],
          1,
          false,
        ]);
        expect(await seqs({ hidden: { ...hidden, keyIds: [] } })).toEqual([[6, 5, 4, 3, 2, 1], 6, false]);
        expect(await seqs({ from: at2, to: at4 - 1 })).toEqual([[3, 2], 2, false]);
        expect(await seqs({ from: at4 })).toEqual([[6, 5, 4], 3, false]);
        expect(await seqs({ to: at1 })).toEqual([[1], 1, false]);
        expect(await seqs({ from: at1, to: at1 })).toEqual([[1], 1, false]);
        expect(await seqs({ from: at1 + 1, to: at2 - 1 })).toEqual([[], 0, false]);
      }));

    test("lists in pages that new records do not move", () =>
      withSeam(subject, async (seam) => {
        const { member } = await openBusy(seam);
        const seqsOf = (page: Awaited<ReturnType<typeof listRecords>>) => page.records.map(({ seq }) => seq);
        const page1 = await listRecords(seam, member, { limit: 4 });
        expect([seqsOf(page1), page1.through, page1.hasMore]).toEqual([[6, 5, 4, 3], 6, true]);
        await member.create(memory("meanwhile"));
        const { through, total } = page1;
        const skipped = await listRecords(seam, member, { limit: 4, through, total, after: { skip: 4 } });
        expect([seqsOf(skipped), skipped.total, skipped.hasMore]).toEqual([[2, 1], 6, false]);
        const below = await listRecords(seam, member, { limit: 1, through, total, after: { below: 3 } });
        expect([seqsOf(below), below.hasMore]).toEqual([[2], true]);
        const filter = { action: "memory.create", through, total: null } as const;
        const filtered = await listRecords(seam, member, { ...filter, limit: 2, after: { skip: 1 } });
        expect([seqsOf(filtered), filtered.total]).toEqual([[2, 1], 3]);
      }));

    test("finds a record by its id, in its project only", () =>
      withSeam(subject, async (seam) => {
        const { member } = await openBusy(seam);
        const other = await seam.project();
        await other.create(memory("another project"));
        const [entry] = await readEntries(seam, member);
        const id = entry?.id ?? "";
        const { audit } = seam.store;
        const found = await audit.find(member.caller.project, id, neverAborted);
        const { content, ...record } = found ?? { content: null };
        const [listed] = (await listRecords(seam, member, { after: { below: 2 } })).records;
        expect<unknown>(record).toEqual(listed);
        expect(Buffer.from(content ?? "").toString()).toContain('"first"');
        expect(JSON.parse(found?.payload ?? "{}").request_body.content).toBe("first");
        expect(await audit.find(other.caller.project, id, neverAborted)).toBeNull();
        expect(await audit.find(member.caller.project, "0".repeat(32), neverAborted)).toBeNull();
        expect(await audit.place(id)).toMatchObject({
          seq: 1,
          id,
          action: "memory.create",
          isWhole: true,
        });
        expect(await audit.place("0".repeat(32))).toBeNull();
      }));

    test("lists the chain of the installation, which no project has", () =>
      withNewSeam(subject, async (seam) => {
        const { id } = await seam.project();
        const { records, total } = await seam.store.audit.list(
          null,
          { ...everyRecord, action: "project.create" },
          neverAborted,
        );
        const payloads = records.map(({ payload }) => JSON.parse(payload ?? "{}").response_body.data.id);
        expect([payloads, total]).toEqual([[id], 1]);
      }));

    test("signs the head of a chain, and publishes each checkpoint beside the database", async () => {
      using place = createPlace();
      const { verifierKeys, notes } = place.ledger;
      const [verifierKey = ""] = verifierKeys;
      const seam = await openSeam({ engine: subject.open(place.folder), ledger: place.ledger });
      const { member } = await openBusy(seam);
      const { data } = await member.call("audit.checkpoint", {}, undefined);
      const newest = (await verifyRecords(seam, member))[5];
      expect(data).toMatchObject({ size: 6, hash: newest?.hash });
      expect(sizeOf(String(data.note), verifierKey)).toBe(6);
      expect(openNote(String(data.note), verifierKey)).toStartWith(`memledger/${data.chain}`);
      expect(data.public_key).toBe(verifierKey);
      const listed = (below: number | null, limit: number) =>
        seam.store.audit.checkpoints(member.caller.project, { below, limit }, neverAborted);
      const kept = await listed(null, 9);
      expect(kept[0]).toMatchObject({ size: 6, hash: newest?.hash, note: String(data.note) });
      expect(await listed(6, 9)).toEqual(kept.slice(1));
      expect(await listed(null, 1)).toEqual(kept.slice(0, 1));
      const every = await seam.administer("audit.attest", {});
      expect(every.data.checkpoints).toHaveLength(2);
      await seam.close();
      const published = splitNotes(readFileSync(join(notes, `${data.chain}.notes`), "utf8"));
      const sizes = published.map((note) => sizeOf(note, verifierKey));
      expect(published).toContain(String(data.note));
      // The close signs what no checkpoint covers yet.
      expect(sizes).toEqual(sizes.toSorted((one, other) => (one ?? 0) - (other ?? 0)));
      expect(sizes.at(-1)).toBe(7);
    });

    test("changes the key in use only for a statement about it and the key that signs", async () => {
      using place = createPlace();
      const engine = subject.open(place.folder);
      const [former, other] = [createSigner(createSigningKey()), createSigner(createSigningKey())];
      const [successor = ""] = place.ledger.verifierKeys;
      await engine.migrate(async () => {});
      await engine.withLedger("write", (ledger) => ledger.setKey(former.verifierKey));
      const seam = await openSeam({ engine, ledger: place.ledger });
      const statement = (of: string, to: string) =>
        former.sign(rotationText({ former: of, successor: to, at: seam.now() }));
      const rotate = async (of: string, to: string) =>
        (await seam.administer("audit.rotate_key", { statement: statement(of, to) })).code;
      expect(await rotate(former.verifierKey, other.verifierKey)).toBe(1400);
      expect(await rotate(former.verifierKey, successor)).toBe(1000);
      expect(await rotate(former.verifierKey, successor)).toBe(1400);
      await seam.close();
      await engine.withLedger("read", async (ledger) => {
        expect((await ledger.findKey()).verifierKey).toBe(successor);
        expect(await ledger.findRotations()).toHaveLength(1);
      });
    });
  });

  describeWith(subject.lacks.verification ?? null)("verification through the API", () => {
    test("checks a chain to its newest record, then what is new", () =>
      withSeam(subject, async (seam) => {
        const { member } = await openBusy(seam);
        const verify = () => seam.store.audit.verify(member.caller.project);
        const first = await verify();
        expect(first).toMatchObject({ isComplete: true, round: { fromSeq: 1, throughSeq: 6 } });
        expect(first.report).toMatchObject({ records: 6, failure: null, contradiction: null });
        await member.create(memory("new"));
        const second = await verify();
        expect(second).toMatchObject({ isComplete: true, round: { fromSeq: 1, throughSeq: 7 } });
        const unused = await seam.project();
        expect((await seam.store.audit.verify(unused.caller.project)).report).toBeNull();
      }));
  });

  describeWith(subject.lacks["several servers"] ?? null)("two stores on one database", () => {
    test("append to the same chains, and see what the other has answered", async () => {
      using place = createPlace();
      const open = () => openSeam({ engine: subject.open(place.folder), ledger: place.ledger });
      const [one, two] = [await open(), await open()];
      const member = await one.project();
      const call = (seam: Seam, content: string) =>
        seam.commit({
          operation: "memory.create",
          keyId: member.caller.key.id,
          project: member.id,
          bodyText: JSON.stringify({ content, memory_type: "fact" }),
          decision: {
            refused: null,
            parameters: {},
            prepared: { ...memory(content), contentKey: Buffer.from(content) },
          },
        });
      const calls = Array.from({ length: 20 }, (_, at) => call(at % 2 === 0 ? one : two, `from ${at}`));
      expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(Array(20).fill(1000));
      for (const seam of [one, two]) expect(await verifyRecords(seam, member)).toHaveLength(20);
      await two.close();
      await one.close();
    });
  });
}

/** How many records a checkpoint of either version covers, of a chain whose tree began with its first record. */
function sizeOf(note: string, verifierKey: string): number | undefined {
  const text = openNote(note, verifierKey) ?? "";
  return parseCheckpoint(text)?.size ?? (parseTreeCheckpoint(text)?.leaves ?? Number.NaN) - 1;
}
