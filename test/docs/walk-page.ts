// Walks one page with an executable, in a process of its own, so that the smoke test can start it without a network:
// `bun test/docs/walk-page.ts PAGE EXECUTABLE`. Prints what went wrong, and ends with 1 then. The page needs no language model.

import { createFolderWith, removeFolder, walk } from "./walk.ts";

const [, , page = "", executable = ""] = process.argv;
const folder = createFolderWith(executable);
try {
  const { exitCode, output, calls } = await walk(page, folder, { llmUrl: "http://127.0.0.1:9/v1" });
  const failed = calls.filter(({ status }) => status < 200 || status > 299);
  const hasFailed = exitCode !== 0 || failed.length > 0 || calls.length === 0;
  if (hasFailed) process.stdout.write(`${output}\n${JSON.stringify(failed)}\n`);
  process.exitCode = hasFailed ? 1 : 0;
} finally {
  removeFolder(folder);
}
