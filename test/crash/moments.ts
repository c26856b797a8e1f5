// Chooses the moments at which the power fails: spread over all that a server does, and always right after an erasure.

import { Disk } from "./disk.ts";
import { momentOf } from "./erase.ts";
import type { Recording } from "./record.ts";
import type { TraceEvent } from "./trace.ts";

const phaseNames = ["start", "answer", "checkpoint", "names", "commit", "cache"] as const;
export type Phase = (typeof phaseNames)[number];

/** Spread over all that a server does, the rare things as often as the common ones. */
export function chooseMoments(
  recording: Recording,
  states: number,
  random: () => number,
): Map<number, Phase> {
  const byPhase: Record<Phase, number[]> = {
    start: [],
    answer: [],
    checkpoint: [],
    names: [],
    commit: [],
    cache: [],
  };
  const disk = openDisk(recording);
  let isReady = false;
  for (const [moment, event] of recording.events.entries()) {
    disk.apply(event);
    isReady ||= event.kind === "ready";
    const phase = phaseOf(event, disk, isReady);
    if (phase !== null) byPhase[phase].push(moment);
  }
  const chosen = new Map<number, Phase>();
  const erased = recording.erasure === null ? null : momentOf(recording.erasure, recording.events);
  if (erased !== null) chosen.set(erased, "answer");
  const left = phaseNames.map((phase) => ({ phase, moments: sample(byPhase[phase], states, random) }));
  while (chosen.size * 2 < states && left.some(({ moments }) => moments.length > 0)) {
    for (const { phase, moments } of left) {
      const moment = moments.pop();
      if (moment !== undefined) chosen.set(moment, phase);
    }
  }
  return chosen;
}

function phaseOf(event: TraceEvent, disk: Disk, isReady: boolean): Phase | null {
  const { kind } = event;
  if (isOfCache(event)) return "cache";
  if (kind === "answer" || kind === "ready") return "answer";
  if (kind === "create" || kind === "folder" || kind === "unlink" || kind === "rename" || kind === "link")
    return "names";
  if (disk.pendingOf(/\.db/) === 0) return null;
  if (!isReady) return "start";
  return disk.pendingOf(/\.db$/) > 0 ? "checkpoint" : "commit";
}

/** Whether a cache file of a search index is written, gets another name or is removed. */
function isOfCache(event: TraceEvent): boolean {
  const path = "path" in event ? event.path : event.kind === "rename" ? event.to : "";
  return path.includes("/cache/search/");
}

/** The disk before the first event. */
export function openDisk({ folder, directory, placed }: Recording): Disk {
  const disk = new Disk(folder);
  if (placed.size > 0) disk.placeFolder(directory.root);
  for (const [path, content] of placed) disk.place(path, content);
  return disk;
}

/** Different values, at random. */
export function sample<Value>(values: readonly Value[], count: number, random: () => number): Value[] {
  const rest = [...values];
  const chosen: Value[] = [];
  while (chosen.length < count && rest.length > 0) {
    chosen.push(...rest.splice(Math.floor(random() * rest.length), 1));
  }
  return chosen;
}
