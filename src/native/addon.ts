// Loads a native addon from a real path. Must never search for it.

/** Loads the `.node` file at `path` into this thread. Throws an Error that says how to mend the usual failures. */
export function loadAddon(path: string): unknown {
  const module: { exports: unknown } = { exports: {} };
  try {
    process.dlopen(module, path);
  } catch (cause) {
    const hint =
      "its folder must allow executable files (not mounted noexec), and the system needs glibc and libstdc++";
    throw new Error(`Cannot load the native library ${path}: ${hint}.`, { cause });
  }
  return module.exports;
}
