// Fills a data directory with many memories in seconds: through `Store.commit` with their audit records, but with
// random unit vectors instead of embedded texts. Must run while no server uses the directory.

import type { Call } from "../src/calls/call.ts";
import { loadConfig } from "../src/config/config.ts";
import { lockDirectory } from "../src/data-directory/directory-lock.ts";
import { openLedger } from "../src/data-directory/ledger.ts";
import { readModelConfig } from "../src/embedding/model.ts";
import { defaultModel } from "../src/embedding/model-directory.ts";
import { createLogger } from "../src/log/logger.ts";
import { contentKey } from "../src/memory/memory.ts";
import type { Store } from "../src/storage/store.ts";
import { createProject, progress } from "./harness.ts";
import { createRandom, sentence } from "./texts.ts";

export interface FilledProject {
  readonly key: string;
  /** Of all its memories. */
  readonly ids: readonly string[];
}

/** Calls on their way to the writer at a time. */
const window = 512;

/**
 * Makes one project per number, with that many facts of random importance. The model must be the executable's. `tagsOf` gives the tags of
 * a memory by its number in its project.
 */
export async function fill(
  executable: string,
  dataDir: string,
  sizes: readonly number[],
  tagsOf: (number: number) => readonly string[] = () => [],
): Promise<readonly FilledProject[]> {
  const projects = [];
  for (const size of sizes) {
    const project = await createProject(executable, dataDir, `memories ${size} ${projects.length}`);
    projects.push({ ...project, size });
  }
  const model = defaultModel();
  const { dimensions } = readModelConfig(model);
  const { config } = loadConfig({ flags: { "data-dir": dataDir } });
  const locked = await lockDirectory(dataDir);
  const { files: ledger } = await openLedger(locked, config.auditKey);
  const store = await locked.engine.open({
    model: { id: model.id, sha256: model.sha256, dimensions },
    plans: config.plans,
    ledger,
    payloadRetentionDays: null,
    installationRetentionDays: null,
    searchCacheBytes: 0,
    groupCommit: true,
    clockShift: null,
    logger: createLogger("error"),
    logLevel: "error",
  });
  try {
    const filled: FilledProject[] = [];
    for (const { keyId, key, size } of projects) {
      progress(`filling a project with ${size} memories`);
      filled.push({ key, ids: await create(store, keyId, size, dimensions, tagsOf) });
    }
    return filled;
  } finally {
    await store.close();
    locked.release();
  }
}

async function create(
  store: Store,
  keyId: string,
  size: number,
  dimensions: number,
  tagsOf: (number: number) => readonly string[],
): Promise<string[]> {
  const random = createRandom(size);
  const ids: string[] = [];
  for (let from = 0; from < size; from += window) {
    const count = Math.min(window, size - from);
    const calls = Array.from({ length: count }, (_, at) =>
      store.commit(
        creation(
          keyId,
          { content: sentence(random, from + at), importance: random(), tags: tagsOf(from + at) },
          unitVector(random, dimensions),
        ),
      ),
    );
    for (const { status, message, data } of await Promise.all(calls)) {
      if (status !== 201 || data === null) throw new Error(`Filling failed: ${message}`);
      ids.push((JSON.parse(data) as { id: string }).id);
    }
  }
  return ids;
}

interface Made {
  readonly content: string;
  readonly importance: number;
  readonly tags: readonly string[];
}

function creation(keyId: string, { content, importance, tags }: Made, vector: Float32Array): Call {
  const body = { content, memory_type: "fact", importance, ...(tags.length === 0 ? null : { tags }) };
  return {
    operation: "memory.create",
    keyId,
    origin: { transport: "http", ip: null, userAgent: null, client: null, metadata: null },
    arrivedAt: performance.timeOrigin + performance.now(),
    bodyText: JSON.stringify(body),
    memoryId: null,
    parameters: null,
    unreadableBody: null,
    decision: { refused: null, parameters: {}, prepared: { vector, contentKey: contentKey(content) } },
  };
}

/** Sums of uniform numbers are close enough to normal ones for a direction that prefers no axis. */
function unitVector(random: () => number, dimensions: number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => random() + random() + random() - 1.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
