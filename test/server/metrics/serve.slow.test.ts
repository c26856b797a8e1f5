// Where a real process serves metrics: on the configured port, named in its ready line, and never as a background server.

import { afterAll, expect, test } from "bun:test";
import { createServer } from "node:net";
import { startBackgroundApp } from "../../../src/server/app.ts";
import { loadConfig } from "../../../src/server/config/config.ts";
import { cleanUp, createFolder, run, serve } from "../../cli/command.ts";
import { parseExposition, sampleValue } from "./exposition-text.ts";

afterAll(cleanUp);

test("the ready line has the address of the metrics, which end with the server", async () => {
  const server = await serve(createFolder(), ["--metrics-port", "0"]);
  const url = String(server.ready.metrics_url);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  const found = parseExposition(await (await fetch(url)).text());
  expect(sampleValue(found, "memledger_ready")).toBe(1);
  expect(sampleValue(found, "process_open_fds")).toBeGreaterThan(5);
  expect(sampleValue(found, "process_max_fds")).toBeGreaterThan(5);
  const outcome = await server.end("SIGTERM");
  expect({ exitCode: outcome.exitCode, stderr: outcome.stderr }).toEqual({ exitCode: 0, stderr: "" });
  await expect(fetch(url)).rejects.toThrow();
});

test("a port in use, or a host that is not of this machine, is one sentence with the settings", async () => {
  const port = await freePort();
  const other = createServer().listen(port, "127.0.0.1");
  const at = ["serve", "--port", "0", "--data-dir", createFolder(), "--metrics-port", String(port)];
  const inUse = await run(at);
  expect(inUse.exitCode).not.toBe(0);
  expect(inUse.stderr).toContain(`Port ${port} of 127.0.0.1 is in use by another process.`);
  expect(inUse.stderr).toContain("--metrics-port");
  other.close();
  const foreign = await run([...at, "--metrics-host", "203.0.113.7"]);
  expect(foreign.stderr).toContain("Set --metrics-host to one of its addresses");
});

test("the port of the API cannot be that of the metrics", async () => {
  const port = String(await freePort());
  const at = ["serve", "--data-dir", createFolder(), "--port", port, "--metrics-port", port];
  const outcome = await run(at);
  expect(outcome.exitCode).not.toBe(0);
  expect(outcome.stderr).toContain(
    `The API and the metrics cannot both use port ${port} of 127.0.0.1. Choose another port with --metrics-port.`,
  );
});

test("a background server does not open the port", async () => {
  const port = await freePort();
  const flags = { "data-dir": createFolder(), "metrics-port": String(port), "log-level": "silent" };
  const app = await startBackgroundApp(loadConfig({ flags }).config, { end: () => {} });
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
  await app.close();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
