// A server that keeps its records elsewhere, for tests of it. Must never stand in for a part of the product.

import { chmodSync, cpSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { depositSuffix, erasuresSuffix, parseDepositName } from "../../../src/audit/deposit.ts";
import { toData, toText } from "../../../src/cli/audit/report.ts";
import { verifyPath } from "../../../src/cli/audit/verify.ts";
import type { TestApp } from "../../fixture.ts";
import { createFolder, sign, until } from "../attesting/witnessed.ts";

/** Names of the deposits below a folder, in their order. */
export function depositsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(depositSuffix) && !name.endsWith(erasuresSuffix))
    .toSorted();
}

/** The ranges of a chain in a folder, such as 1-3. */
export function rangesIn(folder: string, chain: string): string[] {
  return depositsIn(folder)
    .flatMap((name) => parseDepositName(name) ?? [])
    .filter((place) => place.chain === chain)
    .map(({ first, last }) => `${first}-${last}`);
}

/** Signs a checkpoint of the first project. @returns its chain and number of records */
export async function signed(app: TestApp) {
  const [origin = "", leaves] = (await sign(app)).split("\n");
  return { chain: origin.split("/")[1] ?? "", size: Number(leaves) - 1 };
}

/** Signs a checkpoint, and waits until a folder has its records. */
export async function keptIn(app: TestApp, folder: string) {
  const { chain, size } = await signed(app);
  const isKept = () => rangesIn(folder, chain).some((range) => range.endsWith(`-${size}`));
  await until(app, async () => (isKept() ? true : null));
  return { chain, size, ranges: rangesIn(folder, chain) };
}

/** What audit verify says of a data directory, or of a folder of kept records. */
export async function verify(path: string, publicKey: string, kept: string | null = null) {
  const found = await verifyPath(path, { checkpoints: [], publicKey, project: null, kept });
  return { ...toData(found), text: toText(found) };
}

/** A copy of a folder; of a data directory only while no server runs. */
export function copyOf(dataDir: string): string {
  const copy = join(createFolder(), "copy");
  cpSync(dataDir, copy, { recursive: true });
  return copy;
}

/** The setting for a script of the shell, which gets files as `keep` with a command says. */
export function commandOf(script: string): string {
  const path = join(createFolder(), "keep.sh");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return `command:${path}`;
}

/** Sends metrics of a server that has a port for them. */
export async function metricsOf(app: TestApp): Promise<string> {
  return (await fetch(app.metricsUrl ?? "")).text();
}
