// A server with TLS as clients and operators see it: real connections, a certificate that is replaced while calls run, and SIGHUP in a
// service and in a terminal.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { connect as connectTcp, type Socket } from "node:net";
import { join } from "node:path";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { readyOf } from "../audit/export/limited-server.ts";
import { createAuthority, issue, issueEnding, type TestCertificate } from "../certificates.ts";
import { describeWith, linux, testWith } from "../needs.ts";
import { main } from "../program.ts";
import { parseExposition, sampleValue } from "../server/metrics/exposition-text.ts";
import { cleanUp, createFolder, type Running, run, serve } from "./command.ts";

afterAll(cleanUp);

let authority: TestCertificate;
let first: TestCertificate;
let second: TestCertificate;
let ca: string;
beforeAll(async () => {
  const folder = createFolder();
  authority = createAuthority(folder);
  first = issue(folder, authority, "first");
  second = issue(folder, authority, "second");
  ca = await Bun.file(authority.certificate).text();
});

interface Served {
  readonly server: Running;
  readonly dataDir: string;
  readonly files: TestCertificate;
  readonly port: number;
  /** Replaces the files of the server. */
  use(pair: Partial<TestCertificate>): void;
  /** The log lines of the end of the server. */
  end(): Promise<readonly Record<string, unknown>[]>;
}

async function serveTls(words: readonly string[] = []): Promise<Served> {
  const folder = createFolder();
  const files = { certificate: join(folder, "server.pem"), key: join(folder, "server.key") };
  const use = ({ certificate, key }: Partial<TestCertificate>) => {
    if (certificate !== undefined) copyFileSync(certificate, files.certificate);
    if (key !== undefined) copyFileSync(key, files.key);
  };
  use(first);
  const tls = ["--tls-cert", files.certificate, "--tls-key", files.key, "--log-level", "info"];
  const dataDir = join(folder, "data");
  const server = await serve(dataDir, [...tls, ...words]);
  return {
    server,
    dataDir,
    files,
    port: Number(new URL(server.url).port),
    use,
    async end() {
      const { exitCode, stderr } = await server.end("SIGTERM");
      expect(exitCode).toBe(0);
      return stderr
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    },
  };
}

interface Connection {
  readonly socket: TLSSocket;
  /** The subject of the certificate. */
  readonly subject: string;
  /** The first bytes that arrive after the request; empty: the connection was closed. */
  ask(path?: string, headers?: string, host?: string): Promise<string>;
}

