// Owns the pages of the handbook for browsers, at /docs/handbook. They load nothing, from this server or another one.

import { posix } from "node:path";
import {
  handbookPages,
  handbookPaths,
  pageName,
  readHandbookFile,
} from "../../../platform/handbook/pages.ts";
import type { Handler } from "../handler.ts";
import { respondWithPage } from "./docs.ts";

const root = "/docs/handbook";

export function handbookRoutes(): [path: string, handler: Handler][] {
  return [
    [root, async () => respondWithPage(await indexDocument())],
    ...handbookPaths.map((path): [string, Handler] => [
      addressOf(path),
      async () => respondWithPage(await pageDocument(path)),
    ]),
  ];
}

function addressOf(path: string): string {
  return `${root}/${pageName(path)}`;
}

async function indexDocument(): Promise<string> {
  const rows = (await handbookPages()).map(
    ({ path, title, summary }) => `| [${title}](${path}) | ${summary} |`,
  );
  return documentOf("README.md", `# Handbook\n\n| page | contents |\n|---|---|\n${rows.join("\n")}\n`);
}

async function pageDocument(path: string): Promise<string> {
  return documentOf(path, await readHandbookFile(path));
}

function documentOf(path: string, markdown: string): string {
  const [, title = ""] = /^# (.*)$/m.exec(markdown) ?? [];
  // HTML in a page would be text.
  const html = Bun.markdown.html(markdown, {
    headings: { ids: true },
    noHtmlBlocks: true,
    noHtmlSpans: true,
  });
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${Bun.escapeHTML(title)} - memledger</title>
    <link rel="icon" href="data:,">
    <style>${style}</style>
  </head>
  <body>
    <nav><a href="${root}">Handbook</a> <a href="/docs">API reference</a> <a href="/console/">Console</a></nav>
    <main>${withAddresses(path, html)}</main>
  </body>
</html>
`;
}

/** Links between pages lead to the addresses of this server. The files of the source, and pictures, are not here: of those links, the text stays. */
function withAddresses(path: string, html: string): string {
  return new HTMLRewriter()
    .on("a", {
      element(link) {
        const href = link.getAttribute("href") ?? "";
        if (/^(https?:\/\/|#)/.test(href)) return;
        const [file = "", anchor] = href.split("#");
        const target = posix.join(posix.dirname(path), file);
        if (!handbookPaths.includes(target)) link.removeAndKeepContent();
        else link.setAttribute("href", addressOf(target) + (anchor === undefined ? "" : `#${anchor}`));
      },
    })
    .on("img", {
      element(picture) {
        picture.replace(picture.getAttribute("alt") ?? "");
      },
    })
    .transform(html);
}

const style = `
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif; }
body { max-width: 52rem; margin: 0 auto; padding: 1rem; overflow-wrap: break-word; }
nav a { margin-right: 1rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid #8886; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
pre { padding: 0.7rem; overflow-x: auto; background: #8882; }
code { font: 0.9em/1.4 ui-monospace, monospace; }
`;
