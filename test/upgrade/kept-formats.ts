// Knows the data directories of previous formats that are kept in test/engines/sqlite/: which program made them, and what is in them.
// Each one was made by the program of its time, with the real model: a fact, a rule, a context, and a fact that was deleted.

import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isObject, type Json } from "../../src/platform/json/json.ts";

export interface KeptFormat {
  readonly format: number;
  readonly folder: string;
  readonly secret: string;
  readonly fact: string;
  readonly rule: string;
  readonly context: string;
  readonly gone: string;
}

const folder = resolve(import.meta.dir, "../engines/sqlite/formats");

export const keptFormats: readonly KeptFormat[] = readdirSync(folder)
  .toSorted()
  .map((name) => {
    const json: Json = JSON.parse(readFileSync(join(folder, name, "contents.json"), "utf8"));
    const contents = isObject(json) ? json : {};
    const text = (field: string) => String(contents[field]);
    return {
      format: Number(name.replace("format-", "")),
      folder: join(folder, name),
      secret: text("secret"),
      fact: text("fact"),
      rule: text("rule"),
      context: text("context"),
      gone: text("gone"),
    };
  });

/** What it was when its server had stopped. */
export function copyKept({ folder: from }: KeptFormat, dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  for (const name of ["memledger.db", "audit.key", "audit.pub", "checkpoints"])
    cpSync(join(from, name), join(dataDir, name), { recursive: true });
  for (const name of ["memledger.db", "audit.key"]) chmodSync(join(dataDir, name), 0o600);
}

/** The signed notes that an auditor of that time has kept elsewhere. */
export function notesOf({ folder: from }: KeptFormat): string[] {
  return readdirSync(join(from, "checkpoints")).map((name) => join(from, "checkpoints", name));
}

/** Asks a server of today for everything. @returns one sentence for each thing that is not as it was */
export async function findMissing(url: string, kept: KeptFormat): Promise<string[]> {
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${kept.secret}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const envelope: Json = JSON.parse((await response.text()) || "{}");
    return isObject(envelope) ? envelope : {};
  };
  const faults: string[] = [];
  const expect = (what: string, found: unknown, wanted: unknown) => {
    if (!Bun.deepEquals(found, wanted)) faults.push(`${what}: ${JSON.stringify(found)}`);
  };
  const memoryIds = (list: Json | undefined) =>
    (Array.isArray(list) ? list : []).map((each) => (isObject(each) ? each.id : null)).toSorted();
  const { data: all } = await ask("GET", "/v1/memories");
  expect(
    "the memories are others",
    memoryIds(isObject(all) ? all.memories : []),
    [kept.fact, kept.rule, kept.context].toSorted(),
  );
  expect("a deleted memory is found", (await ask("GET", `/v1/memories/${kept.gone}`)).code, 2100);
  for (const mode of ["semantic", "hybrid"]) {
    const { data } = await ask("POST", "/v1/memories/search", {
      query: "Which day do releases go out?",
      mode,
      top_k: 1,
    });
    const results = isObject(data) && Array.isArray(data.results) ? data.results : [];
    const [first] = results;
    const memory = isObject(first) && isObject(first.memory) ? first.memory.id : null;
    expect(`the ${mode} search has another result`, memory, kept.fact);
  }
  const same = await ask("POST", "/v1/memories", {
    ...{ content: "Releases go out on Thursdays.", memory_type: "fact" },
  });
  expect("a content can be stored twice", same.code, 2104);
  const { data: records } = await ask("GET", "/v1/audit/logs?page_size=100");
  const actions = (isObject(records) && Array.isArray(records.logs) ? records.logs : []).map((record) =>
    isObject(record) ? record.action : null,
  );
  const created = actions.filter((action) => action === "memory.create").length;
  if (created < 4) faults.push(`records are lost: ${JSON.stringify(actions)}`);
  return faults;
}
