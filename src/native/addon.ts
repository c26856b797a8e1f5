// Loads a native addon from a real path. Must never search for it.

import { dlopen } from "bun:ffi";

/** Loads the `.node` file at `path` into this thread. Throws an Error that says what to do. */
export function loadAddon(path: string): unknown {
  const module: { exports: unknown } = { exports: {} };
  try {
    process.dlopen(module, path);
  } catch (error) {
    throw explainLoadFailure(path, error);
  }
  return module.exports;
}

/** By what the dynamic linker of the system says. */
const causes: readonly (readonly [said: RegExp, cause: string, remedy: string])[] = [
  [
    /failed to map segment|operation not permitted|permission denied/i,
    "its file system does not allow programs (it is mounted noexec), or a security policy forbids it",
    "Mount it without noexec, or choose a data directory elsewhere with --data-dir.",
  ],
  [
    /GLIBC|libstdc\+\+|libgcc|cannot open shared object/i,
    "the system lacks a library that it needs: glibc 2.28 or newer, or libstdc++",
    "Install it with the package manager of the system (Debian: libstdc++6). Alpine Linux (musl) is not supported.",
  ],
  [
    /ELF|mach-o|architecture|not a valid Win32/i,
    "it is damaged, or made for another kind of processor",
    "Download the executable for this platform again.",
  ],
];

/** For better-sqlite3 Bun replaces what the linker says by advice of its own. */
function askLinker(path: string): string | null {
  try {
    dlopen(path, { noSuchSymbol: { args: [], returns: "void" } }).close();
    return null;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return /^Failed to open library/.test(said) ? said : null;
  }
}

/** @returns an Error that says why the library cannot be loaded and what to do. */
export function explainLoadFailure(path: string, error: unknown): Error {
  const said = askLinker(path) ?? (error instanceof Error ? error.message : String(error));
  const [, cause, remedy] = causes.find(([pattern]) => pattern.test(said)) ?? [
    null,
    said,
    "Download it again.",
  ];
  return new Error(`The native library ${path} cannot be loaded: ${cause}. ${remedy}`, { cause: error });
}
