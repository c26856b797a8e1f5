// Serves the gallery with the styles and the policy of the console.

import { join } from "node:path";
import { contentSecurityPolicy } from "../../../src/transports/http/console/pages.ts";

const sources = join(import.meta.dir, "../../../src/console");
const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parts</title><link rel="icon" href="data:,"><script src="/theme.js"></script><link rel="stylesheet" href="/console.css">
<script type="module" src="/gallery.js"></script></head><body><div id="console"></div></body></html>`;

export interface Gallery {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** @throws Error when the parts do not build */
export async function serveGallery(): Promise<Gallery> {
  const { success, outputs, logs } = await Bun.build({
    entrypoints: [
      join(import.meta.dir, "gallery.tsx"),
      join(sources, "theme.ts"),
      join(sources, "styles/console.css"),
    ],
    target: "browser",
    splitting: true,
    naming: "[name].[ext]",
    publicPath: "/",
    jsx: { runtime: "automatic", importSource: "preact", development: false },
    define: { "process.env.NODE_ENV": '"production"' },
    throw: false,
  });
  if (!success) throw new Error(logs.join("\n"));
  const files = new Map(outputs.map((output) => [output.path.replace(/^\.?\/?/, "/"), output]));
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ url }) {
      const { pathname } = new URL(url);
      const file = files.get(pathname);
      const headers = { "Content-Security-Policy": contentSecurityPolicy };
      if (file !== undefined)
        return new Response(file, { headers: { ...headers, "Content-Type": file.type } });
      return pathname === "/"
        ? new Response(page, { headers: { ...headers, "Content-Type": "text/html; charset=utf-8" } })
        : new Response(null, { status: 404 });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}
