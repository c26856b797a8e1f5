// Switches off what Bun and native libraries would send: telemetry and crash reports, for the whole process. Must never be the only
// protection against a library: the build refuses one that could send anything by itself (offline.ts).
//
// Where the system forbids memory that is writable and executable (MemoryDenyWriteExecute of systemd), Bun runs without its
// foreign function interface. The program must start there, too, so nothing here fails.

import { CFunction, dlopen, read } from "bun:ffi";

const variables: Readonly<Record<string, string>> = {
  // ONNX Runtime 1.29 and later for Linux and macOS reads it when it is loaded.
  ORT_DISABLE_TELEMETRY: "1",
  // When Bun crashes on macOS or Windows, it starts curl or PowerShell, which sends a report to bun.report. It reads these then;
  // an empty address outweighs everything else.
  BUN_CRASH_REPORT_URL: "",
  BUN_ENABLE_CRASH_REPORTING: "0",
  DO_NOT_TRACK: "1",
};
let isDone = false;

/**
 * Sets the variables that switch telemetry and crash reports off. Call it first, from the main thread and before there are
 * workers: the C library does not protect its environment against threads. Calling it again does nothing.
 *
 * Why not process.env alone: Bun keeps variables that are set there to itself, and native code asks the C library.
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

/** Places in ONNX Runtime's table of functions, which only grows at its end (onnxruntime_c_api.h, OrtApi). */
const functions = { createEnv: 3, disableTelemetryEvents: 6 } as const;
const apiVersion = 1;
const logErrorsOnly = 3;
const pointerBytes = 8;

/**
 * Stops the events that ONNX Runtime for Windows writes to the event tracing of the system: they name the model, and Windows may
 * pass them on to Microsoft. Call it after the environment exists and before there is a session. Elsewhere it changes nothing.
 *
 * @param library absolute path of the library that the addon has loaded
 * @returns whether ONNX Runtime accepted it
 */
export function disableTelemetryEvents(library: string): boolean {
  return attempt(() => {
    const { symbols } = dlopen(library, { OrtGetApiBase: { args: [], returns: "ptr" } });
    const base = symbols.OrtGetApiBase();
    if (base === null) throw new Error("ONNX Runtime has no table of functions");
    const getApi = CFunction({ ptr: BigInt(read.ptr(base)), args: ["u32"], returns: "ptr" });
    const api = getApi(apiVersion);
    const at = (place: number) => BigInt(read.ptr(api, place * pointerBytes));
    // Creates nothing: there is one environment in a process, and this returns it.
    const createEnv = CFunction({
      ptr: at(functions.createEnv),
      args: ["i32", "ptr", "ptr"],
      returns: "ptr",
    });
    const environment = new BigUint64Array(1);
    const disable = CFunction({ ptr: at(functions.disableTelemetryEvents), args: ["ptr"], returns: "ptr" });
    // Both return null, or a status that tells what went wrong.
    const failed = createEnv(logErrorsOnly, cString("memledger"), environment) ?? disable(environment[0]);
    if (failed !== null) throw new Error("ONNX Runtime refused to switch its events off");
  });
}

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    // See above: without the foreign function interface, the libraries themselves are the protection.
    return false;
  }
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}
