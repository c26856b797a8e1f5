// Binds `memledger docs`: lists the pages of the handbook, or prints one of them as Markdown.

import { Argument, type Command } from "commander";
import {
  type HandbookPage,
  handbookPages,
  handbookPaths,
  pageName,
  readHandbookFile,
} from "../../platform/handbook/pages.ts";
import { bindWork, type Session } from "../command.ts";
import { table } from "../terminal.ts";

export function addDocsCommand(program: Command, session: Session): void {
  const command = program
    .command("docs")
    .description("List the pages of the handbook, or print one.")
    .addArgument(new Argument("[page]", "page to print").choices(handbookPaths.map(pageName)));
  bindWork(
    command,
    session,
    async ({ operands: [name] }) => {
      const pages = await handbookPages();
      const named = pages.find((page) => page.name === name);
      if (named === undefined) return { data: { pages: pages.map(toListed) }, text: listText(pages) };
      const text = await readHandbookFile(named.path);
      return { data: { ...toListed(named), text }, text };
    },
    { ignoresConfig: () => true },
  );
}

function toListed({ name, title, summary }: HandbookPage) {
  return { name, title, summary: plain(summary) };
}

function listText(pages: readonly HandbookPage[]): string {
  const rows = pages.map(({ name, summary }) => [name, plain(summary)]);
  return `${table(["page", "contents"], rows)}\n\nTo print a page: memledger docs PAGE`;
}

/** Markdown of a sentence without its marks. */
function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1").replace(/\*\*|`/g, "");
}
