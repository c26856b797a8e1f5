// The steps of CONTRIBUTING.md also satisfy the compiler. The tests are not compiled: some must know all operations.

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeFoldersAfterEach } from "../cleanup.ts";
import { field, operation } from "./steps.ts";
import { stepsOf, takeSteps } from "./take-steps.ts";

const createFolder = removeFoldersAfterEach();

test("a field and an operation compile", () => {
  const copy = createFolder();
  const [steps, more] = [stepsOf("A field of a memory"), stepsOf("An operation")];
  const places = [...steps.places, ...more.places];
  takeSteps(copy, [...field, ...operation], { places, commands: steps.commands });
  const project = { extends: "./tsconfig.json", include: ["src"] };
  writeFileSync(join(copy, "tsconfig.src.json"), JSON.stringify(project));
  const { exitCode, stdout } = Bun.spawnSync(
    [process.execPath, "x", "tsc", "--noEmit", "--project", "tsconfig.src.json"],
    { cwd: copy },
  );
  expect({ exitCode, errors: stdout.toString() }).toEqual({ exitCode: 0, errors: "" });
});
