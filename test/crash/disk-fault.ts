// Takes the disk away from a running server for a while, in several ways, and checks what is answered meanwhile and afterwards.

import { join } from "node:path";
import { isObject, type Json } from "../../src/platform/json/json.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { findFaults } from "./check.ts";
import type { DiskFault } from "./disk-faults.ts";
import { type Action, actions, type Call, createLoad, type Load, type Target } from "./load.ts";
import { fromSource, type Server, startServer, temporaryFolder } from "./server.ts";
import { findVerdict } from "./verify.ts";

interface FaultReport {
  readonly faults: readonly string[];
  readonly refusedMeanwhile: number;
  readonly recoveredAfterMs: number;
}

export interface FaultOptions {
  readonly fault: DiskFault;
  readonly seed: number;
  readonly command?: readonly string[];
  /** Ends the server by a kill while the disk still fails. */
  readonly killMeanwhile?: boolean;
  /** Starts it again after that kill, still without a disk. */
  readonly restartMeanwhile?: boolean;
  /** The disk fails now and then only, so that calls may succeed meanwhile. */
  readonly isIntermittent?: boolean;
}

const recoveryLimitMs = 10_000;

export async function runFault({
  fault,
  seed,
  command = fromSource,
  killMeanwhile = false,
  restartMeanwhile = false,
  isIntermittent = false,
}: FaultOptions): Promise<FaultReport> {
  using folder = temporaryFolder();
  const undo = fault.prepare?.(folder.path);
  try {
    const dataDir = join(folder.path, "data");
    const load = createLoad(seed);
    const server = await startServer({ dataDir, command, wrapper: fault.wrapper ?? [] });
    const target = { url: server.url, key: server.apiKey ?? "" };
    await load.run(target, { clients: 4, calls: 60 });
    const faults: string[] = [];
    const end = await fault.begin(server, dataDir);
    const before = load.calls.length;
    await load.run(target, { clients: 8, calls: 80 });
    if (!isIntermittent) await useUpLog(load, target);
    const refuse = async (at: Target, action: Action) => {
      const call = await load.send(at, action);
      if (!isIntermittent) faults.push(...judgeRefused(call));
    };
    for (const action of actions) await refuse(target, action);
    faults.push(
      ...(await judgeHealth(server, isIntermittent ? [200, 503] : [503])),
      ...(await judgeOffline(command, dataDir)),
    );
    let recoveredAfterMs = 0;
    if (killMeanwhile) {
      // The last thing before the kill: nothing else has overwritten what it left.
      await refuse(target, "memory.create");
      await server.kill();
    }
    if (killMeanwhile && restartMeanwhile) {
      const second = await startServer({ dataDir, command });
      await refuse({ ...target, url: second.url }, "memory.create");
      await second.kill();
    }
    const refusedMeanwhile = load.calls.slice(before).filter(({ code }) => code === 1503).length;
    await end();
    if (!killMeanwhile) {
      if (!(await becomesReady(server))) faults.push("the server did not become ready by itself");
      recoveredAfterMs = await recover(server, target, load);
      await load.run(target, { clients: 4, calls: 60 });
      if (server.hasEnded()) faults.push("the server ended");
      if (recoveredAfterMs > recoveryLimitMs) faults.push("the server did not recover");
      await server.kill();
    }
    const again = await startServer({ dataDir, command });
    await again.stop();
    faults.push(
      ...findFaults(locate(dataDir).database, load.calls),
      ...(await findVerdict(command, dataDir)),
    );
    return { faults, refusedMeanwhile, recoveredAfterMs };
  } finally {
    undo?.();
  }
}

const sweepsMax = 300;

/** The write-ahead log may have room that earlier calls have left in it; calls succeed until it is used up. */
async function useUpLog(load: Load, target: Target): Promise<void> {
  for (let sweep = 0; sweep < sweepsMax; sweep++) {
    const calls: Call[] = [];
    for (const action of actions) calls.push(await load.send(target, action));
    if (calls.every(({ code }) => code === 1503)) return;
  }
}

function judgeRefused({ action, status, code }: Call): string[] {
  if (status === 503 && code === 1503) return [];
  return [`without a disk ${action} was answered ${status} with code ${code}`];
}

const healthLimitMs = 2_000;

/** Live answers 200. Ready answers 503 with a reason, so that a load balancer sends the calls elsewhere. */
async function judgeHealth({ url }: Server, ready: readonly number[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [path, allowed] of [
    ["/health/live", [200]],
    ["/health/ready", ready],
  ] as const) {
    const begun = performance.now();
    const response = await fetch(`${url}${path}`);
    const envelope: Json = JSON.parse(await response.text());
    const reasons = isObject(envelope) && isObject(envelope.data) ? envelope.data.reasons : null;
    const isRight =
      allowed.some((status) => status === response.status) &&
      (response.status === 200 || (Array.isArray(reasons) && reasons.length > 0));
    if (!isRight)
      faults.push(`without a disk ${path} answered ${response.status} ${JSON.stringify(envelope)}`);
    if (performance.now() - begun > healthLimitMs) faults.push(`without a disk ${path} was slow`);
  }
  return faults;
}

/** Without any call but this one. */
async function becomesReady({ url, hasEnded }: Server): Promise<boolean> {
  const begun = performance.now();
  while (performance.now() - begun <= recoveryLimitMs && !hasEnded()) {
    if ((await fetch(`${url}/health/ready`)).status === 200) return true;
    await Bun.sleep(50);
  }
  return false;
}

/** The commands that an operator needs now. The doctor may find the disk ill, but must say so in its usual form. */
async function judgeOffline(command: readonly string[], dataDir: string): Promise<string[]> {
  const commands: readonly (readonly [words: readonly string[], allowed: readonly number[]])[] = [
    [["version"], [0]],
    [["config", "print", "--data-dir", dataDir], [0]],
    [
      ["doctor", "--data-dir", dataDir],
      [0, 1],
    ],
  ];
  const faults: string[] = [];
  for (const [words, allowed] of commands) {
    const child = Bun.spawn([...command, ...words, "--json"], { stdout: "pipe", stderr: "ignore" });
    const [code, output] = await Promise.all([child.exited, new Response(child.stdout).text()]);
    if (!allowed.includes(code) || !isObjectText(output))
      faults.push(`without a disk ${words[0]} ended with ${code}: ${output}`);
  }
  return faults;
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value);
  } catch {
    return false;
  }
}

/** Milliseconds until a call succeeds again. */
async function recover(server: Server, target: Target, load: Load): Promise<number> {
  const begun = performance.now();
  const probe: Action = "memory.create";
  while (performance.now() - begun <= recoveryLimitMs && !server.hasEnded()) {
    if ((await load.send(target, probe)).status === 201) break;
    await Bun.sleep(20);
  }
  return performance.now() - begun;
}
