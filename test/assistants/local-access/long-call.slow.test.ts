// Tests that a call over the local socket may last longer than a connection without traffic is kept.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openChannel } from "../../../src/assistants/local-access/open-channel.ts";
import { openLocalSocket } from "../../../src/transports/local-socket/local-socket.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a call that runs longer than the server's idle timeout is answered", async () => {
  const socket = openLocalSocket(join(folder, "memledger.sock"), {
    http: { routes: {}, fetch: async () => new Response(), error: () => new Response() },
    background: null,
    console: { url: null, because: "off" },
    confirmations: async () => [],
    async perform() {
      await Bun.sleep(13_000);
      const data = '{"key_id":"k"}';
      return { caller: null, answer: { status: 200, code: 1000, message: "success", data } };
    },
  });
  try {
    const channel = openChannel({ dataDir: folder, project: "default", start: false });
    // The key was answered; this server has no routes.
    expect((await channel.fetch("/v1/memories", { method: "GET" })).status).toBe(404);
  } finally {
    await socket.close();
  }
});
