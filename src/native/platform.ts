// Knows where each native library lies in node_modules, per platform; running from source and build.ts share it.
// Must never load a library.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** In the words of Node and of the packages. */
export type Platform = Readonly<{ os: "linux" | "darwin" | "win32"; cpu: "x64" | "arm64" }>;

/** `name` is how the system's loader must find the library; `file` is relative to the folder of the resolvable `anchor`. */
export type NativeLibrary = Readonly<{ name: string; anchor: string; file: string }>;

export type NativeLibraries = Readonly<{
  sqliteAddon: NativeLibrary;
  vecExtension: NativeLibrary;
  onnxAddon: NativeLibrary;
  onnxLibrary: NativeLibrary;
}>;

const perOs = {
  linux: { vecPackage: "linux", vec: "vec0.so", onnx: "libonnxruntime.so.1" },
  darwin: { vecPackage: "darwin", vec: "vec0.dylib", onnx: "libonnxruntime.1.dylib" },
  win32: { vecPackage: "windows", vec: "vec0.dll", onnx: "onnxruntime.dll" },
} as const;

/** Everything native that the program loads. The ONNX addon looks for its library in its own folder first. */
export function nativeLibraries({ os, cpu }: Platform): NativeLibraries {
  const { vecPackage, vec, onnx } = perOs[os];
  const onnxFolder = `bin/napi-v6/${os}/${cpu}`;
  return {
    sqliteAddon: {
      // Not "better_sqlite3.node": Bun refuses to load a file of that name, from the days before it could.
      name: "sqlite_addon.node",
      anchor: "better-sqlite3/package.json",
      file: `prebuilds/${os}-${cpu}.node`,
    },
    vecExtension: { name: vec, anchor: `sqlite-vec-${vecPackage}-${cpu}/${vec}`, file: vec },
    onnxAddon: {
      name: "onnxruntime_binding.node",
      anchor: "onnxruntime-node/package.json",
      file: `${onnxFolder}/onnxruntime_binding.node`,
    },
    onnxLibrary: { name: onnx, anchor: "onnxruntime-node/package.json", file: `${onnxFolder}/${onnx}` },
  };
}

/** Absolute path in node_modules. Throws when the package is not installed. */
export function libraryPath(library: NativeLibrary): string {
  const anchor = createRequire(import.meta.url).resolve(library.anchor);
  return join(dirname(anchor), library.file);
}

/** The platform this process runs on. Throws on one that no library is published for. */
export function currentPlatform(): Platform {
  const { platform: os, arch: cpu } = process;
  const known = (os === "linux" || os === "darwin" || os === "win32") && (cpu === "x64" || cpu === "arm64");
  if (!known)
    throw new Error(`memledger has no native libraries for ${os}-${cpu}; run it on Linux, macOS or Windows.`);
  return { os, cpu };
}
