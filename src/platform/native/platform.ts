// Owns the paths of the native libraries in node_modules on each platform, for runs from source and for build.ts.
// Must never load a library.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Named as in Node.js and in the packages. */
export type Platform = Readonly<{ os: "linux" | "darwin" | "win32"; cpu: "x64" | "arm64" }>;

/** `name` is the file name that the dynamic linker needs. `file` is relative to the folder of `anchor`, which can be resolved. */
export type NativeLibrary = Readonly<{ name: string; anchor: string; file: string }>;

type NativeLibraries = Readonly<{
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

/** All native libraries of the program. The ONNX addon searches its own folder first for its library. */
export function nativeLibraries({ os, cpu }: Platform): NativeLibraries {
  const { vecPackage, vec, onnx } = perOs[os];
  const onnxFolder = `bin/napi-v6/${os}/${cpu}`;
  return {
    sqliteAddon: {
      // Not "better_sqlite3.node": Bun refuses to load a file with that name.
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

/** Absolute path in node_modules. @throws Error when the package is not installed */
export function libraryPath(library: NativeLibrary): string {
  const anchor = createRequire(import.meta.url).resolve(library.anchor);
  return join(dirname(anchor), library.file);
}

/** The platform of this process. @throws Error on an unsupported platform */
export function currentPlatform(): Platform {
  const { platform: os, arch: cpu } = process;
  const known = (os === "linux" || os === "darwin" || os === "win32") && (cpu === "x64" || cpu === "arm64");
  if (!known)
    throw new Error(
      `memledger does not support the platform ${os}-${cpu}. Run it on Linux, macOS or Windows, on x64 or arm64.`,
    );
  return { os, cpu };
}
