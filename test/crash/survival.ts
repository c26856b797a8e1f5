// Owns what is left of one file after a power loss: which of the writes that were not synced survive, and in which parts.

/** What the power loss does to the writes that were not synced. */
export const outcomes = [
  "all un-synced writes are lost",
  "all un-synced writes are kept",
  "the first ones are kept",
  "pages are kept at random",
  "sectors are kept at random",
  "one write is lost",
] as const;
export type CrashOutcome = (typeof outcomes)[number];

export type Change =
  | { readonly stamp: number; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly stamp: number; readonly size: number };

export interface File {
  durable: Buffer;
  pending: Change[];
}

const pageBytes = 4096;
const sectorBytes = 512;

export function sizeOf(file: File | undefined): number {
  if (file === undefined) return 0;
  return file.pending.reduce(
    (size, change) => ("size" in change ? change.size : Math.max(size, change.offset + change.bytes.length)),
    file.durable.length,
  );
}

/** A sector survives as it was after some of the writes to it: caches write whole sectors, never single writes. */
export function survive(file: File, outcome: CrashOutcome, random: () => number): Buffer {
  const { durable, pending } = file;
  const all = pending.length;
  const perSector = (bytes: number) => {
    const cuts = new Map<number, number>();
    return (position: number) => {
      const sector = Math.floor(position / bytes);
      const chance = random();
      const cut = cuts.get(sector) ?? (chance < 0.4 ? 0 : chance < 0.8 ? all : Math.floor(random() * all));
      cuts.set(sector, cut);
      return cut;
    };
  };
  switch (outcome) {
    case "all un-synced writes are lost":
      return applyAll(durable, pending, () => 0);
    case "all un-synced writes are kept":
      return applyAll(durable, pending, () => all);
    case "the first ones are kept": {
      const cut = Math.floor(random() * (all + 1));
      return applyAll(durable, pending, () => cut);
    }
    case "pages are kept at random":
      return applyAll(durable, pending, perSector(pageBytes));
    case "sectors are kept at random":
      return applyAll(durable, pending, perSector(sectorBytes));
    case "one write is lost": {
      const lost = pending[Math.floor(random() * all)];
      if (lost === undefined || "size" in lost) return applyAll(durable, pending, () => all);
      const first = Math.floor(lost.offset / sectorBytes);
      const last = Math.floor((lost.offset + lost.bytes.length - 1) / sectorBytes);
      return applyAll(durable, pending, (position) => {
        const sector = Math.floor(position / sectorBytes);
        return sector >= first && sector <= last ? 0 : all;
      });
    }
  }
}

/** @param keptAt how many of the changes, from the first, the sector at this position has seen. */
export function applyAll(
  durable: Buffer,
  changes: readonly Change[],
  keptAt: (position: number) => number,
): Buffer {
  const reach = changes.map((change) =>
    "size" in change ? change.size : change.offset + change.bytes.length,
  );
  const content = Buffer.alloc(Math.max(durable.length, ...reach));
  durable.copy(content);
  let size = durable.length;
  for (const [index, change] of changes.entries()) {
    if ("size" in change) {
      if (keptAt(0) <= index) continue;
      content.fill(0, change.size);
      size = change.size;
      continue;
    }
    const end = change.offset + change.bytes.length;
    for (let from = change.offset; from < end; ) {
      const to = Math.min(end, (Math.floor(from / sectorBytes) + 1) * sectorBytes);
      if (keptAt(from) > index) {
        content.set(change.bytes.subarray(from - change.offset, to - change.offset), from);
        size = Math.max(size, to);
      }
      from = to;
    }
  }
  return content.subarray(0, size);
}
