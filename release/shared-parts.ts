// Owns the division of files into parts, so that bytes which two of them have in common are in the executable once. The parts of a file,
// one after the other, are always the file.

/** Shorter runs are not worth a part. */
const sharedMinBytes = 256 * 1024;
const sampleBytes = 4 * 1024;

/** The parts of each file. Common bytes are the same part, that is the same object, in several files. */
export function shareParts(files: readonly Uint8Array[]): Uint8Array[][] {
  const divided: Buffer[][] = [];
  for (const file of files.map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))) {
    const earlier = divided.flatMap((parts, at) => parts.map((part, index) => ({ at, index, part })));
    const run = earlier
      .map(({ at, index, part }) => ({ at, index, ...longestRun(part, file) }))
      .reduce((best, one) => (one.length > best.length ? one : best), nothingShared);
    if (run.length < sharedMinBytes) {
      divided.push([file]);
      continue;
    }
    const parts = divided[run.at] ?? [];
    const [part = file] = parts.slice(run.index, run.index + 1);
    const common = part.subarray(run.from, run.from + run.length);
    const around = [part.subarray(0, run.from), common, part.subarray(run.from + run.length)];
    parts.splice(run.index, 1, ...around.filter((each) => each.length > 0));
    const rest = [file.subarray(0, run.to), common, file.subarray(run.to + run.length)];
    divided.push(rest.filter((each) => each.length > 0));
  }
  return divided;
}

interface Run {
  /** Where it begins in the earlier part, and in the file. */
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

const nothingShared = { at: 0, index: 0, from: 0, to: 0, length: 0 };

/** The longest run that contains one of the samples of `part`, which are as far apart as the shortest run that counts is long. */
function longestRun(part: Buffer, file: Buffer): Run {
  let best: Run = nothingShared;
  for (let at = 0; at + sampleBytes <= part.length; at += sharedMinBytes - sampleBytes) {
    if (at < best.from + best.length) continue;
    const found = file.indexOf(part.subarray(at, at + sampleBytes));
    if (found < 0) continue;
    let before = 0;
    while (before < Math.min(at, found) && part[at - before - 1] === file[found - before - 1]) before += 1;
    let end = sampleBytes;
    while (at + end < part.length && found + end < file.length && part[at + end] === file[found + end])
      end += 1;
    const run = { from: at - before, to: found - before, length: before + end };
    if (run.length > best.length) best = run;
  }
  return best;
}
