// Tests that no native library of the executable can reach a network, for every platform, and that one which could is noticed.

import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { networkMarks, requireOffline } from "../../../src/platform/native/offline.ts";
import { loadOnnx } from "../../../src/platform/native/onnx.ts";
import {
  currentPlatform,
  libraryPath,
  nativeLibraries,
  type Platform,
} from "../../../src/platform/native/platform.ts";
import { prepareRuntime } from "../../../src/platform/native/runtime.ts";
import { disableTelemetryEvents } from "../../../src/platform/native/telemetry.ts";
import { notWindows, testWith } from "../../needs.ts";

const here = currentPlatform();
const platforms: readonly Platform[] = [
  { os: "linux", cpu: "x64" },
  { os: "linux", cpu: "arm64" },
  { os: "darwin", cpu: "arm64" },
  { os: "win32", cpu: "x64" },
];
const isHere = ({ os, cpu }: Platform) => os === here.os && cpu === here.cpu;

describe.each(platforms)("the native libraries of $os-$cpu", (platform) => {
  test.each(Object.values(nativeLibraries(platform)))("$name names nothing of a network", (library) => {
    let path: string;
    try {
      path = libraryPath(library);
    } catch (cause) {
      // sqlite-vec has a package for each platform, and those of others need not be installed. The build reads them again.
      if (isHere(platform) || !library.anchor.startsWith("sqlite-vec-")) throw cause;
      return;
    }
    if (isHere(platform)) expect(existsSync(path)).toBe(true);
    expect(networkMarks(readFileSync(path))).toEqual([]);
  });
});

test("a program that reaches networks is noticed: Bun itself", () => {
  expect(networkMarks(readFileSync(process.execPath))).toEqual(
    expect.arrayContaining(["getaddrinfo", "socket"]),
  );
});

test.each([
  // As they stand in ONNX Runtime 1.30 for Linux and macOS, and in libraries that import Windows functions.
  [
    "https://mobile.events.data.microsoft.com/OneCollector/1.0",
    ["events.data.microsoft.com", "onecollector"],
  ],
  ["/tmp/mat-debug-%u.log", ["mat-debug"]],
  ["\0ORT_DISABLE_TELEMETRY\0", ["ort_disable_telemetry"]],
  ["\0_getaddrinfo\0", ["getaddrinfo"]],
  ["\0WSAStartup\0\0WS2_32.dll\0", ["wsastartup", "ws2_32"]],
  ["_OBJC_CLASS_$_NSURLSession\0", ["nsurlsession"]],
])("a library with %j is refused by name", (content, marks) => {
  const library = Buffer.from(`\x7fELF\0${content}\0\xff`, "latin1");
  expect(networkMarks(library).toSorted()).toEqual(marks.toSorted());
  expect(() => requireOffline("some.so", library)).toThrow(
    /some\.so contains network or telemetry functions.*Install a version/,
  );
});

testWith(notWindows)("native code finds telemetry switched off, in every thread", async () => {
  prepareRuntime("unused");
  const source = `
    import { dlopen } from "bun:ffi";
    import { parentPort } from "node:worker_threads";
    const library = process.platform === "darwin" ? "/usr/lib/libSystem.B.dylib" : "libc.so.6";
    const { symbols } = dlopen(library, { getenv: { args: ["ptr"], returns: "cstring" } });
    const names = ["ORT_DISABLE_TELEMETRY", "BUN_CRASH_REPORT_URL", "BUN_ENABLE_CRASH_REPORTING", "DO_NOT_TRACK"];
    parentPort.postMessage(names.map((name) => String(symbols.getenv(Buffer.from(name + "\\0")))));
  `;
  const worker = new Worker(source, { eval: true });
  const found = await new Promise((resolve) => worker.once("message", resolve));
  await worker.terminate();
  expect(found).toEqual(["1", "", "0", "1"]);
});

test("ONNX Runtime is told to write no events to the system's event tracing", () => {
  const runtime = prepareRuntime("unused");
  loadOnnx(runtime);
  expect(disableTelemetryEvents(runtime.onnxLibrary)).toBe(true);
  expect(disableTelemetryEvents("/no/such/library")).toBe(false);
});

test("the training runs on the same ONNX Runtime as the program", async () => {
  const root = join(import.meta.dir, "../../..");
  const { dependencies } = await Bun.file(join(root, "package.json")).json();
  const requirements = readFileSync(join(root, "models/training/requirements.txt"), "utf8");
  expect(requirements).toContain(`onnxruntime==${dependencies["onnxruntime-node"]}\n`);
  expect(dependencies["onnxruntime-common"]).toBe(dependencies["onnxruntime-node"]);
});
