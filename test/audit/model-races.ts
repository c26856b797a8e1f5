// Calls at the same time, of which the model knows what they lead to together, in whatever order the server takes them.

import { type ModelKey, type ModelProject, statusOf } from "./model.ts";
import { equal, note, type Run } from "./model-call.ts";

const together = 6;

/** Reads of the same page: all answered alike, each with its record. */
export async function readTogether(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const path = "/v1/memories?page_size=1";
  const outcome = project.refuses(key, "memory.read", "memory", run.server.now()) ?? 1000;
  const replies = await Promise.all(
    Array.from({ length: together }, () => run.server.call(key.secret, "GET", path)),
  );
  const at = run.server.now();
  for (const { code, status, text } of replies) {
    equal(code, outcome, "reads at the same time");
    project.chain.append({ action: "memory.list", status, code, key: key.id, memory: null, at, text });
  }
  note(run, `reads at the same time ${outcome}`);
}

/** Creations of one memory: one wins, and its record comes before those of the others. */
export async function createTogether(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  // Beyond those that other calls use, so that they are never in its way.
  const content = 1_000 + Math.floor(run.random() * 20);
  const before = run.server.now();
  const refused = project.refuses(key, "memory.write", "memory", before);
  const isDuplicate = project.holderOf(content, before, null) !== null;
  const isFull = project.memories.size >= project.limit;
  const rule = isDuplicate ? 2104 : isFull ? 2101 : 1000;
  const body = { content: racedContent(content), memory_type: "fact", importance: 0.5 };
  const replies = await Promise.all(
    Array.from({ length: together }, () => run.server.call(key.secret, "POST", "/v1/memories", body)),
  );
  const at = run.server.now();
  const first = refused ?? rule;
  const others = first === 1000 ? 2104 : first;
  const ordered = replies.toSorted((a, b) => Number(a.code) - Number(b.code));
  const expected = [first, ...Array.from({ length: together - 1 }, () => others)];
  equal(
    ordered.map(({ code }) => code),
    expected,
    "creations at the same time",
  );
  note(run, `creations at the same time ${first}`);
  for (const { code, data, text } of ordered) {
    const isDone = code === 1000;
    const id = isDone ? String(data.id) : null;
    project.chain.append({
      action: "memory.create",
      status: isDone ? 201 : (statusOf[Number(code)] ?? 0),
      code,
      key: key.id,
      memory: id,
      at,
      text: JSON.stringify(body) + text,
    });
    if (id === null) continue;
    const serial = ++run.model.serial;
    const made = { id, content, type: "fact", importance: 0.5, expiresAt: null, tags: [], isActive: true };
    project.memories.set(id, { ...made, serial, revision: serial });
    project.claim(content, id);
  }
}

export function racedContent(content: number): string {
  return `Whoever comes first gets number ${content}.`;
}
