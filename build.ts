// Builds the executable of one platform: `bun run build`. A release is made by `bun run release` (release/main.ts).

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildExecutable } from "./release/executable.ts";
import { targetNamed, thisMachine } from "./release/targets.ts";
import { readModelConfig } from "./src/models/embedding/model.ts";
import { builtInModels, readModelDirectory } from "./src/models/embedding/model-directory.ts";

const usage = `bun run build [--target TARGET] [--model DIR] [--outfile FILE]
  --target   linux-x64, linux-arm64, darwin-arm64 or windows-x64 (default: this machine)
  --model    model directory in the Hugging Face layout instead of the built-in ones
  --outfile  default: dist/memledger`;

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      target: { type: "string", default: thisMachine() },
      model: { type: "string" },
      outfile: { type: "string", default: join(import.meta.dir, "dist/memledger") },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${usage}\n`);
  const target = targetNamed(values.target);
  const isWindows = target.platform.os === "win32" && !values.outfile.endsWith(".exe");
  const outfile = resolve(isWindows ? `${values.outfile}.exe` : values.outfile);
  const models = values.model === undefined ? builtInModels() : [readModelDirectory(values.model)];
  for (const model of models) readModelConfig(model);
  await buildExecutable(target, models, outfile);
  const megabytes = (statSync(outfile).size / 1e6).toFixed(0);
  process.stdout.write(
    `${outfile}: ${megabytes} MB, ${target.name}, models ${models.map(({ id }) => id).join(", ")}\n`,
  );
}
