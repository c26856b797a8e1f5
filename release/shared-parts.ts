// Owns the division of files into parts, so that bytes which two of them have in common are in the executable once. The parts of a file,
// one after the other, are always the file.

/** Shorter runs are not worth a part. */
const sharedMinBytes = 256 * 1024;
const sampleBytes = 4 * 1024;

/** The parts of each file. Common bytes are the same part, that is the same object, in several files. */
export function shareParts(files: readonly Uint8Array[]): Uint8Array[][] {
  let divided: Buffer[][] = [];
  for (const file of files.map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))) {
    const run = [...new Set(divided.flat())]
      .map((part) => ({ part, ...longestRun(part, file) }))
      .reduce((best, one) => (one.length > best.length ? one : best), { part: file, ...nothingShared });
    if (run.length < sharedMinBytes) {
      divided.push([file]);
      continue;
    }
    const { part, from, to, length } = run;
    const common = length === part.length ? part : part.subarray(from, from + length);
    const divide = (whole: Buffer, start: number) =>
      [whole.subarray(0, start), common, whole.subarray(start + length)].filter((each) => each.length > 0);
    const ofPart = length === part.length ? [part] : divide(part, from);
    divided = divided.map((parts) => parts.flatMap((each) => (each === part ? ofPart : [each])));
    divided.push(divide(file, to));
  }
  return divided;
}

interface Run {
  /** Where it begins in the earlier part, and in the file. */
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

const nothingShared: Run = { from: 0, to: 0, length: 0 };

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
