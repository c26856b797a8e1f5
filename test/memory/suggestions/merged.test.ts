// Tests what becomes of a merged memory when the conversation of one of its sources, or the source itself, is erased.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { everythingStored, payloadsIn } from "../../everything-stored.ts";
import { startTestApp } from "../../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

let key = "";
beforeEach(async () => {
  ({ key } = await app.createProject("custom"));
});

const objectsIn = (value: unknown) => [value].flat().filter(isObject);
const call = (method: string, path: string, body?: JsonObject) =>
  app.call(method, path, { key, ...(body === undefined ? {} : { body }) });
async function decided(content: string, conversation: string) {
  const messages = [{ role: "user", content }];
  const { data } = await call("POST", "/v1/memories/extract", {
    messages,
    conversation,
    detail: "essential",
  });
  const [item] = objectsIn(data.extracted);
  return String(item?.id);
}
const propose = async (body: JsonObject) => String((await call("POST", "/v1/suggestions", body)).data.id);
const merge = (id: unknown) => call("POST", `/v1/suggestions/${id}/merge`, {});
const erase = async (conversation: string) =>
  (await call("POST", `/v1/memories/conversations/${conversation}/erase`, {})).data;
const contents = async () =>
  objectsIn((await call("GET", "/v1/memories?include_inactive=true")).data.memories).map(
    ({ content }) => content,
  );
/** Nothing of the word is left in any file, and the ledger is whole. */
async function expectGone(word: string) {
  const stored = everythingStored(app.config.dataDir) + payloadsIn(app.config.dataDir);
  expect(stored.toLowerCase()).not.toContain(word);
  expect((await call("GET", "/v1/audit/verify")).data).toMatchObject({ failure: null });
}

test.each([
  ["older", "chat-a", ["dachsbach5433", "dachsbach5434"]],
  ["newer", "chat-b", ["luchsbach5433", "luchsbach5434"]],
])(
  "of an updated memory and its previous text, the merged one goes with the conversation of the %s",
  async (which, conversation, names) => {
    const text = (name: string) =>
      `We decided that the staging database of the customer portal listens on the port ${name}.`;
    const [first = "", second = ""] = names;
    const word = which === "older" ? first : second;
    const id = await decided(text(first), "chat-a");
    expect(await decided(text(second), "chat-b")).toBe(id);
    const [suggestion] = objectsIn((await call("GET", "/v1/suggestions")).data.suggestions);
    expect(suggestion?.kind).toBe("changed_value");
    expect((await merge(suggestion?.id)).status).toBe(200);
    expect((await contents()).filter((each) => String(each).includes(word))).not.toEqual([]);
    expect(await erase(conversation)).toMatchObject({ erased: true });
    await expectGone(word);
  },
);

test("of two memories, the merged one goes with the conversation of one, and one that only replaces it stays", async () => {
  const replace = async (word: string, conversation: string, content: string) => {
    const memory_id = await decided(`We decided that the ${word} is closed on Mondays.`, conversation);
    return propose({ kind: "replace", memory_id, content });
  };
  const merged = await replace("otternbrunnen", "chat-a", "The fountain is open on Tuesdays.");
  expect((await merge(merged)).status).toBe(200);
  const other = await replace("museum", "chat-a", "The gallery is open on Sundays.");
  expect((await call("POST", `/v1/suggestions/${other}/accept`, {})).status).toBe(200);
  expect(await erase("chat-a")).toMatchObject({ erased: true, memories: 3 });
  expect(await contents()).toEqual(["The gallery is open on Sundays."]);
  await expectGone("otternbrunnen");
});

test("a merge whose source was deleted or erased meanwhile is refused, and nothing comes back", async () => {
  const deletions = {
    async memory(id: string) {
      expect((await call("DELETE", `/v1/memories/${id}`)).status).toBe(204);
    },
    async conversation() {
      expect(await erase("chat-a")).toMatchObject({ erased: true });
    },
  };
  for (const remove of Object.values(deletions)) {
    const memory_id = await decided("We decided that the lift is repaired on Fridays.", "chat-a");
    const suggestion = await propose({ kind: "replace", memory_id, content: "The lift works." });
    await remove(memory_id);
    const refused = await merge(suggestion);
    expect([refused.status, refused.code]).toEqual([404, 2110]);
    expect(refused.message).toContain("deleted");
    expect(await contents()).toEqual([]);
  }
  const memory_id = await decided("We decided that the lift is repaired on Fridays.", "chat-a");
  const suggestion = await propose({ kind: "replace", memory_id, content: "The lift works." });
  const [merged, erased] = await Promise.all([merge(suggestion), erase("chat-a")]);
  expect([200, 404, 409, 503]).toContain(merged.status);
  if (erased.erased !== true) expect(await erase("chat-a")).toMatchObject({ erased: true });
  expect(await contents()).toEqual([]);
});
