// Tests suggestions over MCP and with the commands: an agent proposes, and a person lists, accepts and refuses.

import { afterAll, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { cleanUp, run } from "../../cli/command.ts";
import { startTestApp } from "../../fixture.ts";
import { connect, eras } from "../../transports/mcp/clients.ts";

const app = await startTestApp();
afterAll(async () => {
  await app.stop();
  await cleanUp();
});

const objectsIn = (value: unknown) => [value].flat().filter(isObject);
const listed = async () => objectsIn((await app.call("GET", "/v1/suggestions")).data.suggestions);
const create = async (content: string) =>
  String((await app.call("POST", "/v1/memories", { body: { content, memory_type: "fact" } })).data.id);
const propose = async (body: JsonObject) =>
  String((await app.call("POST", "/v1/suggestions", { body })).data.id);
const command = (...words: string[]) =>
  run(["suggestion", ...words, "--url", app.url], { MEMLEDGER_API_KEY: app.apiKey });

test.each(eras)("an agent of %s proposes, and one that may write decides", async (era) => {
  const agent = await connect(app, (await app.createKey(app.projectId, ["memory.propose"])).key, era);
  const id = await create(`Standup of ${era} is at nine.`);
  const content = `Standup of ${era} is at ten.`;
  const proposed = await agent.call("memory_propose", {
    kind: "replace",
    id,
    content,
    reason: "Ana said so",
  });
  expect(proposed.text).toStartWith("proposed, id ");
  const saved = await agent.call("memory_save", { content: "x", type: "fact" });
  expect(saved.text).toContain("memory.write");
  const wrong = await agent.call("memory_propose", { kind: "replace", content });
  expect(wrong.text).toContain('Argument "id"');
  await agent.close();
  const reviewer = await connect(app, app.apiKey, era);
  const list = await reviewer.call("suggestion_list", {});
  expect(list.text).toContain("Ana said so");
  const [suggestion] = await listed();
  const accepted = await reviewer.call("suggestion_accept", { id: String(suggestion?.id) });
  expect(accepted.text).toBe(`accepted, id ${suggestion?.id}`);
  expect((await app.call("GET", `/v1/memories/${id}`)).data).toMatchObject({ is_active: false });
  const other = await propose({ kind: "delete", memory_id: id });
  const refused = await reviewer.call("suggestion_refuse", { id: other });
  expect(refused.text).toBe(`refused, id ${other}`);
  expect((await reviewer.call("suggestion_list", {})).text).toContain("0 suggestions");
  await reviewer.close();
});

test("commands list, accept and refuse, and exit with 1 if one failed", async () => {
  expect((await command("list")).stdout).toContain("No suggestion waits.");
  const memory = await create("The printer is on the second floor.");
  const kept = await propose({
    kind: "create",
    content: "The printer jams on Mondays.",
    memory_type: "fact",
  });
  const dropped = await propose({ kind: "delete", memory_id: memory });
  const list = await command("list");
  expect(list.exitCode).toBe(0);
  for (const text of [kept, dropped, "The printer is on the second floor.", "The printer jams on Mondays."])
    expect(list.stdout).toContain(text);
  expect((await command("list", "--kind", "delete", "--memory", memory)).stdout).not.toContain(kept);
  const accepted = await command("accept", kept.toUpperCase());
  expect(accepted).toMatchObject({ exitCode: 0 });
  expect(accepted.stdout).toContain("1 suggestion accepted.");
  const refused = await command("refuse", dropped, kept);
  expect(refused).toMatchObject({ exitCode: 1 });
  expect(refused.stdout).toContain("1 suggestion refused.");
  expect(refused.stdout).toContain(`${kept}: The suggestion does not exist`);
  expect(await listed()).toEqual([]);
  expect((await app.call("GET", `/v1/memories/${memory}`)).status).toBe(200);
  expect((await command("accept", "no id")).exitCode).toBe(2);
  expect((await command("accept")).exitCode).toBe(2);
  expect((await command("list", "--kind", "other")).exitCode).toBe(2);
});
