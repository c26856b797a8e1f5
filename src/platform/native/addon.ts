// Loads a native addon from an absolute path. Must never search for the file.

import { dlopen } from "bun:ffi";

/** Loads the `.node` file at `path` into this thread. @throws Error that says what to do */
export function loadAddon(path: string): unknown {
  const module: { exports: unknown } = { exports: {} };
  try {
    process.dlopen(module, path);
  } catch (error) {
    throw explainLoadFailure(path, error);
  }
  return module.exports;
}

/** By the error message of the dynamic linker. */
const causes: readonly (readonly [pattern: RegExp, cause: string, remedy: string])[] = [
  [
    /failed to map segment|operation not permitted|permission denied/i,
    "its file system is mounted noexec, or a security policy forbids it",
    "Mount it without noexec, or choose another data directory with --data-dir.",
  ],
  [
    /GLIBC|libstdc\+\+|libgcc|cannot open shared object/i,
    "a system library is missing or too old: it needs glibc 2.34 or newer, and libstdc++ of GCC 11 or newer",
    "Install it with the package manager of the system (Debian: libstdc++6). Alpine Linux (musl) is not supported.",
  ],
  [
    /ELF|mach-o|architecture|not a valid Win32/i,
    "it is damaged, or built for another processor architecture",
    "Download the executable for this platform again.",
  ],
];

/** The message of the linker. Bun replaces it with its own text for better-sqlite3. */
function linkerMessage(path: string): string | null {
  try {
    dlopen(path, { noSuchSymbol: { args: [], returns: "void" } }).close();
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return /^Failed to open library/.test(message) ? message : null;
  }
}

/** @returns an Error that says why the library cannot be loaded and what to do */
export function explainLoadFailure(path: string, error: unknown): Error {
  const message = linkerMessage(path) ?? (error instanceof Error ? error.message : String(error));
  const [, cause, remedy] = causes.find(([pattern]) => pattern.test(message)) ?? [
    null,
    message,
    "Download the executable again.",
  ];
  return new Error(`The native library ${path} cannot be loaded: ${cause}. ${remedy}`, { cause: error });
}
