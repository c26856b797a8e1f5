// Owns the names of scheduled backups in their folder, and which of them are removed. The name contains the installation, because several
// may share a folder. Must never remove a file with another name.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { syncFolder } from "../../../platform/files/durable.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";

export interface ScheduledFile {
  readonly path: string;
  /** When it was begun, milliseconds since 1970. */
  readonly atMs: number;
}

/** @param installation id of the chain of the installation; its last characters are random */
export function scheduledPath(folder: string, installation: string, atMs: number): string {
  const time = toTimestamp(atMs).replaceAll(":", "-").replace(".", "-");
  return join(folder, `memledger-${markOf(installation)}-${time}.tar.zst`);
}

/**
 * The scheduled backups of this installation, newest first. A time after `now` is of a clock that was corrected since: such files are the
 * last ones, whatever their time, so that they are removed first and never seem to be the newest.
 * @param now milliseconds since 1970
 * @throws errors of the file system
 */
export function listScheduled(folder: string, installation: string, now: number): readonly ScheduledFile[] {
  const files = readdirSync(folder)
    .flatMap((name) => {
      const [, mark, day, hours, minutes, seconds, ms] = form.exec(name) ?? [];
      if (mark !== markOf(installation)) return [];
      const atMs = Date.parse(`${day}T${hours}:${minutes}:${seconds}.${ms}Z`);
      return Number.isFinite(atMs) ? [{ path: join(folder, name), atMs }] : [];
    })
    .toSorted((one, other) => other.atMs - one.atMs);
  const isPast = ({ atMs }: ScheduledFile) => atMs <= now;
  return [...files.filter(isPast), ...files.filter((file) => !isPast(file))];
}

/** Removes the oldest ones. @param keep null: all are kept. @returns the paths of the removed files */
export function removeOldest(
  folder: string,
  installation: string,
  keep: number | null,
  now: number,
): readonly string[] {
  const excess = keep === null ? [] : listScheduled(folder, installation, now).slice(keep);
  for (const { path } of excess) rmSync(path, { force: true });
  if (excess.length > 0) syncFolder(folder);
  return excess.map(({ path }) => path);
}

const form = /^memledger-([0-9a-f]{12})-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})-(\d{3})Z\.tar\.zst$/;

function markOf(installation: string): string {
  return installation.slice(-12);
}
