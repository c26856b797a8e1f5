// Disables telemetry and crash reports of Bun and of native libraries, for the whole process. It is not the only protection: the build
// refuses a library that contains network functions (offline.ts).
//
// If the system forbids memory that is both writable and executable (MemoryDenyWriteExecute of systemd), Bun has no foreign function
// interface. The program must start there, too, so no function in this file fails.

import { CFunction, dlopen, read } from "bun:ffi";

const variables: Readonly<Record<string, string>> = {
  // Read by ONNX Runtime 1.29 and later for Linux and macOS when it is loaded.
  ORT_DISABLE_TELEMETRY: "1",
  // When Bun crashes on macOS or Windows, it runs curl or PowerShell to send a report to bun.report, unless these variables forbid it.
  // An empty URL takes precedence over all other settings.
  BUN_CRASH_REPORT_URL: "",
  BUN_ENABLE_CRASH_REPORTING: "0",
  DO_NOT_TRACK: "1",
};
let isDone = false;

/**
 * Sets the variables that disable telemetry and crash reports. Call it first, in the main thread, before workers exist: the environment
 * of the C library is not thread-safe. Later calls do nothing.
 *
 * process.env alone is not enough: Bun does not pass variables that are set there to the C library, which native code reads.
 */
export function disableTelemetry(): void {
  if (isDone) return;
  isDone = true;
  attempt(() => {
    const set = environmentSetter();
    for (const [name, value] of Object.entries(variables)) set(cString(name), cString(value));
  });
  Object.assign(process.env, variables);
}

function environmentSetter(): (name: Buffer, value: Buffer) => void {
  if (process.platform === "win32") {
    const { symbols } = dlopen("ucrtbase.dll", { _putenv_s: { args: ["ptr", "ptr"], returns: "int" } });
    return (name, value) => void symbols._putenv_s(name, value);
  }
  const library = process.platform === "darwin" ? "/usr/lib/libSystem.B.dylib" : "libc.so.6";
  const { symbols } = dlopen(library, { setenv: { args: ["ptr", "ptr", "int"], returns: "int" } });
  return (name, value) => void symbols.setenv(name, value, 1);
}

/** Indexes into the function table of ONNX Runtime, to which new versions only append (onnxruntime_c_api.h, OrtApi). */
const functions = { createEnv: 3, disableTelemetryEvents: 6 } as const;
const apiVersion = 1;
const logErrorsOnly = 3;
const pointerBytes = 8;

/**
 * Disables the events that ONNX Runtime for Windows writes to the event tracing of the system: they contain the name of the model, and
 * Windows may send them to Microsoft. Call it after the environment was created and before the first session. No effect on other systems.
 *
 * @param library absolute path of the library that the addon has loaded
 * @returns whether ONNX Runtime accepted it
 */
export function disableTelemetryEvents(library: string): boolean {
  return attempt(() => {
    const { symbols } = dlopen(library, { OrtGetApiBase: { args: [], returns: "ptr" } });
    const base = symbols.OrtGetApiBase();
    if (base === null) throw new Error("ONNX Runtime has no function table");
    const getApi = CFunction({ ptr: BigInt(read.ptr(base)), args: ["u32"], returns: "ptr" });
    const api = getApi(apiVersion);
    const at = (index: number) => BigInt(read.ptr(api, index * pointerBytes));
    // Returns the existing environment: a process has only one.
    const createEnv = CFunction({
      ptr: at(functions.createEnv),
      args: ["i32", "ptr", "ptr"],
      returns: "ptr",
    });
    const environment = new BigUint64Array(1);
    const disable = CFunction({ ptr: at(functions.disableTelemetryEvents), args: ["ptr"], returns: "ptr" });
    // Both return null, or a status object for an error.
    const failed = createEnv(logErrorsOnly, cString("memledger"), environment) ?? disable(environment[0]);
    if (failed !== null) throw new Error("ONNX Runtime refused to disable its events");
  });
}

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    // No foreign function interface (see above): the build has already refused libraries with network functions.
    return false;
  }
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}
