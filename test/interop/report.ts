// Owns what `bun run interop` prints and how it ends: claims that hold, claims that do not, and what was skipped and why.
// Must never turn a failure into a skip.

export interface Report {
  /** One claim about the product; `details` are printed when it does not hold. */
  claim(text: string, holds: boolean, details?: string): void;
  /** What could not be tried at all, by name, with the reason. */
  skip(name: string, reason: string): void;
  /** Prints the sum. @returns the exit code of the process */
  end(): number;
}

export function createReport(): Report {
  let [passed, failed, skipped] = [0, 0, 0];
  const print = (line: string) => process.stdout.write(`${line}\n`);
  return {
    claim(text, holds, details = "") {
      if (holds) passed++;
      else failed++;
      print(holds ? `ok: ${text}` : `FAILED: ${text}\n${details}`);
    },
    skip(name, reason) {
      skipped++;
      print(`skipped: ${name}: ${reason}`);
    },
    end() {
      print(`${passed} passed, ${failed} failed, ${skipped} skipped`);
      return failed === 0 ? 0 : 1;
    },
  };
}
