// The configurations of reverse proxies in the documentation: each proxy reads its own, with the ports and the certificate of the test,
// and calls through it have the address of the client. A proxy that is not installed is skipped.

import { afterAll, describe, expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAuthority, issue } from "../certificates.ts";
import { startTestApp } from "../fixture.ts";
import { linux, program, testWith } from "../needs.ts";
import { blocksOf, pages } from "./pages.ts";
import { createFolder, removeFolder } from "./walk.ts";

const folder = createFolder("false");
const started: Bun.Subprocess[] = [];
afterAll(async () => {
  for (const child of started) child.kill("SIGTERM");
  await Promise.all(started.map((child) => child.exited));
  removeFolder(folder);
});

interface Proxy {
  /** What the page shows, with the ports and the files of the test. */
  configure(shown: string, ports: { own: number; server: number }): string;
  command(file: string): readonly string[];
}

const files = () => {
  const { certificate, key } = issue(folder, createAuthority(folder), "memory.example.com");
  return { certificate, key };
};

const proxies: Readonly<Record<string, Proxy>> = {
  nginx: {
    configure(shown, { own, server }) {
      const { certificate, key } = files();
      const site = shown
        .replace("listen 443 ssl", `listen 127.0.0.1:${own} ssl`)
        .replace("/etc/ssl/memory.example.com.pem", certificate)
        .replace("/etc/ssl/memory.example.com.key", key)
        .replace("127.0.0.1:8420", `127.0.0.1:${server}`);
      const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      return `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
http { access_log off; ${places.join(" ")}\n${site}}\n`;
    },
    command: (file) => ["nginx", "-e", join(folder, "error.log"), "-p", folder, "-c", file],
  },
  caddy: {
    configure(shown, { own, server }) {
      const { certificate, key } = files();
      const site = shown
        .replace("memory.example.com {", `memory.example.com:${own} {\n  tls ${certificate} ${key}`)
        .replace("127.0.0.1:8420", `127.0.0.1:${server}`);
      return `{\n  admin off\n  auto_https disable_redirects\n}\n${site}`;
    },
    command: (file) => ["caddy", "run", "--adapter", "caddyfile", "--config", file],
  },
};

function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

describe.each(Object.entries(proxies))("%s", (name, { configure, command }) => {
  testWith(linux ?? program(name) ?? program("openssl"))(
    `${name} forwards calls, and a client cannot choose the address in its record`,
    async () => {
      const app = await startTestApp({ "trusted-proxies": "127.0.0.1" });
      const [shown] = pages.flatMap(blocksOf).filter(({ language }) => language === name);
      const port = freePort();
      const file = join(folder, `${name}.conf`);
      writeFileSync(file, configure(shown?.text ?? "", { own: port, server: app.port }));
      mkdirSync(join(folder, "home"), { recursive: true });
      started.push(
        Bun.spawn([...command(file)], {
          env: { PATH: `${process.env.PATH}:/usr/sbin`, HOME: join(folder, "home") },
          stdin: "ignore",
          stdout: "ignore",
          stderr: "ignore",
        }),
      );
      const site = `memory.example.com:${port}`;
      // Not the address of the proxy: Linux has all of 127.0.0.0/8.
      const from = ["--interface", "127.0.0.2", "--resolve", `${site}:127.0.0.1`, "--insecure"];
      const child = Bun.spawn([
        ...["curl", "-s", ...from, "--retry", "50", "--retry-delay", "0", "--retry-connrefused"],
        ...["-H", `Authorization: Bearer ${app.apiKey}`, "-H", "X-Forwarded-For: 203.0.113.9"],
        `https://${site}/v1/memories`,
      ]);
      const answer = await child.stdout.text();
      expect(await child.exited).toBe(0);
      expect(JSON.parse(answer)).toMatchObject({ success: true, data: { memories: [] } });
      const [record] = app.records(app.projectId);
      expect(record?.payload.ip_address).toBe("127.0.0.2");
    },
  );
});
