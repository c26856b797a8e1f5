// Tests that secrets do not become memories, whatever extracts them: with the built-in extractor and with a language model, from texts and
// from messages. Which texts contain secrets is tested beside the rules.

import { afterAll, describe, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";
import { items, sends } from "../../models/extraction/fake-llm.ts";
import { startLlmApp } from "../../models/extraction/llm-app.ts";
import { made } from "../../models/extraction/secrets/made-up.ts";
import { expectClean, sendRecorded } from "./scenario.ts";

const path = "/v1/memories/extract";
const token = `ghp_${made(36)}`;
const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

describe("the built-in extractor", async () => {
  const app = await startTestApp();
  afterAll(() => app.stop());
  const extract = (body: JsonObject) => sendRecorded(app, "POST", path, { body });
  const stored = async () => {
    const { data } = await app.call("GET", "/v1/memories?page_size=100");
    return listOf(data.memories).map(({ content }) => content);
  };

  test("stores no sentence with a secret, and everything else", async () => {
    const text = `We decided to move the database to PostgreSQL 17. We decided that the password for it is Tr0ub4dor. Never push without the token ${token}. Never connect to anything but postgres://app:hunter22@db.example.com/app.`;
    const reply = await extract({ text });
    expectClean(reply, "POST", path);
    expect(reply.data.redacted).toEqual([
      { kind: "url-credentials", count: 1 },
      { kind: "password", count: 1 },
      { kind: "github", count: 1 },
    ]);
    expect(await stored()).toEqual([
      "Never connect to anything but postgres://db.example.com/app.",
      "We decided to move the database to PostgreSQL 17.",
    ]);
    for (const secret of [token, "Tr0ub4dor", "hunter22"]) expect(reply.text).not.toContain(secret);
    // The ledger holds the request as it was sent, and beside it what was read.
    expect(reply.record?.payload.request_body).toEqual({ text });
    expect(reply.record?.payload.input_content).toEqual({
      text: text
        .replace("Tr0ub4dor", "[secret-removed]")
        .replace(token, "[secret-removed]")
        .replace("app:hunter22@", ""),
    });
    expect(JSON.stringify(reply.record?.payload.output_content)).not.toContain("hunter22");
  });

  test("stores no sentence that ends with a secret and says nothing without it", async () => {
    const before = await stored();
    for (const text of [
      `We decided to use the token ${token}`,
      "We decided that the admin password is Tr0ub4dor",
    ]) {
      const { data } = await extract({ text });
      expect(data.extracted).toEqual([]);
      expect(data.redacted).toHaveLength(1);
    }
    expect(await stored()).toEqual(before);
  });

  test("does the same with messages and in a dry run", async () => {
    const before = await stored();
    const messages = [
      { role: "user", content: "Meine Schwester heißt Anna. Mein Passwort ist Sonnenblume." },
      { role: "assistant", content: `Noted: ${token}` },
    ];
    const { data, record } = await extract({ messages, dry_run: true });
    expect(data.redacted).toEqual([
      { kind: "password", count: 1 },
      { kind: "github", count: 1 },
    ]);
    expect(JSON.stringify(data)).not.toContain("Sonnenblume");
    expect(record?.payload.input_content).toEqual({
      messages: [
        { role: "user", content: "Meine Schwester heißt Anna. Mein Passwort ist [secret-removed]." },
        { role: "assistant", content: "Noted: [secret-removed]" },
      ],
    });
    expect(await stored()).toEqual(before);
  });

  test("says nothing of it when there was none", async () => {
    const { data } = await extract({ text: "The password policy requires 12 characters." });
    expect(Object.keys(data)).toEqual(["extracted", "deduplicated", "updated", "extractor"]);
  });

  test("accepts a text that is nothing but a secret", async () => {
    const { status, data } = await extract({ text: token });
    expect([status, data.extracted, data.redacted]).toEqual([200, [], [{ kind: "github", count: 1 }]]);
  });
});

describe("a language model", async () => {
  const { llm, app, stop } = await startLlmApp({});
  afterAll(async () => expect(await stop()).toEqual(["the language model has failed"]));

  test("never gets a secret, and cannot store one", async () => {
    llm.next(
      items(
        { content: "The user uses Bun.", evidence: "I use Bun" },
        { content: "The user's token is [secret-removed].", evidence: "my token is [secret-removed]" },
        { content: "The user's password is hunter2.", evidence: "I use Bun" },
      ),
    );
    const body = { text: `I use Bun, and my token is ${token}.` };
    const reply = await sendRecorded(app, "POST", path, { body });
    expect(JSON.stringify(llm.requests)).not.toContain(token);
    expect(llm.requests.at(-1)?.text).toBe("I use Bun, and my token is [secret-removed].");
    expect(listOf(reply.data.extracted).map(({ content }) => content)).toEqual(["The user uses Bun."]);
    expect(reply.data.redacted).toEqual([
      { kind: "github", count: 1 },
      { kind: "password", count: 1 },
    ]);
  });

  test("that fails leaves a record of what it was sent", async () => {
    llm.otherwise(sends(401, {}));
    const body = { text: `My token is ${token}.` };
    const { code, record } = await sendRecorded(app, "POST", path, { body });
    expect(code).toBe(2103);
    expect(record?.payload.input_content).toEqual({ text: "My token is [secret-removed]." });
  });
});
