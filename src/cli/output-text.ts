// Owns text that a command writes piece by piece: to a file, which appears complete or not at all and only its owner can read, or to
// standard output.

import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { explainSystemError } from "../platform/files/system-error.ts";
import { checkTargets, type OutputRules, publishFile } from "./output-files.ts";
import { writeStandardOutput } from "./terminal.ts";

export interface TextOutput {
  /** @throws Error that says what to do when it cannot be written */
  write(text: string): Promise<void>;
  finish(): Promise<void>;
  /** Removes what was written, as far as that is possible. */
  discard(): void;
}

interface FileOutput extends TextOutput {
  write(content: string | Uint8Array): Promise<void>;
}

/** @param target absolute. @throws Error that says what to do when the target must not be written */
export function createOutputFile(target: string, rules: OutputRules): FileOutput {
  mkdirSync(dirname(target), { recursive: true });
  checkTargets([target], rules);
  const partial = join(dirname(target), `.${basename(target)}.${process.pid}.part`);
  const explained = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      const found = explainSystemError(error);
      if (found === null) throw error;
      throw new Error(
        `${target} cannot be written: ${found.cause}. ${found.remedy} Nothing was left behind.`,
        {
          cause: error,
        },
      );
    }
  };
  const file = explained(() => openSync(partial, "wx", 0o600));
  let isOpen = true;
  const close = () => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  return {
    async write(content) {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      explained(() => {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      });
    },
    async finish() {
      explained(() => {
        fsyncSync(file);
        close();
        publishFile(partial, target, rules.mayReplace);
      });
    },
    discard() {
      close();
      rmSync(partial, { force: true });
    },
  };
}

export function standardOutput(): TextOutput {
  return {
    write: writeStandardOutput,
    async finish() {},
    discard() {},
  };
}
