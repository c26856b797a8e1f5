// Runs every command of the documentation, each page against a server of its own, and compares the answers with those that the page shows.

import { describe, expect, test } from "bun:test";
import { routes } from "../../src/transports/http/routes.ts";
import { testWith } from "../needs.ts";
import { main } from "../program.ts";
import { gatewayPage, obstacle } from "./client-packages.ts";
import { startLanguageModel } from "./language-models.ts";
import { createFolder, removeFolder, type Walk, walk, walkedPages } from "./walk.ts";

/** The walk of the handbook embeds 1,000 memories and starts a server seven times, which takes long on a machine with other work. */
const walkMaxMs = 180_000;

const walks = new Map<string, Promise<Walk>>();

/** Each page is walked once, in a folder and with a server of its own. */
function walkOf(page: string): Promise<Walk> {
  const walked = walks.get(page) ?? walkNow(page);
  walks.set(page, walked);
  return walked;
}

async function walkNow(page: string): Promise<Walk> {
  const llm = await startLanguageModel(page);
  const folder = createFolder(`bun ${main}`);
  try {
    return await walk(page, folder, { llmUrl: llm.url });
  } finally {
    removeFolder(folder);
    await llm.stop();
  }
}

const walkable = walkedPages.filter((page) => obstacle(page) === null);

describe("commands in blocks", () => {
  for (const page of walkedPages) {
    const reason = obstacle(page);
    if (reason !== null) test.skip(`${page} ${reason}`, () => {});
  }

  test.each([...walkable])(
    "%s: every command works, and the answers are those that it shows",
    async (page) => {
      const { exitCode, output, calls, answers } = await walkOf(page);
      expect({ exitCode, output: exitCode === 0 ? "" : output }).toEqual({ exitCode: 0, output: "" });
      expect(calls.filter(({ status }) => status < 200 || status > 299)).toEqual([]);
      for (const { shown, printed } of answers) expect(comparable(printed)).toEqual(comparable(shown.text));
    },
    walkMaxMs,
  );

  test("every endpoint is shown", async () => {
    const calls = (await Promise.all(walkable.map(walkOf))).flatMap((walked) => walked.calls);
    // Those of the gateway need an upstream; test/gateway runs their pages.
    for (const { method, path } of routes.filter(({ operation }) => operation.exchange === undefined)) {
      const named = path.replace(/:(source_id|subject|conversation)\b/g, "[^/]+");
      const pattern = new RegExp(`^${named.replace(/:\w+/g, "[0-9a-f-]{32,36}")}$`);
      const shown = calls.some((call) => call.method === method && pattern.test(call.path));
      expect({ method, path, shown }).toEqual({ method, path, shown: true });
    }
  });

  testWith(obstacle(gatewayPage))(
    "what one client of the gateway has said, two others are told, and the ledger proves it",
    async () => {
      const { output } = await walkOf(gatewayPage);
      // What is remembered of an earlier answer is no answer.
      const isMemory = (text: string) => /^[^\n]{0,150}"memory_type"/.test(text);
      const answers = output
        .split(/(?<!\) \\*")I was told: /)
        .slice(1)
        .filter((text) => !isMemory(text));
      const isTold = (answer: string) => /<memories>[\s\S]*I am allergic to peanuts\./.test(answer);
      expect(answers[0]).toStartWith("I am allergic to peanuts.");
      // The other client, whose record is printed twice, the script, and a request with memory off.
      expect(answers.map(isTold)).toEqual([false, true, true, true, true, false]);
      expect(answers[4]).toStartWith("Suggest a snack.");
      expect(output).toMatch(/memledger-memory: injected=[1-9]/i);
      expect(output).toMatch(/"performed":true/);
      expect(output).toMatch(/INTACT: /);
    },
    walkMaxMs,
  );

  test("an honest export verifies, and a forged one does not", async () => {
    const { output } = await walkOf("docs/operator/LEDGER.md");
    expect(output).toMatch(/exit code 20/);
    expect(output.match(/INTACT: /g)).toHaveLength(4);
  });

  test(
    "the first hour ends with the memories and the ledger that were destroyed",
    async () => {
      const { output } = await walkOf("docs/OPERATIONS.md");
      expect(output).toMatch(/^created +1000$/m);
      // A search and an injection before, a search after.
      const [before = "", after = ""] = output.split("INTACT: ");
      expect(before.match(/"content":"Releases go out on Tuesdays\."/g)).toHaveLength(2);
      expect(before.match(/Releases go out on Tuesdays\.\\"\\n/g)).toHaveLength(1);
      expect(after.match(/"content":"Releases go out on Tuesdays\."/g)).toHaveLength(1);
    },
    walkMaxMs,
  );

  test.each([
    [
      "docs/QUICKSTART.md",
      /- \(.*\) \\"We decided to move the database to PostgreSQL 17\.\\"[\s\S]*INTACT: /,
    ],
    ["docs/recipes/TEAM-CONVENTIONS.md", /- \(.*\) \\"Never deploy on Fridays\.\\"/],
    ["docs/recipes/IMPORT.md", /"content":"Is allergic to peanuts\."/],
    ["docs/recipes/AUDIT-A-DECISION.md", /need two signatures\.\\[\s\S]*INTACT: /],
    ["docs/recipes/BACK-UP.md", /INTACT: /],
    ["docs/recipes/SEVERAL-USERS.md", /The user is vegetarian\.\\"/],
    ["docs/recipes/NGINX.md", /203\.0\.113\.9/],
  ])(
    "%s: its commands show what it is about",
    async (page, shown) => expect((await walkOf(page)).output).toMatch(shown),
    walkMaxMs,
  );

  test.each(walkable.filter((page) => page.startsWith("clients/")))(
    "%s: its programs print what they stored and found",
    async (page) => {
      const { output } = await walkOf(page);
      expect(output).toMatch(/^created [0-9a-f]{32}$/m);
      expect(output).toMatch(/^0\.\d\d Releases go out on Tuesdays\.$/m);
      expect(output).toMatch(/^\d{4}-\S+ memory\.search 200$/m);
    },
  );
});

/** An answer without what differs from run to run. Similarities are the same on every machine but for the last digits. */
function comparable(text: string): unknown {
  const differing = ["id", "created_at", "updated_at", "last_accessed_at"];
  return JSON.parse(text, (key, value: unknown) => {
    if (differing.includes(key)) return key;
    return typeof value === "number" ? Number(value.toFixed(4)) : value;
  });
}
