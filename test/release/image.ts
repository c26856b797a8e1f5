// Knows what the image of deploy/docker/Dockerfile contains, and makes its root without Docker from the packages of this Debian.

import { cpSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

/** What distroless/cc-debian has that a program may need: no shell, no other programs. */
const packages = ["libc6:amd64", "libgcc-s1:amd64", "libstdc++6:amd64", "tzdata"];

/** Copies the files of the packages, without their programs. */
export function copySystemFiles(image: string): void {
  const listed = Bun.spawnSync(["dpkg-query", "--listfiles", ...packages])
    .stdout.toString()
    .split("\n");
  const isNeeded = (path: string) => /^(\/usr)?\/(lib|lib64|share\/zoneinfo)\//.test(path);
  // Debian may name a file by a path through a link, such as /lib.
  for (const path of listed.filter(isNeeded)) {
    const target = join(image, path.startsWith("/usr/") ? path : `/usr${path}`);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true && !lstatSync(path).isSymbolicLink())
      continue;
    mkdirSync(dirname(target), { recursive: true });
    cpSync(path, target, { dereference: false, recursive: true });
  }
  for (const name of ["lib", "lib64"]) symlinkSync(`usr/${name}`, join(image, name));
  for (const name of ["var/lib/memledger", "dev", "proc", "etc"])
    mkdirSync(join(image, name), { recursive: true });
}

export interface Dockerfile {
  readonly variables: Readonly<Record<string, string>>;
  readonly uid: number;
  readonly entrypoint: string;
  readonly command: readonly string[];
  /** Arguments of the program. */
  readonly health: readonly string[];
  /** Paths in the image to which files are copied. */
  readonly copies: readonly string[];
}

export function readDockerfile(): Dockerfile {
  const text = readFileSync(join(import.meta.dir, "../../deploy/docker/Dockerfile"), "utf8");
  const lines = text.replaceAll(/\\\n\s*/g, "").split("\n");
  const arguments_ = (name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const list = (name: string): string[] => JSON.parse(/\[.*\]/.exec(arguments_(name)[0] ?? "")?.[0] ?? "[]");
  const [entrypoint = ""] = list("ENTRYPOINT");
  const [healthProgram, ...health] = list("HEALTHCHECK");
  if (healthProgram !== entrypoint) throw new Error("The health check starts another program.");
  const pairs = arguments_("ENV")
    .flatMap((line) => line.split(" "))
    .map((pair) => pair.split("="));
  return {
    variables: Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, value])),
    uid: Number(/^(\d+)/.exec(arguments_("USER")[0] ?? "")?.[1]),
    entrypoint,
    command: list("CMD"),
    health,
    copies: arguments_("COPY").map((line) => line.split(" ").at(-1) ?? ""),
  };
}
