// Tests that records and the log tell who administered and from where, with a server and without one.

import { afterAll, expect, test } from "bun:test";
import { administratorOf } from "../../src/access/machine-administrator.ts";
import { createProject, listProjects } from "../../src/calls/operations/access/project-operations.ts";
import { version } from "../../src/platform/version.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { callerHeader, printCaller, readCaller } from "../../src/transports/local-socket/local-caller.ts";
import { findLocalSocket } from "../../src/transports/local-socket/socket-path.ts";
import { cleanUp, createFolder, run, runJson, serve } from "../cli/command.ts";
import { startTestApp } from "../fixture.ts";

const app = await startTestApp();
afterAll(async () => {
  await app.stop();
  await cleanUp();
});

const os_uid = process.getuid?.() ?? null;
const client_name = `memledger/${version}`;
const newest = () => app.records(null).at(-1);

test("the first start says that it was the server itself", () => {
  const records = app
    .records(null)
    .filter(({ action }) => action === "project.create" || action === "key.create");
  expect(records).toHaveLength(2);
  for (const { payload } of records)
    expect(payload).toMatchObject({ transport: "server", os_uid, client_name });
});

test("a command through the server, and one without it, say who ran them", async () => {
  await app.administer(createProject, { name: "through the server" });
  const through = newest();
  await app.restart(async () => {
    await app.administer(createProject, { name: "without a server" });
  });
  const without = newest();
  for (const record of [through, without]) {
    expect(record?.action).toBe("project.create");
    expect(record?.payload).toMatchObject({ transport: "cli", os_uid, client_name });
  }
});

test("calls of projects say nothing of it", async () => {
  await app.call("GET", "/v1/memories");
  const payload = app.records(app.projectId).at(-1)?.payload ?? {};
  for (const name of ["transport", "os_uid", "os_user", "sudo_user", "client_name", "performed_for"])
    expect(Object.keys(payload)).not.toContain(name);
});

/** Sends what a command sends. */
async function ask(headers: Record<string, string>): Promise<{ status: number; text: string }> {
  const unix = findLocalSocket(locate(app.config.dataDir).socket) ?? "";
  const url = `http://localhost/${listProjects.name}`;
  const response = await fetch(url, { unix, method: "POST", body: "{}", headers });
  return { status: response.status, text: await response.text() };
}

test("a command of version 0.1.0, which does not say who runs it, is performed", async () => {
  expect((await ask({})).status).toBe(200);
  const { payload } = newest() ?? {};
  expect(payload).toMatchObject({ transport: "cli", request_body: {} });
  for (const name of ["os_uid", "os_user"]) expect(Object.keys(payload ?? {})).not.toContain(name);
});

test("a malformed header is refused, and nothing is done", async () => {
  const before = app.countRecords(null);
  for (const header of ["%", "7", "[]", "null", '{"os_user"']) {
    expect(await ask({ [callerHeader]: header })).toMatchObject({
      status: 400,
      text: expect.stringContaining(callerHeader),
    });
  }
  expect(app.countRecords(null)).toBe(before);
});

test("any name travels, and is bounded in the record", async () => {
  for (const name of ["Zoë Ångström", "山田", "a\nb", "%41"]) {
    const caller = { administrator: { osUid: 7, osUser: name, sudoUser: null }, client: null };
    expect(readCaller(printCaller(caller))).toEqual(caller);
    await ask({ [callerHeader]: printCaller(caller) });
    expect(newest()?.payload).toMatchObject({ os_uid: 7, os_user: name });
  }
  const caller = { administrator: { osUid: null, osUser: "x".repeat(5_000), sudoUser: null }, client: null };
  await ask({ [callerHeader]: printCaller(caller) });
  expect(newest()?.payload.os_user).toBe("x".repeat(1_024));
});

test("names come from variables, the number from the system", () => {
  expect(administratorOf({})).toEqual({ osUid: os_uid, osUser: null, sudoUser: null });
  const variables = { USER: "memledger", SUDO_USER: "ada" };
  expect(administratorOf(variables)).toEqual({ osUid: os_uid, osUser: "memledger", sudoUser: "ada" });
});

test("the log names whoever administered, in the server and without one", async () => {
  const dataDir = createFolder();
  const at = ["--data-dir", dataDir, "--log-level", "info"];
  const create = (name: string) =>
    run(["project", "create", "--name", name, ...at], { USER: "root", SUDO_USER: "ada" });
  const line = {
    message: "administration",
    operation: "project.create",
    transport: "cli",
    os_uid,
    os_user: "root",
    sudo_user: "ada",
  };
  const linesOf = (text: string): unknown[] =>
    text.split("\n").flatMap((each) => (each.startsWith("{") ? [JSON.parse(each)] : []));
  const server = await serve(dataDir, ["--log-level", "info"]);
  await create("one");
  const { stderr } = await server.end("SIGTERM");
  expect(linesOf(stderr)).toContainEqual(expect.objectContaining(line));
  expect(linesOf(stderr)).toContainEqual(
    expect.objectContaining({ operation: "key.create", transport: "server", os_uid }),
  );
  expect(linesOf((await create("two")).stderr)).toContainEqual(expect.objectContaining(line));
  expect((await runJson(["project", "list", ...at])).json).toHaveLength(3);
});
