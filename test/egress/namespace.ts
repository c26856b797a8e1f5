// Starts the observation of the executable (run.ts) where it can reach nothing: in a network namespace with a loopback interface only.
// Where the system permits no namespaces it runs without one, and the finding says so; its system calls are judged all the same.

import { resolve } from "node:path";
import { isObject, type Json } from "../../src/platform/json/json.ts";

interface ObservationOptions {
  readonly executable: string;
  readonly seconds: number;
}

interface Observation {
  readonly seen: string;
  readonly faults: readonly string[];
}

let running: Bun.Subprocess | null = null;

/** Uses the executable for some seconds, every operation and command of it. @throws Error when that cannot be done */
export function observe({ executable, seconds }: ObservationOptions): Promise<Observation> {
  return runAlone("run.ts", [resolve(executable), String(seconds)]);
}

/** Opens the reference page in Chromium, and leaves a picture of it. @throws Error when that cannot be done */
export function observePage(executable: string, screenshot: string): Promise<Observation> {
  return runAlone("docs-page.ts", [resolve(executable), resolve(screenshot)]);
}

async function runAlone(name: string, words: readonly string[]): Promise<Observation> {
  const namespace = findNamespace();
  const script = resolve(import.meta.dir, name);
  const child = Bun.spawn([...(namespace ?? []), process.execPath, script, ...words], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  running = child;
  const [stdout, stderr, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  running = null;
  if (exitCode !== 0) throw new Error(`the observation ended with ${exitCode}: ${stderr}`);
  const report: Json = JSON.parse(stdout);
  if (!isObject(report) || !Array.isArray(report.faults)) throw new Error(`no report: ${stdout}`);
  const where =
    namespace === null ? "without a network namespace: this system permits none" : "loopback only";
  return { seen: `${report.seen}, ${where}`, faults: report.faults.map(String) };
}

/** For the end of a proof that is interrupted. The observation ends its own processes. */
export async function stopObservation(): Promise<void> {
  running?.kill("SIGTERM");
  await running?.exited;
}

/** Words before a command that give it a network of its own; null where that is not permitted. */
export function findNamespace(): string[] | null {
  const loopback = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  const ways = [
    ["unshare", "--net"],
    ["unshare", "--map-root-user", "--net"],
  ];
  const works = (way: string[]) =>
    Bun.spawnSync([...way, ...loopback, "true"], { stdout: "ignore", stderr: "ignore" }).success;
  if (Bun.which("unshare") === null || Bun.which("ip") === null) return null;
  const way = ways.find(works);
  return way === undefined ? null : [...way, ...loopback];
}
