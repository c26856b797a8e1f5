// Switches off the telemetry of native libraries, for the whole process. Must never be the only protection: the build refuses a
// library that could send anything by itself (offline.ts).
//
// Where the system forbids memory that is writable and executable (MemoryDenyWriteExecute of systemd), Bun runs without its
// foreign function interface. The program must start there, too, so nothing here fails.

import { CFunction, dlopen, read } from "bun:ffi";

/** Read by ONNX Runtime 1.29 and later for Linux and macOS when it is loaded. */
const variables: Readonly<Record<string, string>> = { ORT_DISABLE_TELEMETRY: "1" };

/**
 * Sets the variables that switch telemetry off. Call it before any native library is loaded, from the main thread and before
 * there are workers: the C library does not protect its environment against threads.
 *
 * Why not process.env alone: Bun keeps variables that are set there to itself, and a native library asks the C library.
 */
export function disableTelemetry(): void {
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
