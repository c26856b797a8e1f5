// The forgetful disk keeps what was synced, whatever happens, and may lose or tear anything else.

import { expect, test } from "bun:test";
import { Disk } from "./disk.ts";
import { createRandom } from "./load.ts";
import { type CrashOutcome, outcomes } from "./survival.ts";
import type { TraceEvent } from "./trace.ts";

const write = (path: string, offset: number, text: string): TraceEvent => ({
  kind: "write",
  path,
  offset,
  bytes: Buffer.from(text),
});
const sync = (path: string): TraceEvent[] => [
  { kind: "syncStart", path, thread: "1" },
  { kind: "syncEnd", path, thread: "1" },
];

/** All contents that the file can have after a power loss; null: it is gone. */
function survivals(events: readonly TraceEvent[], path: string, among: readonly CrashOutcome[] = outcomes) {
  const disk = new Disk("/d");
  for (const event of events) disk.apply(event);
  const random = createRandom(1);
  const found = new Set<string | null>();
  for (const outcome of among) {
    for (let attempt = 0; attempt < 100; attempt++) {
      found.add(disk.crash(outcome, random).get(path)?.toString() ?? null);
    }
  }
  return found;
}

const created: TraceEvent = { kind: "create", path: "/d/f" };

test("what was synced survives, name and content", () => {
  expect(survivals([created, write("/d/f", 0, "one"), ...sync("/d/f"), ...sync("/d")], "/d/f")).toEqual(
    new Set(["one"]),
  );
});

test("a name that its folder was not synced for may be gone, although the content was synced", () => {
  expect(survivals([created, write("/d/f", 0, "one"), ...sync("/d/f")], "/d/f")).toEqual(
    new Set(["one", null]),
  );
});

test("a write after the start of a sync is not part of it", () => {
  const events = [created, ...sync("/d"), ...sync("/d/f")];
  events.splice(-1, 0, write("/d/f", 0, "late"));
  expect(survivals(events, "/d/f")).toEqual(new Set(["", "late"]));
});

test("sectors of one write are torn, sectors themselves are not", () => {
  const text = `${"a".repeat(512)}${"b".repeat(512)}`;
  const found = survivals([created, ...sync("/d"), write("/d/f", 0, text)], "/d/f");
  expect(found).toEqual(new Set(["", "a".repeat(512), `${"\0".repeat(512)}${"b".repeat(512)}`, text]));
});

test("a file can be replaced by renaming without a moment in which there is none", () => {
  const events: TraceEvent[] = [
    ...[created, write("/d/f", 0, "old"), ...sync("/d/f"), ...sync("/d")],
    ...[{ kind: "create", path: "/d/g" } as const, write("/d/g", 0, "new"), ...sync("/d/g")],
    { kind: "rename", from: "/d/g", to: "/d/f" },
  ];
  expect(survivals(events, "/d/f")).toEqual(new Set(["old", "new"]));
});

test("a second name and the removal of the first one never leave a file without a name once the folder was synced before", () => {
  const events: TraceEvent[] = [
    ...[created, write("/d/f", 0, "one"), ...sync("/d/f"), ...sync("/d")],
    { kind: "link", from: "/d/f", to: "/d/g" },
    ...sync("/d"),
    { kind: "unlink", path: "/d/f" },
  ];
  expect(survivals(events, "/d/g")).toEqual(new Set(["one"]));
  expect(survivals(events, "/d/f")).toEqual(new Set(["one", null]));
});
