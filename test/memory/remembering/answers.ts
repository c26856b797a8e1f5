// Puts answers in the queue as a server leaves them that is stopped before it remembers them: records of the gateway, and a task for each.
// Owns how tests look at what became of them.

import { openWriting } from "../../../src/engines/sqlite/database-file/connection.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { prepareRuntime } from "../../../src/platform/native/runtime.ts";
import { locate } from "../../../src/server/data-directory/data-directory.ts";
import type { RecordRow, TestApp } from "../../fixture.ts";

export interface Said {
  readonly user: string;
  readonly answer: string;
}

/** The members of a record of Chat Completions that are remembered. */
export function chatPayload({ user, answer }: Said): JsonObject {
  return {
    model_id: "some-model",
    request_body: { model: "some-model", messages: [{ role: "user", content: user }] },
    output_content: { text: answer, finish_reason: "stop" },
  };
}

/** Appends a record as a gateway does. @returns its id */
export async function appendExchange(app: TestApp, payload: JsonObject, key = app.apiKey): Promise<string> {
  const { status, data } = await app.call("POST", "/v1/audit/logs", {
    key,
    body: { action: "gateway.chat", http_status: 200, ...payload },
  });
  if (status !== 201) throw new Error(`the record was not appended: ${JSON.stringify(data)}`);
  return String(data.id);
}

/** To be called while no server runs. The key is that of the record. */
export function queueTasks(
  dataDir: string,
  records: readonly string[],
  {
    tags = null,
    attempts = 0,
  }: { readonly tags?: readonly string[] | null; readonly attempts?: number } = {},
): void {
  inDatabase(dataDir, (database) => {
    const insert = database.prepare(
      `INSERT INTO remember_task (record, project, key, tags, part, attempts, created_at)
       SELECT e.id, c.project, e.key, ?, 0, ?, e.at
       FROM audit_entry e JOIN audit_chain c ON c.number = e.chain WHERE e.id = ?`,
    );
    const text = tags === null ? null : JSON.stringify(tags);
    for (const record of records) {
      if (insert.run(text, attempts, record).changes !== 1) throw new Error("there is no such record");
    }
  });
}

/** To be called while no server runs. Records of the tasks that wait. */
export function waitingIn(dataDir: string): string[] {
  return inDatabase(dataDir, (database) =>
    database.prepare<[], string>("SELECT record FROM remember_task ORDER BY record").pluck().all(),
  );
}

function inDatabase<Result>(
  dataDir: string,
  work: (database: ReturnType<typeof openWriting>) => Result,
): Result {
  const { database: path, runtime } = locate(dataDir);
  const database = openWriting({ path, runtime: prepareRuntime(runtime) });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** The records of extractions for answers, oldest first. */
export function extractionsOf(app: TestApp, projectId = app.projectId): RecordRow[] {
  return app.records(projectId).filter(({ payload }) => isObject(payload.remembers));
}

/** Waits until there are as many extractions for answers. */
export async function extracted(
  app: TestApp,
  count: number,
  projectId = app.projectId,
): Promise<RecordRow[]> {
  for (;;) {
    const found = extractionsOf(app, projectId);
    if (found.length >= count) return found;
    await Bun.sleep(5);
  }
}

/** What all memories of the project say, sorted. */
export async function contentsOf(app: TestApp, key = app.apiKey): Promise<string[]> {
  const { data } = await app.call("GET", "/v1/memories?page_size=100", { key });
  const items = Array.isArray(data.memories) ? data.memories.filter(isObject) : [];
  return items.map(({ content }) => String(content)).toSorted();
}
