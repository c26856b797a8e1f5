// What every engine promises about a change of the embedding model: the vectors in use stay until all of the new ones are there, and then
// they are replaced at once.

import { describe, expect, test } from "bun:test";
import { ModelMismatch } from "../../../../src/calls/storage/engine.ts";
import { dimensions, type Member, openMember, openSeam, type Seam, seamModel, unitVector } from "../seam.ts";
import { createPlace, type EngineUnderTest, withNewSeam } from "./engine-under-test.ts";

const next = { id: "another-model", sha256: "f".repeat(64), dimensions: dimensions * 2 };

/** A vector of the next model. */
function nextVector(seed: number): Float32Array {
  const vector = new Float32Array(next.dimensions);
  vector[seed % next.dimensions] = 1;
  return vector;
}

async function requireChange({ store }: Seam) {
  const change = await store.models.change();
  if (change === null) throw new Error("no change is in progress");
  return change;
}

/** Embeds what is missing, in steps. @returns the contents, in order */
async function embedMissing(seam: Seam, step = 2): Promise<string[]> {
  const contents: string[] = [];
  for (;;) {
    const missing = await seam.store.models.findMissing(step);
    if (missing.length === 0) return contents;
    contents.push(...missing.map(({ content }) => content));
    const vectors = missing.map(({ memory, version, content }) => ({
      memory,
      version,
      vector: nextVector(content.length),
    }));
    await seam.store.models.add(await requireChange(seam), vectors);
  }
}

async function createAll(member: Member, contents: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [at, content] of contents.entries()) {
    const { data } = await member.create({ content, vector: unitVector(at + 1) });
    ids.push(String(data.id));
  }
  return ids;
}