function open(port: number, options: ConnectionOptions = {}): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  const socket = connect({ host: "127.0.0.1", port, ca, servername: "localhost", ...options }, () => {
    const { CN } = socket.getPeerCertificate().subject;
    resolve({ socket, subject: String(CN), ask });
  });
  socket.on("error", reject);
  const ask = (path = "/health/live", headers = "", host = "localhost"): Promise<string> => {
    const answer = Promise.withResolvers<string>();
    socket.once("data", (bytes: Buffer) => answer.resolve(bytes.toString()));
    socket.once("close", () => answer.resolve(""));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`);
    return answer.promise;
  };
  return promise;
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 400 && !(await condition()); turn++) await Bun.sleep(25);
  expect(await condition()).toBe(true);
}

const isServed = (port: number, subject: string) => async () => {
  const connection = await open(port);
  connection.socket.destroy();
  return connection.subject === subject;
};

test("a server with TLS answers over https only, with TLS 1.2 and 1.3", async () => {
  const hosts = ["m", "ml", "memory"];
  const words = ["--allowed-hosts", hosts.join(","), "--metrics-port", "0"];
  const { server, port, files, dataDir, end } = await serveTls(words);
  const metrics = parseExposition(await (await fetch(String(server.ready.metrics_url))).text());
  const certificateEnd = sampleValue(metrics, "memledger_certificate_expiry_timestamp_seconds");
  expect(Math.round((Number(certificateEnd) - Date.now() / 1_000) / 86_400)).toBe(30);
  expect(server.url).toBe(`https://127.0.0.1:${port}`);
  const response = await fetch(`${server.url}/v1/memories`, {
    headers: { Authorization: `Bearer ${server.ready.api_key}` },
    tls: { ca },
  });
  expect(response.status).toBe(200);
  for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
    const { socket, ask } = await open(port, { minVersion: version, maxVersion: version });
    expect([socket.getProtocol(), (await ask()).slice(0, 15)]).toEqual([version, "HTTP/1.1 200 OK"]);
    socket.destroy();
  }
  for (const version of ["TLSv1", "TLSv1.1"] as const) {
    const old = open(port, { minVersion: version, maxVersion: version });
    await expect(old).rejects.toThrow(/protocol/i);
  }
  const ofTls12 = (cipher: string) =>
    Bun.spawnSync([
      ...["openssl", "s_client", "-connect", `127.0.0.1:${port}`, "-tls1_2"],
      ...["-cipher", `${cipher}:@SECLEVEL=0`],
    ]).exitCode;
  for (const cipher of ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"])
    expect([cipher, ofTls12(`ECDHE-ECDSA-${cipher}`)]).toEqual([cipher, 0]);
  // Without forward secrecy, or without authenticated encryption.
  for (const cipher of [
    "ALL:!ECDHE",
    "ECDHE-ECDSA-AES128-SHA",
    "ECDHE-ECDSA-AES256-SHA",
    "aRSA:!AEAD",
    "kRSA",
  ])
    expect([cipher, ofTls12(cipher)]).toEqual([cipher, 1]);
  for (const host of hosts) {
    const { socket, ask } = await open(port);
    expect((await ask("/health/live", "", host)).slice(0, 15)).toBe("HTTP/1.1 200 OK");
    expect((await ask("/v1/memories?page=1", "", host)).slice(0, 12)).toBe("HTTP/1.1 401");
    socket.destroy();
  }
  // Without the authority, a client does not accept the certificate.
  await expect(open(port, { ca: undefined })).rejects.toThrow(/certificate/i);
  const doctor = await run([
    "doctor",
    "--data-dir",
    dataDir,
    "--tls-cert",
    files.certificate,
    "--tls-key",
    files.key,
  ]);
  expect(doctor.stdout).toMatch(/^certificate +ok +127\.0\.0\.1, until \d{4}-\d\d-\d\d$/m);
  const [started] = (await end()).filter(({ message }) => message === "server started");
  expect(started?.url).toBe(server.url);
});

test("a client accepts a private authority that NODE_EXTRA_CA_CERTS names, and no other one", async () => {
  const { server, end } = await serveTls();
  const initialize = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  };
  const message = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize })}\n`;
  const key = { MEMLEDGER_API_KEY: String(server.ready.api_key) };
  const ask = (variables: Readonly<Record<string, string>>) =>
    run(["mcp", "--url", server.url], { ...key, ...variables }, Buffer.from(message));
  expect((await ask({ NODE_EXTRA_CA_CERTS: authority.certificate })).stdout).toContain('"serverInfo"');
  expect((await ask({})).stdout).toMatch(/cannot be reached.*certificate/);
  // At once: it would wait for a server that cannot be reached.
  const file = join(createFolder(), "list.md");
  writeFileSync(file, "- The office is in Lisbon.\n");
  const imported = await run(["memory", "import", file, "--url", server.url], key);
  expect(imported.exitCode).not.toBe(0);
  expect(imported.stderr).toContain("NODE_EXTRA_CA_CERTS");
  expect(imported.stderr).not.toContain("Waiting");
  await end();
});

test("an import does not wait for an address that cannot be that of a server", async () => {
  const plain = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("other", { status: 404 }),
  });
  const file = join(createFolder(), "list.md");
  writeFileSync(file, "- The office is in Lisbon.\n");
  const addresses = [
    [`https://127.0.0.1:${plain.port}`, "begin the URL with http://"],
    ["http://name.invalid:8420", "Correct the name of the server"],
    [
      `http://127.0.0.1:${plain.port}`,
      "answered with 404, and not as a memledger server does. Check the URL.",
    ],
  ] as const;
  for (const [url, advice] of addresses) {
    const { exitCode, stderr } = await run(["memory", "import", file, "--url", url], {
      MEMLEDGER_API_KEY: "ml_any",
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(advice);
    expect(stderr).not.toContain("Waiting");
    expect(stderr).not.toMatch(/Is the computer|Does the server speak|verbose: true/);
  }
  await plain.stop(true);
});

