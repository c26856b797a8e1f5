// Loaded before the server by the power-loss proof only: turns synchronous = FULL into NORMAL in every thread, so that the proof can
// show that it finds what NORMAL loses. The product has no such setting.

import { readFileSync } from "node:fs";
import BetterSqlite from "better-sqlite3";

const pragma = BetterSqlite.prototype.pragma;
BetterSqlite.prototype.pragma = function weakened(source, options) {
  return pragma.call(this, source.replace("synchronous = FULL", "synchronous = NORMAL"), options);
};

// Worker threads do not load what --preload names: the place that starts them is told to.
const before = "{ workerData: init, name }";
const after = `{ workerData: init, name, preload: [${JSON.stringify(import.meta.path)}] }`;
Bun.plugin({
  name: "weakened workers",
  setup(build) {
    build.onLoad({ filter: /src\/platform\/threads\/spawn\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      if (!source.includes(before)) throw new Error(`${path} starts its workers in another way now`);
      return { contents: source.replace(before, after), loader: "ts" };
    });
  },
});