export function testModels(subject: EngineUnderTest): void {
  describe("a change of the model", () => {
    test("replaces every vector at once, after which only the new model is accepted", async () => {
      using place = createPlace();
      const engine = subject.open(place.folder);
      const seam = await openSeam({ engine, ledger: place.ledger });
      const member = await seam.project();
      await createAll(member, ["a", "bb", "ccc"]);
      expect((await seam.administer("model.begin_change", next)).data).toMatchObject({ state: "started" });
      expect(await embedMissing(seam)).toEqual(["a", "bb", "ccc"]);
      const before = await member.search({ vector: unitVector(2), topK: 1 });
      expect(before.map(({ memory }) => memory.content)).toEqual(["bb"]);
      expect(await engine.inspect()).toMatchObject({ model: seamModel, previousModels: [], memories: 3 });

      const { status, data } = await seam.administer("model.change", { sha256: next.sha256 });
      expect(status).toBe(200);
      expect(data).toMatchObject({ from: seamModel, to: next, memories: 3 });
      const after = await member.search({ vector: nextVector(3), topK: 1 });
      expect(after.map(({ memory, similarity }) => [memory.content, similarity])).toEqual([["ccc", 1]]);
      expect(await engine.inspect()).toMatchObject({
        model: next,
        previousModels: [seamModel.sha256],
        modelChange: null,
      });
      expect((await seam.administer("model.change", { sha256: next.sha256 })).code).toBe(1400);
      await seam.close();

      await expect(openSeam({ engine, ledger: place.ledger })).rejects.toBeInstanceOf(ModelMismatch);
      const changed = await openSeam({ engine, ledger: place.ledger, model: next });
      const again = await (await openMember(changed, member.id)).search({ vector: nextVector(1), topK: 1 });
      expect(again.map(({ memory }) => memory.content)).toEqual(["a"]);
      await changed.close();
    });

    test("misses what is created or gets another content meanwhile, and waits for it", () =>
      withNewSeam(subject, async (seam) => {
        const member = await seam.project();
        const [first = "", second = "", third = ""] = await createAll(member, ["a", "bb", "ccc"]);
        await seam.administer("model.begin_change", next);
        await embedMissing(seam);
        await member.call("memory.update", { memory_id: first, content: "dddd" }, unitVector(9));
        await member.call("memory.update", { memory_id: second, importance: 1 });
        await member.call("memory.delete", { memory_id: third });
        await createAll(member, ["eeeee"]);
        const refused = await seam.administer("model.change", { sha256: next.sha256 });
        expect(refused.code).toBe(1503);
        expect((await embedMissing(seam)).toSorted()).toEqual(["dddd", "eeeee"]);
        expect((await seam.administer("model.change", { sha256: next.sha256 })).data.memories).toBe(3);
        const found = await member.search({ vector: nextVector(4), topK: 1 });
        expect(found.map(({ memory }) => memory.content)).toEqual(["dddd"]);
      }));

    test("stores no vector of a content that has changed since it was read", () =>
      withNewSeam(subject, async (seam) => {
        const member = await seam.project();
        const [id = ""] = await createAll(member, ["a", "bb"]);
        await seam.administer("model.begin_change", next);
        const missing = await seam.store.models.findMissing(10);
        await member.call("memory.update", { memory_id: id, content: "changed" }, unitVector(9));
        const vectors = missing.map(({ memory, version }) => ({ memory, version, vector: nextVector(1) }));
        await seam.store.models.add(await requireChange(seam), vectors);
        expect(await embedMissing(seam)).toEqual(["changed"]);
      }));

    test("is not disturbed by deletes, also of all memories", () =>
      withNewSeam(subject, async (seam) => {
        const member = await seam.project();
        await createAll(member, ["a", "bb", "ccc"]);
        await seam.administer("model.begin_change", next);
        const missing = await seam.store.models.findMissing(10);
        await member.call("memory.delete_all", {});
        const vectors = missing.map(({ memory, version }) => ({ memory, version, vector: nextVector(1) }));
        await seam.store.models.add(await requireChange(seam), vectors);
        await createAll(member, ["dddd"]);
        expect(await embedMissing(seam)).toEqual(["dddd"]);
        expect((await seam.administer("model.change", { sha256: next.sha256 })).data.memories).toBe(1);
        await seam.letHousekeepingRun();
        expect(await member.search({ vector: nextVector(4) })).toHaveLength(1);
        await member.call("memory.delete_all", {});
        await seam.letHousekeepingRun();
        expect(await member.search({ vector: nextVector(4) })).toEqual([]);
      }));

    test("survives a restart, and is the only one", async () => {
      using place = createPlace();
      const engine = subject.open(place.folder);
      const seam = await openSeam({ engine, ledger: place.ledger });
      const member = await seam.project();
      await createAll(member, ["a", "bb", "ccc"]);
      await seam.administer("model.begin_change", next);
      const [first] = await seam.store.models.findMissing(1);
      if (first === undefined) throw new Error("nothing is missing");
      const change = await requireChange(seam);
      await seam.store.models.add(change, [{ ...first, vector: nextVector(1) }]);
      await seam.close();

      const again = await openSeam({ engine, ledger: place.ledger });
      expect(await again.store.models.change()).toMatchObject({ to: next, done: 1, failure: null });
      const other = { ...next, sha256: "e".repeat(64) };
      const refused = await again.administer("model.begin_change", other);
      expect(refused).toMatchObject({ code: 1400 });
      expect(refused.message).toContain("memledger reembed --cancel");
      expect((await again.administer("model.begin_change", next)).data.state).toBe("running");
      expect(await embedMissing(again)).toEqual(["bb", "ccc"]);
      await again.close();
    });

    test("can be cancelled, and begun again from the start", () =>
      withNewSeam(subject, async (seam) => {
        const member = await seam.project();
        await createAll(member, ["a", "bb"]);
        expect((await seam.administer("model.cancel_change", {})).code).toBe(1400);
        await seam.administer("model.begin_change", next);
        const former = await requireChange(seam);
        await embedMissing(seam);
        expect((await seam.administer("model.cancel_change", {})).data).toMatchObject({ cancelled: next });
        expect(await seam.store.models.findMissing(10)).toEqual([]);
        const found = await member.search({ vector: unitVector(1), topK: 1 });
        expect(found.map(({ memory }) => memory.content)).toEqual(["a"]);
        seam.passTime(1_000);
        await seam.administer("model.begin_change", next);
        const missing = await seam.store.models.findMissing(10);
        expect(missing).toHaveLength(2);
        await seam.store.models.add(
          former,
          missing.map(({ memory, version }) => ({ memory, version, vector: nextVector(1) })),
        );
        expect(await seam.store.models.findMissing(10)).toHaveLength(2);
      }));

    test("keeps why it failed until it is begun again", () =>
      withNewSeam(subject, async (seam) => {
        await seam.administer("model.begin_change", next);
        await seam.store.models.fail(await requireChange(seam), "The model failed.");
        expect((await requireChange(seam)).failure).toBe("The model failed.");
        await seam.administer("model.begin_change", next);
        expect((await requireChange(seam)).failure).toBeNull();
      }));

    test("lets no call of the previous model be settled after it", () =>
      withNewSeam(subject, async (seam) => {
        const member = await seam.project();
        await seam.administer("model.begin_change", next);
        await seam.administer("model.change", { sha256: next.sha256 });
        const call = {
          operation: "memory.create",
          keyId: member.caller.key.id,
          bodyText: JSON.stringify({ content: "late", memory_type: "fact" }),
        };
        const prepared = { vector: unitVector(1), contentKey: new Uint8Array(32) };
        const decision = { refused: null, parameters: {}, prepared, models: [seamModel.sha256] };
        const outcome = await seam.commit({ ...call, decision });
        expect(outcome).toMatchObject({ code: 1503 });
        expect(outcome.message).toContain("The embedding model was changed");
        const { total } = await member.list();
        expect(total).toBe(0);
      }));
  });
}
