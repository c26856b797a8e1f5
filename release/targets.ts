// Owns the list of platforms that executables are built for, and the reasons why others are not.

import { currentPlatform, type Platform } from "../src/platform/native/platform.ts";

export type Target = Readonly<{
  name: string;
  bun: Bun.Build.CompileTarget;
  /** The package with Bun's executable for the target, and the path in it. */
  runtime: Readonly<{ package: string; file: string }>;
  platform: Platform;
}>;

export const targets: readonly Target[] = [
  {
    name: "linux-x64",
    bun: "bun-linux-x64",
    runtime: { package: "@oven/bun-linux-x64", file: "bin/bun" },
    platform: { os: "linux", cpu: "x64" },
  },
  {
    name: "linux-arm64",
    bun: "bun-linux-arm64",
    runtime: { package: "@oven/bun-linux-aarch64", file: "bin/bun" },
    platform: { os: "linux", cpu: "arm64" },
  },
  {
    name: "darwin-arm64",
    bun: "bun-darwin-arm64",
    runtime: { package: "@oven/bun-darwin-aarch64", file: "bin/bun" },
    platform: { os: "darwin", cpu: "arm64" },
  },
  {
    name: "windows-x64",
    bun: "bun-windows-x64",
    runtime: { package: "@oven/bun-windows-x64", file: "bin/bun.exe" },
    platform: { os: "win32", cpu: "x64" },
  },
];

/** Asked for often, and why not. */
const refusedTargets: Readonly<Record<string, string>> = {
  "linux-x64-musl":
    "ONNX Runtime publishes no library for musl; build linux-x64 and run it on a glibc system such as Debian.",
  "linux-arm64-musl":
    "ONNX Runtime publishes no library for musl; build linux-arm64 and run it on a glibc system such as Debian.",
  "darwin-x64": "ONNX Runtime publishes no library for Macs with Intel processors.",
};

/** @throws Error that says which targets there are, and why not this one */
export function targetNamed(name: string): Target {
  const target = targets.find((each) => each.name === name);
  if (target !== undefined) return target;
  const names = targets.map((each) => each.name);
  const known = `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
  throw new Error(`Cannot build for ${name}. ${refusedTargets[name] ?? ""}\nThe targets are ${known}.`);
}

/** The name of the target that runs on this machine. */
export function thisMachine(): string {
  const { os, cpu } = currentPlatform();
  return `${os === "win32" ? "windows" : os}-${cpu}`;
}

/** Windows runs nothing without the suffix, and the compiler would add it by itself. */
export function executableName({ platform }: Target): string {
  return platform.os === "win32" ? "memledger.exe" : "memledger";
}
