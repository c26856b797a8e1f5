// Owns the check whether SIGHUP was ignored when this process started, as with nohup. A listener for SIGHUP would undo that.

import { readFileSync } from "node:fs";

/** Reads signal 1 from the hexadecimal mask of ignored signals. Always false on systems without /proc. */
export function isHangupIgnored(status = "/proc/self/status"): boolean {
  try {
    const [, mask = "0"] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(status, "utf8")) ?? [];
    return (BigInt(`0x${mask}`) & 1n) === 1n;
  } catch {
    return false;
  }
}
