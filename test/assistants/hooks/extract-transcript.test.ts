// Checks what the extraction of a transcript does when the server refuses or does not answer: with HTTP answers of a real server that the
// test writes, and a sleep that only counts.

import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extractTranscript } from "../../../src/assistants/hooks/extract-transcript.ts";
import { extractionsPerRun } from "../../../src/assistants/hooks/limits.ts";
import { createMemoryCalls } from "../../../src/assistants/hooks/memory-calls.ts";
import { openSessionFiles } from "../../../src/assistants/hooks/session-files.ts";
import { cursorTranscript } from "../../../src/assistants/hooks/transcripts/cursor.ts";
import { createRemoteChannel } from "../../../src/assistants/local-access/remote-channel.ts";
import { createLogger } from "../../../src/platform/log/logger.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const done = () => Response.json({ success: true, code: 1000, message: "success", data: {} });
const refusal = (status: number, code: number, headers: Record<string, string> = {}) =>
  Response.json({ success: false, code, message: `refused with ${code}`, data: null }, { status, headers });

/** Extracts the messages of a transcript. `answers` are those of the server, the last one again and again. */
function prepare(messages: readonly string[], answers: readonly (() => Response)[], detail = "full") {
  const folder = mkdtempSync(join(tmpdir(), "memledger-hooks-"));
  const sent: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      sent.push(await request.text());
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      return answer?.() ?? done();
    },
  });
  ends.push(() => {
    server.stop(true);
    rmSync(folder, { recursive: true });
  });
  const transcript = join(folder, "transcript.jsonl");
  const line = (content: string) => `${JSON.stringify({ role: "user", content })}\n`;
  writeFileSync(transcript, messages.map(line).join(""));
  const log: string[] = [];
  const slept: number[] = [];
  const files = openSessionFiles(join(folder, "hooks"), "cursor", "1");
  const channel = createRemoteChannel({ url: `http://127.0.0.1:${server.port}`, apiKey: "ml_x" });
  const run = () =>
    extractTranscript({
      transcript,
      format: cursorTranscript,
      calls: createMemoryCalls(channel, { client: "cursor", hook: "session-end", sessionId: "1" }),
      detail,
      files,
      logger: createLogger("info", (text) => {
        log.push(text);
        return true;
      }),
      limit: () => AbortSignal.timeout(60_000),
      sleep: async (ms) => void slept.push(ms),
    });
  return {
    run,
    sent,
    slept,
    log,
    position: () => files.readPosition(transcript),
    stop: () => server.stop(true),
  };
}

describe("an extraction", () => {
  test("asks for the detail that is wanted", async () => {
    for (const detail of ["essential", "full"]) {
      const { run, sent } = prepare(["I repaired the kayak."], [done], detail);
      await run();
      expect(sent.map((text) => JSON.parse(text).detail)).toEqual([detail]);
    }
  });

  test("that is over the rate is sent again after the time that the server names, at most a minute", async () => {
    const busy = () => refusal(429, 1429, { "Retry-After": "7" });
    const long = () => refusal(503, 1503, { "Retry-After": "3600" });
    const { run, sent, slept, log, position } = prepare(["We ship on Tuesdays."], [busy, long, done]);
    await run();
    expect(slept).toEqual([7_000, 60_000]);
    expect(sent).toHaveLength(3);
    expect(log).toEqual([]);
    expect(position()).toBeGreaterThan(0);
  });

  test("that is never answered is left to the next run", async () => {
    const { run, sent, log, position, stop } = prepare(["We ship on Tuesdays."], [() => refusal(503, 1503)]);
    await run();
    expect(sent).toHaveLength(5);
    stop();
    await run();
    expect(position()).toBe(0);
    expect(log).toHaveLength(2);
    expect(log.join("")).not.toContain("Tuesdays");
  });

  test.each([
    [400, 1400],
    [401, 1401],
    [402, 1402],
    [403, 2101],
  ])("that is refused with %d is not sent again in this run, and is not lost", async (status, code) => {
    const { run, sent, slept, log, position } = prepare(
      ["We ship on Tuesdays."],
      [() => refusal(status, code), done],
    );
    await run();
    expect([sent.length, slept.length, position()]).toEqual([1, 0, 0]);
    expect(log.join("")).toContain(`refused with ${code}`);
    await run();
    expect(sent[1]).toBe(sent[0] ?? "");
    expect(position()).toBeGreaterThan(0);
  });

  test("continues behind the last one that was answered", async () => {
    const long = (topic: string) => `We decided about ${topic}. `.repeat(1_500);
    const answers = [done, () => refusal(402, 1402), done];
    const { run, sent } = prepare([long("bread"), long("cakes"), "And about tea."], answers);
    await run();
    expect(sent).toHaveLength(2);
    await run();
    expect(sent.map((body) => /bread|cakes/.exec(body)?.[0])).toEqual(["bread", "cakes", "cakes"]);
    expect(sent[2]).toContain("tea");
  });

  test("of a very long transcript is divided between runs", async () => {
    const messages = Array.from({ length: extractionsPerRun + 2 }, (_, index) =>
      `${index} `.padEnd(39_000, "x"),
    );
    const { run, sent, log } = prepare(messages, [done]);
    await run();
    expect(sent).toHaveLength(extractionsPerRun);
    expect(log.join("")).toContain("a transcript is too long for one extraction");
    await run();
    expect(sent).toHaveLength(messages.length);
  });

  test("of what nobody has said is not sent", async () => {
    const { run, sent, position } = prepare(["<system-reminder>x</system-reminder>"], [done]);
    await run();
    expect(sent).toEqual([]);
    expect(position()).toBeGreaterThan(0);
  });
});
