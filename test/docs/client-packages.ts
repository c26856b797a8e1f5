// Makes a client available in the folder of a walk, as its page tells a reader to install it: without a package registry.

import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { python, pythonClient, reason } from "../clients/python.ts";
import { root } from "./pages.ts";

export type Environment = Readonly<Record<string, string>>;

const typescriptPage = "clients/typescript/README.md";
const pythonPage = "clients/python/README.md";
/** Its script uses the official client of OpenAI, which `bun install` has installed here. */
export const gatewayPage = "docs/GATEWAY.md";
const openAiClient = join(root, "node_modules/openai");

/** Why the commands of a page cannot be run on this machine; null: they can. */
export function obstacle(page: string): string | null {
  if (page === gatewayPage && !existsSync(openAiClient)) return "needs the package openai";
  return page === pythonPage && python === null ? reason.trim() : null;
}

/** Programs in this folder come before those of the machine. */
export function shimsOf(folder: string): string {
  const shims = join(folder, "shims");
  mkdirSync(shims, { recursive: true });
  return shims;
}

/** @returns the additional environment variables of the page's commands */
export async function installClient(page: string, folder: string): Promise<Environment> {
  if (page === typescriptPage) await installTypescript(folder);
  if (page === gatewayPage) {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(openAiClient, join(folder, "node_modules/openai"));
  }
  if (page !== pythonPage) return {};
  // `python3` of the page is one that has httpx. Bytecode would be written beside the source.
  writeFileSync(join(shimsOf(folder), "python3"), `#!/bin/sh\nexec ${python} "$@"\n`, { mode: 0o755 });
  return { PYTHONPATH: join(pythonClient, "src"), PYTHONDONTWRITEBYTECODE: "1" };
}

/** What `npm install` makes of the package, but built by Bun, because the smoke test has no compiler. */
export async function installTypescript(folder: string): Promise<void> {
  const source = join(root, "clients/typescript");
  const target = join(folder, "node_modules/memledger");
  mkdirSync(target, { recursive: true });
  copyFileSync(join(source, "package.json"), join(target, "package.json"));
  const built = await Bun.build({
    entrypoints: ["index.ts", "ai-sdk.ts"].map((name) => join(source, "src", name)),
    outdir: join(target, "dist"),
  });
  if (!built.success) throw new Error(built.logs.join("\n"));
}
