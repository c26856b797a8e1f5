// Tests the files that the executable has for browsers, as the release makes them: their sizes, and that two builds are the same.

export {}; // Tests the files that the executable has for browsers, as the release makes them: their sizes, and that two builds are the same.

/** Compressed with gzip: the script that every view needs first, so that it opens quickly, and all scripts together. */
const _mainMaxBytes = 25_000;
const _scriptsMaxBytes = 96 * 1_024;
