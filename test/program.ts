// Owns where tests find the program that they run in processes and threads of its own. `bun run test --changed` follows require.resolve as
// it follows an import, so these tests run when anything in the program has changed.

export const main = require.resolve("../src/main.ts");

/** What src/platform/threads/spawn.ts starts by name. */
export const workerFiles = [
  require.resolve("../src/engines/sqlite/threads/writer-worker.ts"),
  require.resolve("../src/engines/sqlite/threads/reader-worker.ts"),
  require.resolve("../src/engines/sqlite/threads/search-worker.ts"),
  require.resolve("../src/engines/sqlite/threads/scan-worker.ts"),
  require.resolve("../src/engines/sqlite/threads/inspect-worker.ts"),
  require.resolve("../src/engines/sqlite/search-cache/cache-worker.ts"),
  require.resolve("../src/engines/sqlite/export/export-worker.ts"),
  require.resolve("../src/engines/sqlite/export/export-rows-worker.ts"),
  require.resolve("../src/models/embedding/embedder-worker.ts"),
  require.resolve("../src/models/extraction/extractor-worker.ts"),
  require.resolve("../src/gateway/thread/body-worker.ts"),
  require.resolve("../src/engines/sqlite/verify/verify-worker.ts"),
  require.resolve("../src/server/backup/backup-worker.ts"),
  require.resolve("../src/platform/threads/process-deadline-worker.ts"),
];
