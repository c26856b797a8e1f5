// Reads what strace wrote about a program: one value per system call that names a file, a network address or a program.
// Must never judge, and never skip a line that it cannot read.

import { resolve } from "node:path";

export interface SystemCall {
  readonly name: string;
  /** As strace prints it, from the name on. */
  readonly text: string;
  /** Absolute paths of the files that it names; for an open file also where it really is. */
  readonly paths: readonly string[];
}

/** What reaches a network or another process, names a file, starts a process, or escapes this trace (io_uring). */
const traced =
  "%network,%file,fork,vfork,clone,clone3,execve,execveat,io_uring_setup,mq_open,open_by_handle_at,fchmod,fchown";

/**
 * Words before the command to trace. strace detaches itself, so that the process which is started is the command. Signals stay in
 * the trace, because strace does not finish it when a process dies by one that is left out.
 */
export function tracer(file: string): readonly string[] {
  return ["strace", "-D", "-f", "-y", "-s", "80", "-e", `trace=${traced}`, "-o", file];
}

/** Whether every process and thread in the trace has ended. */
export function isComplete(trace: string): boolean {
  const ended = new Set([...trace.matchAll(/^(\d+) +\+\+\+ (?:exited|killed)/gm)].map(([, id]) => id));
  if (ended.size === 0) return false;
  for (const [, id] of trace.matchAll(/^(\d+) /gm)) if (!ended.has(id)) return false;
  return true;
}

/**
 * @param folder the working directory of the program
 * @throws Error for a line of another form
 */
export function parseSystemCalls(trace: string, folder: string): SystemCall[] {
  const calls: SystemCall[] = [];
  /** Threads that were killed at the entry of a call, before strace could read which one: the kernel does not execute it. */
  const killed = new Set<string>();
  for (const line of trace.split("\n")) {
    if (line === "") continue;
    const [, id = "", rest] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (rest === undefined) throw new Error(`the trace has a line that cannot be read: ${line}`);
    // What a call was given stands where it begins; the end of one that was interrupted adds nothing.
    if (/^(\+\+\+|---|<\.\.\. )/.test(rest)) continue;
    if (rest.startsWith("???(")) {
      killed.add(id);
      continue;
    }
    const [, name] = /^(\w+)\(/.exec(rest) ?? [];
    if (name === undefined || killed.has(id))
      throw new Error(`the trace has a line that cannot be read: ${line}`);
    calls.push({ name, text: rest, paths: pathsOf(rest, folder) });
  }
  return calls;
}

/** A path with the folder that it starts from, where the call names one; and the file behind a descriptor that it returns. */
const named = /(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/g;
const opened = / = \d+<(\/[^>]*)>$/;

function pathsOf(text: string, folder: string): string[] {
  const paths = [...text.matchAll(named)].map(([, start, path = ""]) => resolve(start ?? folder, path));
  const [, real] = opened.exec(text) ?? [];
  return real === undefined ? paths : [...paths, real];
}
