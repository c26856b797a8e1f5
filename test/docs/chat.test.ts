// Holds the chat of the README to what its text says: it remembers from one run to the next, with any server that speaks Chat Completions.

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTestApp, type TestApp } from "../fixture.ts";
import { type FakeLlm, says, startFakeLlm } from "../models/extraction/fake-llm.ts";
import { blocksOf } from "./pages.ts";
import { createFolder, removeFolder } from "./walk.ts";

/** Runs the script once. @param typed all that is typed; Ctrl+D follows */
async function chat(folder: string, app: TestApp, typed: string): Promise<string> {
  const child = Bun.spawn(["python3", "chat.py"], {
    cwd: folder,
    // The proxies of the machine that runs the tests are not for addresses of this machine.
    env: { PATH: process.env.PATH, KEY: app.apiKey },
    stdin: new Blob([typed]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()];
  const [stdout = "", stderr = ""] = await Promise.all(texts);
  expect({ exitCode: await child.exited, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout;
}

function writeScript(folder: string, app: TestApp, llm: FakeLlm): void {
  const [script] = blocksOf("README.md").filter(({ language }) => language === "python");
  const text = script?.text ?? "";
  expect(text.trimEnd().split("\n").length).toBeLessThan(30);
  const local = text.replace("http://127.0.0.1:8420", app.url).replace("http://127.0.0.1:11434/v1", llm.url);
  expect(local).not.toBe(text);
  writeFileSync(join(folder, "chat.py"), local);
}

test("a wrong key, and an address where nobody answers, are one sentence", async () => {
  const folder = createFolder("false");
  const app = await startTestApp();
  try {
    const [script] = blocksOf("README.md").filter(({ language }) => language === "python");
    for (const [url, sentence] of [
      [app.url, "HTTP Error 401: Unauthorized"],
      ["http://127.0.0.1:9", "Connection refused"],
    ] as const) {
      writeFileSync(join(folder, "chat.py"), script?.text.replace("http://127.0.0.1:8420", url) ?? "");
      const child = Bun.spawn(["python3", "chat.py"], {
        cwd: folder,
        env: { PATH: process.env.PATH, KEY: "ml_wrong" },
        stdin: new Blob(["Hello.\n\n"]),
        stdout: "ignore",
        stderr: "pipe",
      });
      const printed = await child.stderr.text();
      expect(await child.exited).toBe(1);
      expect(printed).toStartWith(`${url}/v1/memories/inject failed: `);
      expect(printed).toContain(sentence);
      expect(printed.split("\n")).toHaveLength(2);
    }
  } finally {
    await app.stop();
    removeFolder(folder);
  }
});

const withoutDays = (text: string) => text.replace(/\d{4}-\d\d-\d\d/g, "DAY");

interface Chatting {
  readonly llm: FakeLlm;
  /** Runs the script of the README once; each line is typed, and an empty one. @returns what it prints */
  run(...lines: readonly string[]): Promise<string>;
  /** As `run`, but nothing is typed except Ctrl+D. */
  end(): Promise<string>;
}

async function withChat(work: (chatting: Chatting) => Promise<void>): Promise<void> {
  const folder = createFolder("false");
  const app = await startTestApp();
  const llm = await startFakeLlm();
  try {
    writeScript(folder, app, llm);
    llm.otherwise(says("I will remember that."));
    await work({
      llm,
      run: (...lines) => chat(folder, app, `${lines.join("\n")}\n\n`),
      end: () => chat(folder, app, ""),
    });
  } finally {
    await llm.stop();
    await app.stop();
    removeFolder(folder);
  }
}

test("Ctrl+D ends the chat", () => withChat(async ({ end }) => expect(await end()).toEndWith("> \n")));

test("the second chat has the section of the README in its system message", () =>
  withChat(async ({ llm, run }) => {
    await run("I am allergic to peanuts.");
    await run("What must I not eat?");
    const [shown] = blocksOf("README.md").filter(({ text }) => text.startsWith("<memories>"));
    const system = withoutDays(llm.requests.at(-1)?.system ?? "");
    expect(system).toEndWith(withoutDays(shown?.text ?? "nothing is shown"));
  }));

test("the second chat knows what was said in the first", () =>
  withChat(async ({ llm, run }) => {
    const first = await run("I am allergic to peanuts.", "Never suggest recipes with fish.");
    expect(first).toContain("> I will remember that.");
    llm.otherwise(says("Peanuts."));
    expect(await run("What must I not eat?")).toContain("> Peanuts.");

    const [start, next, later] = llm.requests;
    expect(llm.requests).toHaveLength(3);
    expect(start?.path).toBe("/v1/chat/completions");
    expect(start?.system).not.toContain("peanuts");
    // The conversation so far is the script's own; the memory is what the next run starts with.
    expect(next?.body.messages).toMatchObject([
      { role: "system" },
      { role: "user", content: "I am allergic to peanuts." },
      { role: "assistant", content: "I will remember that." },
      { role: "user", content: "Never suggest recipes with fish." },
    ]);
    expect(later?.body.messages).toHaveLength(2);
    expect(later?.system).toContain('"I am allergic to peanuts."');
    expect(later?.system).toContain('"Never suggest recipes with fish."');
    // Its key is for memledger only.
    expect(llm.requests.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill("Bearer none"));
  }));
