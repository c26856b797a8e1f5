// Owns the question whether this process was started so that it ignores SIGHUP, as nohup does. A listener would undo that.

import { readFileSync } from "node:fs";

/** Signal 1 in the mask of ignored signals, a hexadecimal number. Systems without /proc do not tell: false. */
export function isHangupIgnored(status = "/proc/self/status"): boolean {
  try {
    const [, mask = "0"] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(status, "utf8")) ?? [];
    return (BigInt(`0x${mask}`) & 1n) === 1n;
  } catch {
    return false;
  }
}
