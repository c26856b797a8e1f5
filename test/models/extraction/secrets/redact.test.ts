// Tests that secrets are found and ordinary text is not, on a corpus (README.md), and that nothing of a secret remains.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { plain } from "../../../../src/memory/extraction/extraction-source.ts";
import type { UtteranceRange } from "../../../../src/memory/extraction/extractor.ts";
import { redactItems, redactSource } from "../../../../src/models/extraction/secrets/redact.ts";
import { extractionTextMaxCharacters } from "../../../../src/platform/limits.ts";
import { loadAnnotated } from "../score.ts";
import { falseCases } from "./false-cases.ts";
import { made } from "./made-up.ts";
import { trueCases } from "./true-cases.ts";

const redact = (text: string) => redactSource(plain(text));

describe("the corpus", () => {
  test("is large enough to mean something", () => {
    expect(trueCases.length).toBeGreaterThanOrEqual(150);
    expect(new Set(trueCases.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(25);
    expect(falseCases.length).toBeGreaterThanOrEqual(200);
    expect(new Set([...falseCases, ...trueCases.map(({ text }) => text)]).size).toBe(
      falseCases.length + trueCases.length,
    );
  });

  test.each(trueCases.map(({ text, ...rest }) => [text, rest] as const))(
    "has a secret in %j",
    async (text, { kind, secret }) => {
      const { source, redacted } = await redact(text);
      expect(source.text).not.toContain(secret);
      expect(redacted.map((each) => each.kind)).toContain(kind);
      expect(JSON.stringify(redacted)).not.toContain(secret);
      // What is left has no secret any more.
      expect(await redact(source.text)).toEqual({ source, redacted: [] });
    },
  );

  test.each(falseCases.map((text) => [text]))("has no secret in %j", async (text) => {
    expect(await redact(text)).toEqual({ source: plain(text), redacted: [] });
  });

  test.each(["seen", "unseen"] as const)("has none in the annotated texts, %s", async (half) => {
    for (const { id, text } of loadAnnotated(half))
      expect([id, (await redact(text)).redacted]).toEqual([id, []]);
  });
});

describe("a text", () => {
  const token = `ghp_${made(36)}`;

  test("keeps everything around a secret, and says what was removed and how often", async () => {
    const { source, redacted } = await redact(
      `Ana: use ${token}, or ${token}.\nBen: my password is hunter2!\npostgres://app:hunter2@db/app is down.`,
    );
    expect(source.text).toBe(
      "Ana: use [secret-removed], or [secret-removed].\nBen: my password is [secret-removed].\npostgres://db/app is down.",
    );
    expect(redacted).toEqual([
      { kind: "url-credentials", count: 1 },
      { kind: "github", count: 2 },
      { kind: "password", count: 1 },
    ]);
  });

  test("keeps the end of the sentence when a password with its sign is removed", async () => {
    for (const sign of ["!", "?", "?!"]) {
      const { source } = await redact(`My password is hunter2X${sign} I prefer tabs.`);
      expect(source.text).toBe("My password is [secret-removed]. I prefer tabs.");
    }
    expect((await redact('My password is "hunter2X!".')).source.text).toBe(
      'My password is "[secret-removed]".',
    );
    expect((await redact("password=hunter2X!,user=ana")).source.text).toBe(
      "password=[secret-removed],user=ana",
    );
  });

  test.each([
    [
      "a zero width space in a token",
      `Use ${token.slice(0, 9)}\u200b${token.slice(9)} here.`,
      "Use [secret-removed] here.",
    ],
    ["a soft hyphen in a word", "My pass\u00adword is hunter2X.", "My pass\u00adword is [secret-removed]."],
    ["a word joiner in the value", "My password is hun\u2060ter2X.", "My password is [secret-removed]."],
    ["a byte order mark at the start", "\ufeffpassword=hunter2X", "\ufeffpassword=[secret-removed]"],
    [
      "invisible characters around it",
      "My password is \u200bhunter2X\u200b.",
      "My password is \u200b[secret-removed]\u200b.",
    ],
    [
      "no-break spaces between the words",
      "My\u00a0password\u00a0is\u202fhunter2X.",
      "My\u00a0password\u00a0is\u202f[secret-removed].",
    ],
    ["one in an address", "postgres:/\u200b/app:hunter2@db/app", "postgres:/\u200b/db/app"],
    [
      "an emoji of several characters before it",
      "👩\u200d💻 my password is hunter2X.",
      "👩\u200d💻 my password is [secret-removed].",
    ],
  ])("is searched as it looks: %s", async (_, text, clean) => {
    const { source, redacted } = await redact(text);
    expect(source.text).toBe(clean);
    expect(redacted).toHaveLength(1);
  });

  test("cannot switch the rules off", async () => {
    for (const comment of [
      "// secretlint-disable",
      "<!-- secretlint-disable-next-line -->",
      "# gitleaks:allow",
    ])
      expect((await redact(`${comment}\n${token}`)).source.text).toBe(`${comment}\n[secret-removed]`);
  });

  test("has the same utterances, in their new places", async () => {
    const said = ["Hello!", `Use ${token}.`, "Noted: password=Xk29dkal", "Thanks."];
    const utterances: UtteranceRange[] = [];
    const unnamed = { id: null, name: null, saidAt: null };
    let start = 0;
    for (const [at, { length }] of said.entries()) {
      utterances.push({
        speaker: at % 2 === 0 ? "user" : "assistant",
        ...unnamed,
        start,
        end: start + length,
      });
      start += length + 2;
    }
    const { source } = await redactSource({
      text: said.join("\n\n"),
      utterances,
      conversation: null,
      detail: "full",
    });
    expect(source.utterances?.map(({ speaker }) => speaker)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
    expect(source.utterances?.map(({ start, end }) => source.text.slice(start, end))).toEqual([
      "Hello!",
      "Use [secret-removed].",
      "Noted: password=[secret-removed]",
      "Thanks.",
    ]);
    expect(source.text.split("\n\n")).toHaveLength(4);
  });

  test("of any form comes back whole, without its secrets, and with well-formed Unicode", async () => {
    const words = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc.constantFrom(
        "password is ",
        "API_KEY=",
        "://u:",
        "@",
        "-----BEGIN PRIVATE KEY-----",
        "token: ",
        '"',
        "\n",
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(words, { maxLength: 12 }),
        fc.array(words, { maxLength: 12 }),
        async (before, after) => {
          const { source } = await redact(`${before.join("")} ${token} ${after.join("")}`);
          expect(source.text).not.toContain(token);
          expect(source.text.isWellFormed()).toBe(true);
        },
      ),
    );
  });

  test.each([
    "-",
    "a.",
    "a_",
    "password ",
    "password: ",
    "password is ",
    'password: "',
    "https://a:",
    "@",
    "-----BEGIN PRIVATE KEY-----\n",
    "eyJabcdefghijk.",
    "xoxb-",
    "sk-a-",
    "seed phrase abcd ",
    "token for the ",
    "curl -u ",
    "🦊",
    "\u200b",
    "\u00a0",
  ])("of the largest size that repeats %j is read to its end", async (part) => {
    const text = part.repeat(extractionTextMaxCharacters / part.length);
    expect((await redact(`${text}\n${token}`)).source.text).not.toContain(token);
  });
});

describe("items", () => {
  const item = (content: string) => ({
    content,
    type: "fact" as const,
    importance: 0.5,
    expiresAt: null,
    evidence: content,
  });

  test("with a secret, or with the place of one, are dropped", async () => {
    const kept = [
      item("The database is PostgreSQL 17."),
      item("The password policy requires 12 characters."),
    ];
    const dropped = [
      item("The user's password is [secret-removed]."),
      item("The user's password is hunter2."),
      {
        ...item("The team decided to use the token"),
        evidence: "We decided to use the token [secret-removed]",
      },
    ];
    expect(await redactItems([...dropped, ...kept])).toEqual({
      items: kept,
      redacted: [{ kind: "password", count: 1 }],
    });
  });
});
