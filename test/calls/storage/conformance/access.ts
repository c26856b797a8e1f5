// What every engine promises about projects and keys.

import { describe, expect, test } from "bun:test";
import { digestSecret } from "../../../../src/access/key.ts";
import type { JsonObject } from "../../../../src/platform/json/json.ts";
import { openMember, unitVector } from "../seam.ts";
import { type EngineUnderTest, withNewSeam, withSeam } from "./engine-under-test.ts";

export function testAccess(subject: EngineUnderTest): void {
  describe("access", () => {
    test("a key is found by the digest of its secret, with its project, also after it was revoked", () =>
      withSeam(subject, async (seam) => {
        const { id, caller } = await seam.project({ plan: "pro", credits: 7 });
        const made = await seam.administer("key.create", { project: id, permissions: ["memory.read"] });
        const digest = digestSecret(String(made.data.key));
        const found = await seam.store.access.findCaller(digest);
        expect(found).toMatchObject({
          key: { id: made.data.id, permissions: ["memory.read"], revokedAt: null },
          project: { id, plan: "pro", credits: 7 },
          isProjectDeleted: false,
        });
        expect(await seam.store.access.findCredits(caller.project)).toBe(7);
        await seam.administer("key.revoke", { key: String(made.data.id) });
        expect((await seam.store.access.findCaller(digest))?.key.revokedAt).toBeNumber();
        expect(await seam.store.access.findCaller(digestSecret("unknown"))).toBeNull();
        const byId = await seam.store.access.findCallerOfKey(String(made.data.id));
        expect(byId).toEqual(await seam.store.access.findCaller(digest));
        expect(await seam.store.access.findCallerOfKey(String(made.data.key))).toBeNull();
      }));

    test("what a key says about requests to the gateway is kept as it is, and replaced", () =>
      withSeam(subject, async (seam) => {
        const { id } = await seam.project();
        const gateway = {
          memory: { isOn: false, maxCharacters: 0, minSimilarity: 0.5, tags: ["ä"], failure: "fail_closed" },
          remembers: true,
        } as const;
        const said = {
          memory: false,
          memory_budget: 0,
          memory_floor: 0.5,
          memory_tags: ["ä"],
          memory_failure: "closed",
          remember: true,
        };
        const permissions = ["memory.read"];
        const made = await seam.administer("key.create", { project: id, permissions, gateway: said });
        const key = String(made.data.id);
        const find = async () => (await seam.store.access.findCallerOfKey(key))?.key.gateway;
        expect(await find()).toEqual(gateway);
        const { rows } = await seam.administer("key.list", { project: id });
        expect(rows.find((row) => row.id === key)?.gateway).toEqual(said);
        await seam.administer("key.update", { key, gateway: { memory: null, memory_budget: 7 } });
        const { isOn: _, ...memory } = gateway.memory;
        expect(await find()).toEqual({ ...gateway, memory: { ...memory, maxCharacters: 7 } });
        await seam.administer("key.update", { key, gateway: null });
        expect(await find()).toBeNull();
        expect((await seam.store.access.findCallerOfKey(key))?.key.permissions).toEqual(["memory.read"]);
      }));

    test("a project is found by its id and by its name, until it is deleted", () =>
      withSeam(subject, async (seam) => {
        const { id, caller } = await seam.project({ plan: "pro" });
        const { access } = seam.store;
        expect(await access.findProject(id)).toMatchObject({ id, plan: "pro" });
        expect(await access.findProject(caller.project.name)).toEqual(await access.findProject(id));
        expect(await access.findProject("nobody")).toBeNull();
        await seam.administer("project.delete", { project: id });
        expect(await access.findProject(id)).toBeNull();
        expect(await access.findProject(caller.project.name)).toBeNull();
      }));

    test("projects and keys are listed in the order of their creation, with what can be used", () =>
      withNewSeam(subject, async (seam) => {
        const [first, second] = [await seam.project(), await seam.project()];
        await first.create({ content: "counted", vector: unitVector(1) });
        await openMember(seam, first.id);
        await seam.administer("key.revoke", { key: second.caller.key.id });
        const { rows: projects } = await seam.administer("project.list", {});
        expect(projects.map(({ id, memories, keys }) => [id, memories, keys])).toEqual([
          [first.id, 1, 2],
          [second.id, 0, 0],
        ]);
        const { rows: keys } = await seam.administer("key.list", { project: first.id });
        expect(keys[0]?.id).toBe(first.caller.key.id);
        expect(keys).toHaveLength(2);
      }));

    test("projects are listed in pages, by a part of their name, and the largest first", () =>
      withNewSeam(subject, async (seam) => {
        const ids: string[] = [];
        for (const name of ["Ärzte", "ops", "shop", "shop test", "SHOPPING"]) {
          const { data } = await seam.administer("project.create", { name, plan: "custom" });
          ids.push(String(data.id));
        }
        const [doctors = "", , shop = "", , last = ""] = ids;
        const list = async (input: JsonObject) => {
          const { rows } = await seam.administer("project.list", input);
          return rows.map(({ name }) => name);
        };
        expect(await list({ page_size: 2 })).toEqual(["Ärzte", "ops"]);
        expect(await list({ page_size: 2, after: shop })).toEqual(["shop test", "SHOPPING"]);
        expect(await list({ page_size: 2, after: last })).toEqual([]);
        expect(await list({ text: " shop ", page_size: 2 })).toEqual(["shop", "shop test"]);
        expect(await list({ text: "shop", after: shop })).toEqual(["shop test", "SHOPPING"]);
        expect(await list({ text: "äRZ" })).toEqual(["Ärzte"]);
        expect(await list({ text: shop.toUpperCase() })).toEqual(["shop"]);
        expect(await list({ text: "%" })).toEqual([]);
        const member = await openMember(seam, shop);
        await member.create({ content: "one", vector: unitVector(1) });
        expect(await list({ sort_by: "memories", page_size: 2 })).toEqual(["shop", "Ärzte"]);
        // A page can be continued although its last project was deleted meanwhile.
        await seam.administer("project.delete", { project: shop });
        expect(await list({ page_size: 1, after: shop })).toEqual(["shop test"]);
        for (const input of [{ after: "none" }, { after: doctors, sort_by: "memories" }])
          expect(await seam.administer("project.list", input)).toMatchObject({ code: 1400 });
      }));

    test("an id means the project that has it, even where another one is named like it", () =>
      withSeam(subject, async (seam) => {
        const one = await seam.project();
        await seam.administer("project.create", { name: one.id, plan: "free" });
        const { data } = await seam.administer("project.show", { project: one.id });
        expect(data).toMatchObject({ id: one.id, plan: "custom" });
      }));

    test("a deleted project frees its name, keeps its keys from use, and loses its memories", () =>
      withSeam(subject, async (seam) => {
        const secret = await seam.administer("project.create", { name: "taken", plan: "custom" });
        const member = await openMember(seam, String(secret.data.id));
        await member.create({ content: "gone", vector: unitVector(1) });
        const key = await seam.administer("key.create", { project: "taken", permissions: ["memory.read"] });
        await seam.administer("project.delete", { project: "taken" });
        const found = await seam.store.access.findCaller(digestSecret(String(key.data.key)));
        expect(found?.isProjectDeleted).toBe(true);
        expect(found?.key.revokedAt).toBeNumber();
        expect(await seam.store.access.findCredits(member.caller.project)).toBe(0);
        expect((await seam.administer("project.show", { project: "taken" })).code).toBe(1400);
        const next = await openMember(
          seam,
          String((await seam.administer("project.create", { name: "taken", plan: "custom" })).data.id),
        );
        expect(next.id).not.toBe(member.id);
        expect(await next.search({ vector: unitVector(1) })).toEqual([]);
        expect(await member.search({ vector: unitVector(1) })).toEqual([]);
      }));

    test("an administration key is found by its secret and by its id, also when it is revoked", () =>
      withSeam(subject, async (seam) => {
        const { access } = seam.store;
        const made: string[] = [];
        for (const name of ["first", "second"])
          made.push(String((await seam.administer("administration_key.create", { name })).data.key));
        const [first = "", second = ""] = made;
        const found = await access.findAdministrationKey(digestSecret(first));
        expect(found).toMatchObject({ name: "first", expiresAt: null, revokedAt: null, lastUsedAt: null });
        expect(await access.findAdministrationKey(digestSecret(`${first}x`))).toBeNull();
        expect(await access.findCaller(digestSecret(first))).toBeNull();
        const revoked = await seam.administer("administration_key.revoke", { key: found?.id ?? "" });
        expect(revoked.code).toBe(1000);
        expect((await access.findAdministrationKey(digestSecret(first)))?.revokedAt).toBeNumber();
        expect((await access.findAdministrationKey(digestSecret(second)))?.revokedAt).toBeNull();
        const { rows } = await seam.administer("administration_key.list", {});
        expect(rows.map(({ name, revoked_at }) => [name, revoked_at === null])).toEqual([
          ["first", false],
          ["second", true],
        ]);
        expect((await seam.administer("administration_key.revoke", { key: "nobody" })).code).toBe(1400);
      }));

    test("a change of a project holds for the next call", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const create = (content: string) => member.create({ content, vector: unitVector(content.length) });
        expect((await create("one")).code).toBe(1000);
        await seam.administer("project.update", { project: member.id, memory_limit: 1 });
        expect((await create("second")).code).toBe(2101);
        await seam.administer("project.update", { project: member.id, memory_limit: null });
        expect((await create("second")).code).toBe(1000);
      }));
  });
}
