// Owns what SIGHUP means for this process: whether it was ignored at the start, as with nohup (a listener would undo that), and whether the
// process has a terminal, whose end sends SIGHUP.

import { closeSync, constants, openSync, readFileSync } from "node:fs";

/** Reads signal 1 from the hexadecimal mask of ignored signals. Always false on systems without /proc. */
export function isHangupIgnored(status = "/proc/self/status"): boolean {
  try {
    const [, mask = "0"] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(status, "utf8")) ?? [];
    return (BigInt(`0x${mask}`) & 1n) === 1n;
  } catch {
    return false;
  }
}

/**
 * Whether the process has a controlling terminal now. A terminal that was closed is none. Always true on Windows, where SIGHUP says that
 * the console was closed.
 */
export function hasTerminal(path = "/dev/tty"): boolean {
  if (process.platform === "win32") return true;
  try {
    closeSync(openSync(path, constants.O_RDONLY | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}
