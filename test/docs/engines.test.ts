// Holds the page about storage engines to the conformance suite and to the files that it names.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parts } from "../calls/storage/conformance/engine-under-test.ts";
import { inlineCodeOf, root, tableOf } from "./pages.ts";

const page = "src/engines/README.md";

test("the parts that an engine can lack", () => {
  expect(tableOf(page, "part")).toEqual(
    Object.entries(parts).map(([part, meaning]) => [`\`${part}\``, meaning]),
  );
});

test("every file that it names exists", () => {
  const paths = inlineCodeOf(page).filter((code) => /^[\w.-]+\/[\w./-]*$/.test(code));
  expect(paths.length).toBeGreaterThan(25);
  const isThere = (path: string) => ["", "src"].some((folder) => existsSync(join(root, folder, path)));
  expect(paths.filter((path) => !isThere(path))).toEqual([]);
});
