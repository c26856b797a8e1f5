// Opens the reference page of the executable in Chromium, which knows no other machine, and judges its requests. Prints its findings as one
// line of JSON. proof.ts starts it in a network namespace of its own: `bun test/egress/docs-page.ts EXECUTABLE SCREENSHOT`.

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject, type Json } from "../../src/platform/json/json.ts";
import { killAll, startServer } from "../crash/server.ts";

const [, , executable = "", screenshot = ""] = process.argv;
const expected = ["/docs", "/docs/reference.js", "/openapi.json"];
/** The page builds itself with scripts; a page that shows nothing but its background is much smaller. */
const leastScreenshotBytes = 20_000;
const endLimitMs = 90_000;
/** The browser ended before the answer: ERR_ABORTED. */
const aborted = -3;

process.stdout.write(`${JSON.stringify(await openPage())}\n`);
process.exit(0);

async function openPage(): Promise<{ seen: string; faults: readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "memledger-docs-"));
  try {
    const bare = join(folder, "bare");
    mkdirSync(bare);
    const program = join(bare, "memledger");
    copyFileSync(executable, program);
    const server = await startServer({ dataDir: join(bare, "data"), command: [program] });
    const log = join(folder, "net-log.json");
    const browser = Bun.spawn(
      [
        ...[
          Bun.which("chromium") ?? "chromium",
          "--headless",
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
        ],
        ...[
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
        ],
        ...[
          `--user-data-dir=${join(folder, "profile")}`,
          `--log-net-log=${log}`,
          "--virtual-time-budget=20000",
        ],
        ...["--window-size=1280,1000", `--screenshot=${screenshot}`, `${server.url}/docs`],
      ],
      {
        stdin: "ignore",
        stdout: "ignore",
        stderr: "pipe",
        env: { PATH: process.env.PATH ?? "", HOME: folder },
      },
    );
    const late = setTimeout(() => browser.kill("SIGKILL"), endLimitMs);
    const said = await browser.stderr.text();
    const code = await browser.exited;
    clearTimeout(late);
    await server.stop();
    const requests = readRequests(readFileSync(log, "utf8"), server.url);
    const bytes = statSync(screenshot, { throwIfNoEntry: false })?.size ?? 0;
    const faults = [
      ...(code === 0 ? [] : [`chromium ended with ${code}: ${said.slice(0, 300)}`]),
      ...requests
        .filter(({ url }) => !url.startsWith(`${server.url}/`))
        .map(({ url }) => `the page requested ${url}`),
      ...requests.filter(({ error }) => error !== null).map(({ url, error }) => `${url} failed: ${error}`),
      ...expected
        .filter((path) => !requests.some(({ url }) => url.split("?")[0] === `${server.url}${path}`))
        .map((path) => `the page did not request ${path}`),
      ...(bytes < leastScreenshotBytes ? [`the screenshot has ${bytes} bytes only`] : []),
    ];
    return { seen: `${requests.length} requests, a screenshot of ${bytes} bytes`, faults };
  } finally {
    await killAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface PageRequest {
  readonly url: string;
  /** Of the network of Chromium, such as -105; null: none. */
  readonly error: string | null;
}

/**
 * What the page requests, to whatever host, by the log of Chromium's network. What Chromium asks for itself, such as its updates, has no
 * origin. @throws Error when the log has no end
 */
function readRequests(text: string, origin: string): PageRequest[] {
  const json: Json = JSON.parse(text);
  const events = isObject(json) && Array.isArray(json.events) ? json.events.filter(isObject) : [];
  const urls = new Map<Json, string>();
  const errors = new Map<Json, string>();
  for (const { params, source } of events) {
    if (!isObject(source) || !isObject(params)) continue;
    const id = source.id ?? null;
    const { url, method, initiator } = params;
    if (
      typeof url === "string" &&
      typeof method === "string" &&
      (url.startsWith(origin) || initiator === origin)
    )
      urls.set(id, url);
    if (typeof params.net_error === "number" && params.net_error !== aborted)
      errors.set(id, String(params.net_error));
  }
  return [...urls]
    .filter(([, url]) => /^(https?|wss?):/.test(url))
    .map(([id, url]) => ({ url, error: errors.get(id) ?? null }));
}
