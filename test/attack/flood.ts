// One key sends 64 extractions of 50,000 characters at once, again and again; another project must be served meanwhile. Prints how
// many times longer its calls take than on an idle server: bun test/attack/flood.ts [seconds]

import type { JsonObject } from "../../src/json.ts";
import { killAll, startServer, temporaryFolder } from "../crash/server.ts";
import { compare, openProject, work } from "./victim.ts";

const textsAtOnce = 64;
const textCharacters = 50_000;

/** A text with many items, none of them like those of another number. */
function longText(number: number): string {
  let text = "";
  for (let line = 0; text.length < textCharacters - 100; line++) {
    text += `Ben: We decided that machine ${number}-${line} listens on port ${1_000 + line}.\n`;
  }
  return text;
}

/** @returns what was seen, and each call of the other project that was refused. */
export async function flood(seconds: number): Promise<{ seen: string; faults: string[] }> {
  using folder = temporaryFolder();
  const server = await startServer({ dataDir: folder.path });
  const flooder = await openProject(folder.path, server.url, "flooder");
  const other = await openProject(folder.path, server.url, "other");
  const after = (ms: number) => {
    const end = performance.now() + ms;
    return () => performance.now() > end;
  };
  const idle = await work(other, after((seconds * 1_000) / 4));

  const stop = new AbortController();
  let answered = 0;
  const attack = async (number: number) => {
    const body: JsonObject = { text: longText(number) };
    for (; !stop.signal.aborted; ) {
      const response = await flooder("POST", "/v1/memories/extract", body, stop.signal);
      if (response.ok) answered += 1;
      await response.text();
    }
  };
  const attacks = Array.from({ length: textsAtOnce }, (_, number) => attack(number).catch(() => {}));
  const busy = await work(other, after(seconds * 1_000));
  stop.abort();
  await Promise.all(attacks);
  await server.stop();
  return { seen: `${compare(idle, busy)}; ${answered} of the flood answered`, faults: [...busy.refusals] };
}

if (import.meta.main) {
  try {
    const { seen, faults } = await flood(Number(process.argv[2] ?? 20));
    process.stdout.write(`${[seen, ...faults.slice(0, 5)].join("\n")}\n`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    await killAll();
  }
}
