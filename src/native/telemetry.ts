// Switches off the telemetry of native libraries, for the whole process and before one is loaded. Must never be the only
// protection: a library that contains such code is refused by the build (offline.ts).
//
// Why not process.env: Bun keeps variables that are set there to itself, and a native library asks the C library.

import { dlopen, ptr } from "bun:ffi";

/** Read by ONNX Runtime 1.29 and later when it is loaded. */
const variables: Readonly<Record<string, string>> = { ORT_DISABLE_TELEMETRY: "1" };

/**
 * Call it before any native library is loaded, from the main thread and before there are workers: the C library does not
 * protect its environment against threads.
 */
export function disableTelemetry(): void {
  try {
    const set = environmentSetter();
    for (const [name, value] of Object.entries(variables)) set(cString(name), cString(value));
  } catch {
    // Where the system forbids memory that is writable and executable (MemoryDenyWriteExecute of systemd), Bun runs without
    // its foreign function interface. The server must start there, too: the libraries it carries contain no telemetry.
  }
  Object.assign(process.env, variables);
}

function environmentSetter(): (name: Buffer, value: Buffer) => void {
  if (process.platform === "win32") {
    const { symbols } = dlopen("ucrtbase.dll", { _putenv_s: { args: ["ptr", "ptr"], returns: "int" } });
    return (name, value) => void symbols._putenv_s(ptr(name), ptr(value));
  }
  const library = process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6";
  const { symbols } = dlopen(library, { setenv: { args: ["ptr", "ptr", "int"], returns: "int" } });
  return (name, value) => void symbols.setenv(ptr(name), ptr(value), 1);
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}
