// Owns the texts that a release contains beside its executables. Manual page and completions come from the program itself.

import { join } from "node:path";
import { root } from "./source.ts";

export type Documents = Readonly<{
  notices: string;
  sbom: string;
  manual: string;
  bash: string;
  zsh: string;
  fish: string;
}>;

/** What `memledger WORDS` prints, from source: it is the same for every platform. @throws Error when the command fails */
export function printedBy(...words: readonly string[]): string {
  const ran = Bun.spawnSync([process.execPath, join(root, "src/main.ts"), ...words], { cwd: root });
  if (!ran.success) throw new Error(`memledger ${words.join(" ")} failed: ${ran.stderr}`);
  return ran.stdout.toString();
}

/** The page that is read first, in every archive. */
export function archiveReadme(version: string, commit: string, target: string): string {
  const program = target.startsWith("windows") ? "memledger.exe" : "./memledger";
  return `memledger ${version}, commit ${commit}, for ${target}

An AI memory with a tamper-evident audit ledger, in one executable. It needs no other service and no internet connection.

Start it:

  ${program} serve

It prints its address and, at the first start only, an API key. Everything is stored in ./memledger-data.

Files:

  ${program.replace("./", "").padEnd(24)} the program
  LICENSE                  licence of memledger: Apache-2.0
  NOTICES.txt              third-party software in the executable, and its licences
  memledger.cdx.json       bill of materials (CycloneDX 1.6)
  memledger.1              manual page: man ./memledger.1
  completions/             for bash, zsh and fish
${target.startsWith("linux") ? "  memledger.service        unit of systemd\n" : ""}`;
}
