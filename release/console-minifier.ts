// Owns how the scripts of the console are made smaller for an executable: after Bun's minifier, compressed scripts become five per cent
// smaller. Must give the same text on every machine, because the files become part of a release.

import { createHash } from "node:crypto";
import { type MinifyOptions, minify } from "terser";
import { version } from "terser/package.json";
import type { Minifier } from "../src/transports/http/console/console-build.ts";

const options: MinifyOptions = {
  module: true,
  compress: {
    comparisons: false,
    loops: false,
    passes: 5,
    ecma: 2022,
    inline: 2,
    keep_fargs: false,
    lhs_constants: false,
    pure_getters: true,
    unsafe_arrows: true,
  },
  format: { ecma: 2022 },
};

export const consoleMinifier: Minifier = {
  id: createHash("sha256")
    .update(JSON.stringify([version, options]))
    .digest("hex")
    .slice(0, 4),
  async minify(script) {
    const { code } = await minify(script, options);
    if (code === undefined) throw new Error("The minifier of the console returned nothing.");
    return code;
  },
};
