// A disk that forgets: what was written but not synced survives a power loss in any part, sector by sector. Knows files and
// folders only, never what is in them.

import { dirname } from "node:path";
import { applyAll, type Change, type CrashOutcome, type File, sizeOf, survive } from "./survival.ts";
import type { TraceEvent } from "./trace.ts";

type Node = File | "folder";

interface NameChange {
  readonly stamp: number;
  readonly removed: readonly string[];
  readonly added: readonly (readonly [path: string, node: Node])[];
}

export class Disk {
  readonly #names = new Map<string, Node>();
  readonly #durableNames = new Map<string, Node>();
  #pendingNames: NameChange[] = [];
  readonly #syncs = new Map<string, number>();
  #stamp = 0;

  constructor(folder: string) {
    this.placeFolder(folder);
  }

  placeFolder(path: string): void {
    this.#names.set(path, "folder");
    this.#durableNames.set(path, "folder");
  }

  /** Puts a file there, safely written long ago. */
  place(path: string, content: Buffer): void {
    const file: File = { durable: content, pending: [] };
    this.#names.set(path, file);
    this.#durableNames.set(path, file);
  }

  apply(event: TraceEvent): void {
    const stamp = ++this.#stamp;
    switch (event.kind) {
      case "write": {
        const file = this.#file(event.path);
        const offset = Number.isFinite(event.offset) ? event.offset : sizeOf(file);
        file?.pending.push({ stamp, offset, bytes: event.bytes });
        return;
      }
      case "truncate":
        this.#file(event.path)?.pending.push({ stamp, size: event.size });
        return;
      case "create":
      case "folder": {
        if (this.#names.has(event.path)) return;
        const node: Node = event.kind === "folder" ? "folder" : { durable: Buffer.alloc(0), pending: [] };
        this.#rename({ stamp, removed: [], added: [[event.path, node]] });
        return;
      }
      case "unlink":
        this.#rename({ stamp, removed: [event.path], added: [] });
        return;
      case "rename": {
        const node = this.#names.get(event.from);
        if (node === undefined) throw new Error(`${event.from} is renamed but was never made`);
        this.#rename({ stamp, removed: [event.from], added: [[event.to, node]] });
        return;
      }
      case "link": {
        const node = this.#names.get(event.from);
        if (node === undefined) throw new Error(`${event.from} gets a second name but was never made`);
        this.#rename({ stamp, removed: [], added: [[event.to, node]] });
        return;
      }
      case "syncStart":
        this.#syncs.set(event.thread, stamp);
        return;
      case "syncEnd":
        this.#sync(event.path, this.#syncs.get(event.thread) ?? 0);
        return;
      default:
        return;
    }
  }

  /** How much a power loss could take or keep now. */
  pendingOf(pattern: RegExp): number {
    let count = 0;
    for (const [path, node] of this.#names) {
      if (node !== "folder" && pattern.test(path)) count += node.pending.length;
    }
    return count;
  }

  get pendingNames(): number {
    return this.#pendingNames.length;
  }

  /** The files after a power loss now, by path. */
  crash(outcome: CrashOutcome, random: () => number): Map<string, Buffer> {
    const names = new Map(this.#durableNames);
    const keepsAll = outcome === "all un-synced writes are kept" || outcome === "one write is lost";
    for (const { removed, added } of this.#pendingNames) {
      if (!keepsAll && (outcome === "all un-synced writes are lost" || random() < 0.5)) continue;
      for (const path of removed) names.delete(path);
      for (const [path, node] of added) names.set(path, node);
    }
    const files = new Map<string, Buffer>();
    for (const [path, node] of names) {
      if (node !== "folder" && names.get(dirname(path)) === "folder")
        files.set(path, survive(node, outcome, random));
    }
    return files;
  }

  #file(path: string): File | undefined {
    const node = this.#names.get(path);
    return node === "folder" ? undefined : node;
  }

  #rename(change: NameChange): void {
    for (const path of change.removed) this.#names.delete(path);
    for (const [path, node] of change.added) this.#names.set(path, node);
    this.#pendingNames.push(change);
  }

  #sync(path: string, started: number): void {
    const node = this.#names.get(path);
    if (node === undefined) return;
    if (node === "folder") {
      const inFolder = ({ removed, added }: NameChange) =>
        [...removed, ...added.map(([name]) => name)].every((name) => dirname(name) === path);
      const isDone = (change: NameChange) => change.stamp < started && inFolder(change);
      for (const { removed, added } of this.#pendingNames.filter(isDone)) {
        for (const name of removed) this.#durableNames.delete(name);
        for (const [name, added_] of added) this.#durableNames.set(name, added_);
      }
      this.#pendingNames = this.#pendingNames.filter((change) => !isDone(change));
      return;
    }
    const isDone = ({ stamp }: Change) => stamp < started;
    node.durable = applyAll(node.durable, node.pending.filter(isDone), () => Number.POSITIVE_INFINITY);
    node.pending = node.pending.filter((change) => !isDone(change));
  }
}
