// Attacks the local socket with requests that no command sends: the server refuses them, logs no secret and no long text, and still
// stops in order.

import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { createProject } from "../../src/calls/operations/access/project-operations.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { callerHeader, printCaller } from "../../src/transports/local-socket/local-caller.ts";
import { findLocalSocket } from "../../src/transports/local-socket/socket-path.ts";
import { cleanUp, createFolder, runJson, serve } from "../cli/command.ts";

afterAll(cleanUp);

/** Sends bytes to the socket. @returns the status line of the answer */
function sendRaw(unix: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const connection = connect(unix, () => connection.write(text));
    connection.once("error", reject);
    connection.once("data", (bytes) => {
      connection.destroy();
      resolve(bytes.toString("latin1").split("\r\n")[0] ?? "");
    });
  });
}

test("malformed requests are refused, and the server stops in order", async () => {
  const dataDir = createFolder();
  const server = await serve(dataDir, ["--log-level", "info"]);
  const unix = findLocalSocket(locate(dataDir).socket) ?? "";
  const create = (body: string | Uint8Array<ArrayBuffer>, headers = {}) =>
    fetch(`http://localhost/${createProject.name}`, { unix, method: "POST", body, headers });

  const malformedHost = "POST /project.list HTTP/1.1\r\nHost: [\r\nContent-Length: 2\r\n\r\n{}";
  expect(await sendRaw(unix, malformedHost)).toContain("404");

  const notUtf8 = await create(Uint8Array.from(Buffer.from('{"name":"\u00ff"}', "latin1")));
  expect([notUtf8.status, await notUtf8.text()]).toEqual([400, expect.stringContaining("UTF-8")]);

  const secret = `ml_${"a".repeat(43)}`;
  const reply = await create(JSON.stringify({ project: ` ${secret}`, key: "k".repeat(50_000) }), {
    [callerHeader]: printCaller({
      administrator: { osUid: 7, osUser: "u".repeat(5_000), sudoUser: "s".repeat(5_000) },
      client: null,
    }),
  });
  expect(reply.status).toBe(400);
  expect((await runJson(["project", "list", "--data-dir", dataDir])).json).toHaveLength(1);

  const { exitCode, stderr } = await server.end("SIGTERM");
  expect(exitCode).toBe(0);
  expect(stderr).toContain("(hidden)");
  expect(stderr).not.toContain(secret);
  expect(stderr.split("\n").every((line) => line.length < 5_000)).toBe(true);
});
