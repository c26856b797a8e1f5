// Builds the one executable: program, workers, native libraries, model, API reference. Must never access a network, and two builds of
// the same commit must have the same bytes: no path of this machine, no time and no random name may reach the executable.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { ModelFiles } from "../src/platform/native/embedded.ts";
import { workerEntries } from "../src/platform/threads/spawn.ts";
import { buildConsole } from "../src/transports/http/console/console-build.ts";
import { licenceName, noticesName } from "../src/transports/http/console/console-files.ts";
import { componentsOf } from "./components.ts";
import { embeddedComponents } from "./embedded-components.ts";
import { embeddedFiles } from "./embedded-files.ts";
import { noticesText } from "./notices.ts";
import { packagesOf } from "./packages.ts";
import { commitName, root } from "./source.ts";
import { executableName, type Target, thisMachine } from "./targets.ts";

const source = join(root, "src");
const program: Bun.BuildConfig = {
  // Two kinds of threads may have the same entry file.
  entrypoints: [...new Set(["main.ts", ...Object.values(workerEntries)])].map((entry) => join(source, entry)),
  root: source,
  target: "bun",
  format: "esm",
  minify: true,
  throw: false,
};

/** Absolute paths of all modules of the program and of the console. */
export async function bundledModules(): Promise<string[]> {
  const { metafile } = requireSuccess(await Bun.build({ ...program, metafile: true }));
  if (metafile === undefined) throw new Error("Bun wrote no list of modules. Use Bun 1.4.5.");
  const { modules } = await buildConsole(null);
  return [...Object.keys(metafile.inputs).map((path) => resolve(path)), ...modules].toSorted();
}

/** Writes the executable to `outfile`. @throws Error that says what to do */
export async function buildExecutable(
  target: Target,
  models: readonly ModelFiles[],
  outfile: string,
): Promise<void> {
  const modules = await bundledModules();
  const components = embeddedComponents(target, modules);
  const plugin = await embeddedFiles(target, models, components, {
    [licenceName]: readFileSync(join(root, "LICENSE"), "utf8"),
    [noticesName]: noticesText(componentsOf(target, models, components, packagesOf(modules))),
  });
  mkdirSync(dirname(outfile), { recursive: true });
  // The compiler leaves copies of the source maps beside its result.
  const staging = mkdtempSync(join(dirname(outfile), ".building-"));
  // The name becomes part of the executable.
  const built = join(staging, executableName(target));
  try {
    requireSuccess(
      await Bun.build({
        ...program,
        bytecode: true,
        // So that the log of an unexpected error names our lines; costs 1 MB and no time at start.
        sourcemap: "inline",
        plugins: [plugin],
        define: {
          MEMLEDGER_COMMIT: JSON.stringify(commitName()),
          // The folder of a package on this machine, which better-sqlite3 uses only to find a library that we name.
          __dirname: JSON.stringify("/"),
          __filename: JSON.stringify("/"),
        },
        compile: {
          target: target.bun,
          executablePath: runtimePath(target),
          outfile: built,
          // What lies in the working directory must not configure the server.
          autoloadDotenv: false,
          autoloadBunfig: false,
        },
      }),
    );
    // Replaces an executable that is running.
    renameSync(built, outfile);
  } finally {
    rmSync(staging, { recursive: true });
  }
}

/**
 * Path of Bun's executable for the target: that of its package, or the one that runs this program.
 * @throws Error that says how to install it. Bun would download it without a checksum.
 */
export function runtimePath(target: Target): string {
  const path = resolve(root, "release/runtimes/node_modules", target.runtime.package, target.runtime.file);
  if (existsSync(path)) return path;
  if (target.name === thisMachine()) return process.execPath;
  throw new Error(
    `Bun for ${target.name} is not installed. Bring it: bun install --cwd release/runtimes --frozen-lockfile --os '*' --cpu '*'`,
  );
}

function requireSuccess(result: Bun.BuildOutput): Bun.BuildOutput {
  if (!result.success) throw new Error(result.logs.join("\n"));
  return result;
}
