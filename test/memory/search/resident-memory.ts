// Compares the memory that a server counts for its search indexes with the resident memory of its process, for several projects that are
// searched one after the other, and with a limit that is too small for all of them. Must never judge a single index: garbage and freed memory
// would be most of it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fillScale, type ScaleProject, scaleQuestion } from "../../../bench/scale-fill.ts";
import { createRandom } from "../../../bench/texts.ts";
import { type Server, startServer, temporaryFolder } from "../../crash/server.ts";
import { parseExposition, sampleValue } from "../../server/metrics/exposition-text.ts";

export interface ResidentMemoryOptions {
  /** Words before `serve`. */
  readonly command: readonly string[];
  readonly projects: number;
  /** Of each project. */
  readonly memories: number;
  /** `search-cache-mb` of the second server: less than all indexes need. */
  readonly limitMb: number;
}

interface ResidentMemoryReport {
  /** What the indexes of all projects added, in megabytes. */
  readonly countedMb: number;
  readonly residentMb: number;
  /** The same with the limit. */
  readonly limitedMb: number;
  readonly residentLimitedMb: number;
  readonly faults: readonly string[];
}

/** Of the counted bytes: blocks have empty rows, which are counted and may not be resident. */
const shareMin = 0.8;
const shareMax = 1.2;
/** Beside the indexes: results, garbage and code, which a project of few memories does not need. */
const besideMb = 64;
const clients = 8;
const searchesOfClient = 12;
/** The garbage of busy threads is collected once a second. */
const settleMs = 3_000;

interface Held {
  readonly countedMb: number;
  readonly residentMb: number;
}

/** Linux only. */
export async function compareResidentMemory(options: ResidentMemoryOptions): Promise<ResidentMemoryReport> {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  const wanted = Array.from({ length: options.projects }, (_, at) => ({
    name: `project ${at}`,
    size: options.memories,
  }));
  const { projects } = await fillScale(dataDir, [{ name: "small", size: 100 }, ...wanted]);
  return await compareFilled(dataDir, projects, options);
}

/** @param projects a small one and the large ones, none of which has cache files */
export async function compareFilled(
  dataDir: string,
  projects: readonly ScaleProject[],
  options: Pick<ResidentMemoryOptions, "command" | "limitMb">,
): Promise<ResidentMemoryReport> {
  const [small, ...large] = projects;
  if (small === undefined) throw new Error("there is no small project");
  const faults: string[] = [];
  const serve = async (flags: readonly string[], work: (server: Server) => Promise<Held>): Promise<Held> => {
    const server = await startServer({
      dataDir,
      command: options.command,
      flags: ["--metrics-port", "0", ...flags],
    });
    try {
      return await work(server);
    } finally {
      await server.stop();
    }
  };
  let idle: Held = { countedMb: 0, residentMb: 0 };
  const all = await serve([], async (server) => {
    // As many searches as later, so that the difference is the indexes.
    for (const _ of large) await searchMuch(server, small);
    idle = await readHeld(server);
    for (const project of large) await searchMuch(server, project);
    return await readHeld(server);
  });
  const { limitMb } = options;
  const limited = await serve(["--search-cache-mb", String(limitMb)], async (server) => {
    let most: Held = { countedMb: 0, residentMb: 0 };
    for (const project of large) {
      await searchMuch(server, project);
      const { countedMb, residentMb } = await readHeld(server);
      most = {
        countedMb: Math.max(most.countedMb, countedMb),
        residentMb: Math.max(most.residentMb, residentMb),
      };
    }
    return most;
  });
  const limitBytesMb = (limitMb * 1024 * 1024) / 1e6;
  const [countedMb, residentMb] = [all.countedMb - idle.countedMb, all.residentMb - idle.residentMb];
  const residentLimitedMb = limited.residentMb - idle.residentMb;
  if (countedMb <= limitBytesMb * 1.5) faults.push(`${countedMb} MB of indexes do not fill the limit`);
  if (residentMb > countedMb * shareMax + besideMb || residentMb < countedMb * shareMin)
    faults.push(`the indexes count as ${countedMb} MB, and resident memory grew by ${residentMb} MB`);
  if (limited.countedMb > limitBytesMb)
    faults.push(`the limit is ${limitBytesMb} MB, and the indexes count as ${limited.countedMb} MB`);
  if (residentLimitedMb > limitBytesMb * shareMax + besideMb)
    faults.push(`the limit is ${limitBytesMb} MB, and resident memory grew by ${residentLimitedMb} MB`);
  return { countedMb, residentMb, limitedMb: limited.countedMb, residentLimitedMb, faults };
}

const random = createRandom(17);
let asked = 0;

async function searchMuch({ url }: Server, { key }: ScaleProject): Promise<void> {
  const search = async () => {
    const response = await fetch(`${url}/v1/memories/search`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ query: scaleQuestion(random, asked++) }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`a search was answered with ${response.status}: ${text}`);
  };
  const client = async () => {
    for (let sent = 0; sent < searchesOfClient; sent++) await search();
  };
  await Promise.all(Array.from({ length: clients }, client));
}

async function readHeld({ metricsUrl, pid }: Server): Promise<Held> {
  await Bun.sleep(settleMs);
  const text = await (await fetch(String(metricsUrl))).text();
  const counted = Number(sampleValue(parseExposition(text), "memledger_search_index_bytes"));
  const resident = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  return { countedMb: counted / 1e6, residentMb: (resident * 1024) / 1e6 };
}
