// What every engine promises about its database as a whole: created once, inspected without a store, opened again with everything in it.

import { describe, expect, test } from "bun:test";
import { ModelMismatch } from "../../../../src/calls/storage/engine.ts";
import { describeWith } from "../../../needs.ts";
import { dimensions, openMember, openSeam, unitVector } from "../seam.ts";
import { createPlace, type EngineUnderTest, has } from "./engine-under-test.ts";
import { listRecords } from "./records.ts";

const nothing = async () => {};

export function testLifecycle(subject: EngineUnderTest): void {
  describe("a database", () => {
    test("is created by a migration, and only when the caller agrees", async () => {
      using place = createPlace();
      const engine = subject.open(place.folder);
      expect(await engine.findState()).not.toBe("present");
      await expect(
        engine.migrate(async () => {
          throw new Error("not here");
        }),
      ).rejects.toThrow("not here");
      expect(await engine.isUnused()).toBe(true);
      let asked = 0;
      const ask = async () => {
        asked += 1;
      };
      await engine.migrate(ask);
      await engine.migrate(ask);
      expect(asked).toBe(1);
      expect(await engine.findState()).toBe("present");
      expect(await engine.isUnused()).toBe(false);
      expect(await engine.inspect()).toEqual({
        format: engine.format,
        model: null,
        previousModels: [],
        modelChange: null,
        memories: 0,
        keys: 0,
        superseded: 0,
        secretKeys: 0,
        installation: null,
        projects: [],
      });
      expect(await engine.findDamage()).toEqual([]);
    });

    test("tells what it holds while no store is open", async () => {
      using place = createPlace();
      const engine = subject.open(place.folder);
      const seam = await openSeam({ engine, ledger: place.ledger });
      const [first, second] = [await seam.project(), await seam.project()];
      await seam.close();
      const { projects, keys, model } = await engine.inspect();
      expect(projects.map(({ id }) => id)).toEqual([first.id, second.id]);
      expect(keys).toBe(2);
      expect(model).toEqual({ id: "made-by-the-test", sha256: "0".repeat(64), dimensions });
    });

    test("keeps everything that was answered, and its chains go on", async () => {
      using place = createPlace();
      const engine = subject.open(place.folder);
      const seam = await openSeam({ engine, ledger: place.ledger });
      const member = await seam.project();
      await member.create({ content: "kept", vector: unitVector(1) });
      await seam.close();
      const reopened = await openSeam({
        engine: has(subject, "durability") ? subject.open(place.folder) : engine,
        ledger: place.ledger,
      });
      const again = await openMember(reopened, member.id);
      expect(again.caller.project.id).toBe(member.id);
      expect((await again.list({ direction: "asc" })).memories.map(({ content }) => content)).toEqual([
        "kept",
      ]);
      const [found] = await again.search({ vector: unitVector(1), words: "kept" });
      expect(found).toMatchObject({ memory: { content: "kept" }, similarity: 1 });
      await again.create({ content: "added", vector: unitVector(2) });
      const { records } = await listRecords(reopened, again);
      expect(records.map(({ seq }) => seq)).toEqual([2, 1]);
      await reopened.close();
      expect(reopened.complaints).toEqual([]);
    });

    test("is refused to a model whose vectors it does not hold", async () => {
      using place = createPlace();
      const engine = subject.open(place.folder);
      const seam = await openSeam({ engine, ledger: place.ledger });
      await (await seam.project()).create({ content: "embedded", vector: unitVector(1) });
      await seam.close();
      const other = { id: "another-model", sha256: "f".repeat(64), dimensions };
      await expect(openSeam({ engine, ledger: place.ledger, model: other })).rejects.toBeInstanceOf(
        ModelMismatch,
      );
      const administration = await openSeam({ engine, ledger: place.ledger, model: null });
      expect((await administration.administer("project.list", {})).status).toBe(200);
      await administration.close();
    });

    test("knows the key in use, and names records that published checkpoints cover and it does not have", async () => {
      using place = createPlace();
      const engine = subject.open(place.folder);
      await engine.migrate(nothing);
      await engine.withLedger("write", async (ledger) => {
        expect(await ledger.findKey()).toEqual({ verifierKey: null, newestNote: null });
        await ledger.setKey("the key");
      });
      const seam = await openSeam({ engine, ledger: place.ledger });
      const member = await seam.project();
      await member.create({ content: "covered", vector: unitVector(1) });
      const { data } = await seam.administer("audit.attest", { project: member.id });
      await seam.close();
      const [view] = Array.isArray(data.checkpoints) ? data.checkpoints : [];
      const { chain, size, hash, note } = Object(view);
      await engine.withLedger("read", async (ledger) => {
        expect((await ledger.findKey()).verifierKey).toBe("the key");
        const published = { chain, size, hash, at: 0 };
        const others = [
          { ...published, size: size + 1 },
          { ...published, hash: "0".repeat(64) },
          { ...published, chain: "0".repeat(32) },
        ];
        const missing = await ledger.findMissingRecords([published, ...others]);
        expect<readonly unknown[]>(missing).toEqual([
          { checkpoint: others[0], size: size + 1, newest: size },
          { checkpoint: others[1], size, newest: size },
          { checkpoint: others[2], size, newest: null },
        ]);
        expect(await ledger.findNewerCheckpoints([])).toContainEqual({ chain, size, note });
        const newer = await ledger.findNewerCheckpoints([published]);
        expect(newer.filter((each) => each.chain === chain)).toEqual([]);
        expect(await ledger.findUncoveredRemovals(place.ledger.verifierKeys)).toEqual([]);
        expect(await ledger.findRotations()).toEqual([]);
      });
    });
  });

  describeWith(subject.lacks.lock ?? null)("the lock", () => {
    test("is held by one at a time", async () => {
      using place = createPlace();
      const engine = subject.open(place.folder);
      const held = await engine.takeLock();
      expect(await engine.takeLock()).toBeNull();
      expect(await subject.open(place.folder).takeLock()).toBeNull();
      held?.release();
      const again = await engine.takeLock();
      expect(again).not.toBeNull();
      again?.release();
    });
  });
}
