// Owns when indexes are written to cache files, and how a copy gets from the searcher to the thread that writes, in the main thread. Must
// never let searches or deletes wait: each step is short, and the next one begins after a pause.

import type { Clock } from "../../../platform/time/clock.ts";
import type { CacheWriter } from "./cache-writer.ts";
import type { CopyRequest, CopyStep, DueCopy } from "./copy-steps.ts";
import { copyBeginMs, copyBeginsMax, copyEndMs, writeEveryMs, writtenBytesPerMs } from "./limits.ts";

/** Null: the searcher was not started. Throws Refusal 1503 while it restarts. */
export type AskSearcher = <Answer>(request: CopyRequest) => Promise<Answer | null>;
type AskWriter = <Name extends keyof CacheWriter & string>(
  name: Name,
  ...values: Parameters<CacheWriter[Name]>
) => Promise<ReturnType<CacheWriter[Name]>>;

export interface IndexWriting {
  /** Writes the indexes that are due, one after the other. One that cannot be written does not prevent the next. @throws the first failure */
  writeDue(): Promise<void>;
  /** Writes what was changed, as far as there is time, at the end of the server. @throws as writeDue */
  finish(): Promise<void>;
}

export function createIndexWriting(
  searcher: AskSearcher,
  writer: AskWriter,
  clock: Pick<Clock, "elapsed" | "now" | "sleep">,
): IndexWriting {
  /** By project: when its index may be written again. */
  const notBefore = new Map<string, number>();

  /** Blocks that were written and do not count would only take space, for example on a full disk. */
  const abandon = async (project: string): Promise<void> => {
    await searcher({ published: null });
    await writer("abandon", project);
  };

  /**
   * @returns whether something was written, which may have been given up
   * @throws errors of the file system, and Refusal 1503 while a thread restarts
   */
  const write = async (project: string, isUrgent: boolean): Promise<boolean> => {
    try {
      const { isComplete, hasWritten } = await copy(project, isUrgent);
      if (!isComplete) await abandon(project);
      return hasWritten;
    } catch (error) {
      await abandon(project);
      throw error;
    }
  };

  /** Begins between two groups: an index that is searched all the time is in use most of the time. */
  const begin = async (project: string): Promise<CopyStep> => {
    for (let begins = 1; ; begins++) {
      const step = await searcher<CopyStep>({ begin: project });
      if (step === null || !("isInUse" in step) || begins === copyBeginsMax) return step;
      await clock.sleep(copyBeginMs);
    }
  };

  /** `isComplete`: the files have the index now. */
  const copy = async (
    project: string,
    isUrgent: boolean,
  ): Promise<{ readonly isComplete: boolean; readonly hasWritten: boolean }> => {
    let hasWritten = false;
    const incomplete = () => ({ isComplete: false, hasWritten });
    const begun = await begin(project);
    if (begun === null || !("draft" in begun)) return incomplete();
    const kept = await writer("begin", begun.draft);
    if (kept === null) return incomplete();
    for (let step = await searcher<CopyStep>({ kept }); step !== null; ) {
      if ("manifest" in step) {
        const { manifest, blocks, only } = step;
        const published = await writer("publish", project, manifest, blocks, only);
        await searcher({ published });
        const isComplete = published !== null;
        return { isComplete, hasWritten: hasWritten || isComplete };
      }
      if (!("image" in step)) break;
      const startedAt = clock.elapsed();
      const written = await writer("write", project, step.image);
      if (written === null) break;
      hasWritten = true;
      // Writing a block takes the disk from the commits of calls.
      if (!isUrgent) await clock.sleep(clock.elapsed() - startedAt);
      step = await searcher<CopyStep>({ written });
    }
    return incomplete();
  };

  /** A project that is searched all the time is never read or written, so nothing else would tell that it is used. */
  const markSearched = async (): Promise<void> => {
    for (const project of (await searcher<readonly string[]>({ searched: true })) ?? [])
      await writer("use", project, clock.now());
  };

  /** @param isWanted asked right before each index is written */
  const writeAll = async (isWanted: (due: DueCopy) => boolean, isUrgent: boolean): Promise<void> => {
    const failures: unknown[] = [];
    for (const each of (await searcher<readonly DueCopy[]>({ due: true })) ?? []) {
      if (!isWanted(each)) continue;
      const { project } = each;
      try {
        // What was given up before anything was written needs no pause.
        if (!(await write(project, isUrgent))) notBefore.delete(project);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };

  return {
    async writeDue() {
      await markSearched();
      await writeAll(({ project, bytes }) => {
        const now = clock.elapsed();
        if (now < (notBefore.get(project) ?? 0)) return false;
        // Also when it fails: what is wrong with the disk takes a while.
        notBefore.set(project, now + Math.max(writeEveryMs, bytes / writtenBytesPerMs));
        return true;
      }, false);
    },
    async finish() {
      const endsAt = clock.elapsed() + copyEndMs;
      await markSearched();
      await writeAll(() => clock.elapsed() <= endsAt, true);
    },
  };
}