describe("SIGHUP", () => {
  test("gives new connections the new certificate; existing connections and running calls continue", async () => {
    const { server, port, use, end } = await serveTls();
    const [used, unused, running] = [await open(port), await open(port), await open(port)];
    expect((await used.ask()).slice(0, 12)).toBe("HTTP/1.1 200");
    const key = server.ready.api_key;
    const body = JSON.stringify({ content: "Sent around the reload.", memory_type: "fact" });
    const head = `POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const answered = new Promise<string>((resolve) =>
      running.socket.once("data", (bytes) => resolve(String(bytes))),
    );
    running.socket.write(head + body.slice(0, 10));

    use(second);
    process.kill(server.pid, "SIGHUP");
    await until(isServed(port, "second"));
    // After this time, the server has closed its previous listening socket.
    await Bun.sleep(300);
    expect([used.socket, unused.socket, running.socket].map(({ destroyed }) => destroyed)).toEqual([
      false,
      false,
      false,
    ]);
    running.socket.write(body.slice(10));
    expect((await answered).slice(0, 12)).toBe("HTTP/1.1 201");
    for (const { ask, subject } of [used, unused]) {
      const answer = await ask();
      expect([subject, answer.slice(0, 12)]).toEqual(["first", "HTTP/1.1 200"]);
      // Clients then connect again, and get the new certificate.
      expect(answer).toMatch(/^connection: close\r$/im);
    }
    const lines = await end();
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: "info",
        message: "the TLS certificate was reloaded",
        name: "127.0.0.1",
      }),
    );
    expect(lines.filter(({ level }) => level !== "info")).toEqual([]);
  });

  test("refuses no connection while clients connect all the time", async () => {
    const { server, port, use, end } = await serveTls();
    const seen = new Set<string>();
    const faults: string[] = [];
    let calls = 0;
    let isOver = false;
    const client = async () => {
      while (!isOver) {
        try {
          const { socket, subject, ask } = await open(port);
          if (!(await ask()).startsWith("HTTP/1.1 200")) faults.push("no answer");
          seen.add(subject);
          calls += 1;
          socket.destroy();
        } catch (error) {
          faults.push(String(error));
        }
      }
    };
    const clients = [client(), client(), client(), client()];
    for (let turn = 0; turn < 6; turn++) {
      const next = turn % 2 === 0 ? second : first;
      use(next);
      process.kill(server.pid, "SIGHUP");
      await until(isServed(port, turn % 2 === 0 ? "second" : "first"));
      await Bun.sleep(150);
    }
    isOver = true;
    await Promise.all(clients);
    expect(faults).toEqual([]);
    expect([...seen].toSorted()).toEqual(["first", "second"]);
    expect(calls).toBeGreaterThan(50);
    const reloaded = (await end()).filter(({ message }) => message === "the TLS certificate was reloaded");
    expect(reloaded).toHaveLength(6);
  });

  test("keeps the previous certificate if the new one cannot be used, and says what to do", async () => {
    const { server, port, files, use, end } = await serveTls();
    use({ certificate: second.certificate });
    process.kill(server.pid, "SIGHUP");
    await Bun.sleep(200);
    writeFileSync(files.key, "");
    process.kill(server.pid, "SIGHUP");
    await Bun.sleep(200);
    expect(await isServed(port, "first")()).toBe(true);
    use(second);
    process.kill(server.pid, "SIGHUP");
    await until(isServed(port, "second"));
    const errors = (await end()).filter(({ level }) => level === "error");
    expect(errors).toEqual([
      expect.objectContaining({
        message: "the TLS certificate was not reloaded; the previous one stays in use",
        cause: expect.stringContaining(
          `The TLS key ${files.key} does not belong to the certificate ${files.certificate}.`,
        ),
        remedy: "Correct the files, then send SIGHUP to the server again.",
      }),
      expect.objectContaining({ cause: expect.stringContaining(`The TLS key ${files.key} is empty.`) }),
    ]);
  });

  test("does not end a service without TLS", async () => {
    const server = await serve(createFolder(), ["--log-level", "info"]);
    process.kill(server.pid, "SIGHUP");
    await Bun.sleep(300);
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
    const { exitCode, stderr } = await server.end("SIGTERM");
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining("SIGHUP was ignored; there is no TLS certificate to reload"),
    ]);
    expect(stderr).toMatch(/"server stopped","cause":"SIGTERM"/);
  });
});

describeWith(linux)("in a terminal", () => {
  const inTerminal = async (words: readonly string[]) => {
    let shown = "";
    const dataDir = join(createFolder(), "data");
    const child = Bun.spawn(
      [process.execPath, main, "serve", "--port", "0", "--json", "--data-dir", dataDir, ...words],
      {
        env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
        terminal: {
          cols: 500,
          rows: 50,
          data(_, bytes) {
            shown += new TextDecoder().decode(bytes);
          },
        },
      },
    );
    await until(() => shown.includes('"event":"ready"'));
    return { child, shown: () => shown };
  };

  test("SIGHUP reloads the certificate, and the server ends in order when the terminal is closed", async () => {
    const { child, shown } = await inTerminal(["--tls-cert", first.certificate, "--tls-key", first.key]);
    child.kill("SIGHUP");
    await until(() => shown().includes("the TLS certificate was reloaded"));
    child.terminal?.close();
    expect([await child.exited, child.signalCode]).toEqual([0, null]);
  });

  test("a server without TLS ends at SIGHUP, as before", async () => {
    const { child, shown } = await inTerminal([]);
    child.kill("SIGHUP");
    expect(await child.exited).toBe(0);
    expect(shown()).toContain("server stopped  cause=SIGHUP");
    child.terminal?.close();
  });
});

testWith(linux)("under nohup, SIGHUP reloads the certificate and ends nothing", async () => {
  const folder = createFolder();
  const files = { certificate: join(folder, "server.pem"), key: join(folder, "server.key") };
  copyFileSync(first.certificate, files.certificate);
  copyFileSync(first.key, files.key);
  const tls = ["--tls-cert", files.certificate, "--tls-key", files.key];
  const words = [
    process.execPath,
    main,
    "serve",
    "--port",
    "0",
    "--json",
    "--data-dir",
    join(folder, "data"),
    ...tls,
  ];
  const child = Bun.spawn(["bash", "-c", `trap '' HUP; exec "$@"`, "bash", ...words], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
    stdout: "pipe",
    stderr: "ignore",
  });
  const { url } = await readyOf(child.stdout);
  copyFileSync(second.certificate, files.certificate);
  copyFileSync(second.key, files.key);
  child.kill("SIGHUP");
  await until(isServed(Number(new URL(url).port), "second"));
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

describe("a server that attackers reach", () => {
  test("goes on when connections speak no TLS, or do not finish their handshake", async () => {
    const { port, end } = await serveTls();
    const plain = await closedAfter(port, "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(plain).not.toContain("HTTP/1.1");
    expect(await closedAfter(port, Buffer.alloc(20_000, 0x16))).not.toContain("HTTP/1.1");
    // A handshake that begins and does not continue.
    const hello = Buffer.from("16030100c8010000c40303", "hex");
    const half = Array.from({ length: 1_000 }, (_, index) =>
      openTcp(port, index % 2 === 0 ? hello : Buffer.of()),
    );
    await Promise.all(half.map(({ connected }) => connected));
    const names = [
      "localhost",
      "other.example",
      "x".repeat(63),
      "xn--bcher-kva.example",
      "127.0.0.1.example",
    ];
    for (const servername of names) {
      const { socket, ask } = await open(port, { servername, checkServerIdentity: () => undefined });
      expect((await ask()).slice(0, 12)).toBe("HTTP/1.1 200");
      socket.destroy();
    }
    for (const { socket } of half) socket.destroy();
    expect((await end()).filter(({ level }) => level === "error")).toEqual([]);
  });
});

function openTcp(
  port: number,
  bytes: Buffer,
): { readonly socket: Socket; readonly connected: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connectTcp({ host: "127.0.0.1", port }, () => {
    socket.write(bytes);
    resolve();
  });
  socket.on("error", () => resolve());
  return { socket, connected: promise };
}

/** What the server sends until it closes the connection. */
function closedAfter(port: number, bytes: string | Buffer): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = "";
  const socket = connectTcp({ host: "127.0.0.1", port }, () => socket.write(bytes));
  socket.on("data", (data) => {
    received += data.toString("latin1");
  });
  socket.on("error", () => resolve(received));
  socket.on("close", () => resolve(received));
  return promise;
}

test("a certificate that must be renewed is named at the start and by doctor, and one that has expired is refused", async () => {
  const folder = createFolder();
  const dataDir = join(folder, "data");
  const flags = ({ certificate, key }: TestCertificate) => ["--tls-cert", certificate, "--tls-key", key];
  const ending = flags(issueEnding(folder, "ending", 5.5));
  const { stderr } = await (await serve(dataDir, ending)).end("SIGTERM");
  expect(JSON.parse(stderr)).toMatchObject({
    level: "warn",
    message: "the TLS certificate must be renewed; send SIGHUP to the server afterwards",
    cause: expect.stringContaining("The TLS certificate expires in 5 days, on "),
  });
  const doctor = await run(["doctor", "--data-dir", dataDir, ...ending]);
  expect([doctor.exitCode, doctor.stdout]).toEqual([
    1,
    expect.stringMatching(/^certificate +FAILED +The TLS certificate expires in 5 days, on \S+\. Renew it/m),
  ]);
  const expired = await run([
    "serve",
    "--port",
    "0",
    "--data-dir",
    dataDir,
    ...flags(issueEnding(folder, "expired", -1)),
  ]);
  expect([expired.exitCode, expired.stdout]).toEqual([1, ""]);
  expect(expired.stderr).toMatch(/^memledger: The TLS certificate \S+ has expired on \S+\. Renew it/m);
});

describe("a start that is refused", () => {
  test("because of the files, before anything else is done", async () => {
    const folder = createFolder();
    const dataDir = join(folder, "data");
    mkdirSync(dataDir, { mode: 0o700 });
    const start = (words: readonly string[]) =>
      run(["serve", "--port", "0", "--data-dir", dataDir, ...words]);
    const mixed = await start(["--tls-cert", first.certificate, "--tls-key", second.key]);
    expect([mixed.exitCode, mixed.stdout]).toEqual([1, ""]);
    expect(mixed.stderr.trim().split("\n").at(-1)).toMatch(
      /^memledger: The TLS key \S+ does not belong to the certificate/,
    );
    const lone = await start(["--tls-cert", first.certificate]);
    expect([lone.exitCode, lone.stderr]).toEqual([
      2,
      expect.stringContaining("tls-cert is set, but tls-key is not."),
    ]);
    expect((await start(["--tls-key", first.key])).exitCode).toBe(2);
  });

  test("because another server has the port, which a server with TLS could share", async () => {
    const { server, port, end } = await serveTls();
    const tls = ["--tls-cert", first.certificate, "--tls-key", first.key];
    const other = await run(["serve", "--port", String(port), "--data-dir", createFolder(), ...tls]);
    expect([other.exitCode, other.stderr]).toEqual([
      1,
      expect.stringContaining(`Port ${port} of 127.0.0.1 is in use`),
    ]);
    expect((await fetch(`${server.url}/health/live`, { tls: { ca } })).status).toBe(200);
    await end();
  });
});
