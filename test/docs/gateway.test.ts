// Holds what the page of the gateway says to readers who use an editor or a chat page: with these settings, the requests of such a program
// are answered, with memory.

import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { fact, rule, type ServedGateway, startGateway } from "../gateway/served.ts";
import { gatewayPage } from "./client-packages.ts";
import { blocksOf, tableOf } from "./pages.ts";

let served: ServedGateway;
beforeAll(async () => {
  served = await startGateway();
});
afterAll(() => served[Symbol.asyncDispose]());

const localise = (text: string) =>
  text.replaceAll("http://127.0.0.1:8420", served.app.url).replaceAll("ml_your_key", served.app.apiKey);
const told = () => served.upstream.received.at(-1)?.body.toString("utf8") ?? "";

async function chat(client: OpenAI, model: string): Promise<string> {
  const stream = await client.chat.completions.create({
    model,
    messages: [
      { role: "system", content: "You are an assistant in an editor." },
      { role: "user", content: [{ type: "text", text: "When do we release?" }] },
    ],
    stream: true,
  });
  let text = "";
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
  return text;
}

test("the configuration of the editor leads to the gateway", async () => {
  const [block] = blocksOf(gatewayPage).filter(({ language }) => language === "yaml");
  const settings = Bun.YAML.parse(localise(block?.text ?? "")) as Json;
  if (!isObject(settings) || !Array.isArray(settings.models)) throw new Error("the block lists no models");
  const [entry = null] = settings.models;
  const { provider, apiBase, apiKey, model } = (isObject(entry) ? entry : {}) as JsonObject;
  expect(provider).toBe("openai");
  const client = new OpenAI({ baseURL: String(apiBase), apiKey: String(apiKey) });
  expect(await chat(client, String(model))).toContain("I was told: You are an assistant in an editor.");
  expect(told()).toContain(rule);
  expect(told()).toContain(fact);
});

test("the variables of the chat page lead to the gateway, whose models it lists", async () => {
  const [block] = blocksOf(gatewayPage).filter(({ text }) => text.includes("open-webui"));
  const variables = new Map(
    [...localise(block?.text ?? "").matchAll(/--env (\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );
  expect(variables.get("OPENAI_API_KEY")).toBe("$KEY");
  const baseURL = variables.get("OPENAI_API_BASE_URL") ?? "";
  const client = new OpenAI({ baseURL, apiKey: served.app.apiKey });
  const models: string[] = [];
  for await (const { id } of client.models.list()) models.push(id);
  expect(models).toContain("fake");
  expect(await chat(client, "fake")).toContain("When do we release?");
  expect(told()).toContain(fact);
});

test("the headers of the page are those that the gateway reads", async () => {
  const rows = tableOf(gatewayPage, "header of a request").map(([code = ""]) => code.replaceAll("`", ""));
  for (const row of rows.filter((each) => each.startsWith("Memledger-"))) {
    const [name = "", value = ""] = row.split(": ");
    const ask = (sent: string) =>
      fetch(`${served.app.url}/v1/chat/completions`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${served.app.apiKey}`,
          "Content-Type": "application/json",
          [name]: sent,
        },
        body: JSON.stringify({ model: "fake", messages: [{ role: "user", content: "Hi" }] }),
      });
    expect([name, (await ask(value)).status]).toEqual([name, 200]);
    if (name === "Memledger-Upstream-Key") continue;
    expect([name, (await ask("x".repeat(300))).status]).toEqual([name, 400]);
  }
});
