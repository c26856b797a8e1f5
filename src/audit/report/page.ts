// Owns the page of a report: one HTML file without a script and without anything outside it. Pure: the same report gives the same page. Every text
// of the report is escaped.

import { toPrintable } from "../../platform/text/printable.ts";
import { signedElements } from "./file.ts";
import { findingsOf } from "./ledger-sections.ts";
import { type Report, reportText } from "./report.ts";
import type { Block, Cell, Section } from "./section.ts";
import { sectionsOf } from "./sections.ts";
import { pageStyle } from "./style.ts";

export interface RenderedReport {
  /** The JSON text of the report. */
  readonly text: string;
  /** The page, into which the note is to be put (file.ts). */
  readonly page: string;
  /** What an auditor should look at first, as sentences. */
  readonly findings: readonly string[];
}

export function renderReport(report: Report): RenderedReport {
  const text = reportText(report);
  const findings = findingsOf(report).flatMap((block) => ("text" in block ? [block.text] : []));
  return { text, page: pageOf(sectionsOf(report), text), findings };
}

const title = "Audit report";

function pageOf(sections: readonly Section[], text: string): string {
  const [summary, ...others] = sections.map(sectionElement);
  const links = sections
    .slice(1)
    .map((section) => `<li><a href="#${section.id}">${toHtml(section.title)}</a></li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>memledger ${title.toLowerCase()}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<header>
<h1>${title}</h1>
<p class="quiet">Of the records of a memory that AI assistants use. Made by its server, and signed with the key of its ledger.</p>
</header>
${summary ?? ""}
<nav aria-label="Sections"><ul>
${links.join("\n")}
</ul></nav>
${others.join("\n")}
</main>
${signedElements(text)}</body>
</html>
`;
}

function sectionElement({ id, title: heading, blocks }: Section): string {
  return `<section id="${id}">\n<h2>${toHtml(heading)}</h2>\n${blocks.map(blockElement).join("\n")}\n</section>`;
}

function blockElement(block: Block): string {
  if ("command" in block) return `<pre>${toHtml(block.command)}</pre>`;
  if ("text" in block) {
    const tone = block.tone === undefined ? "" : ` class="${block.tone}"`;
    return `<p${tone}>${toHtml(block.text)}</p>`;
  }
  const { head, rows, none } = block;
  if (rows.length === 0) return `<p>${toHtml(none)}</p>`;
  const isNumber = (column: number) => rows.every((row) => typeof row[column] === "number");
  const classOf = (value: Cell, column: number) =>
    isNumber(column) ? ' class="number"' : time.test(String(value)) ? ' class="time"' : "";
  const cell = (name: "td" | "th", value: Cell, column: number) =>
    `<${name}${classOf(value, column)}>${toHtml(cellText(value))}</${name}>`;
  const headRow =
    head.length === 0
      ? ""
      : `<thead><tr>${head.map((value, column) => cell("th", value, column)).join("")}</tr></thead>\n`;
  const bodyRows = rows.map(
    (row) => `<tr>${row.map((value, column) => cell("td", value, column)).join("")}</tr>`,
  );
  return `<div class="table"><table>\n${headRow}<tbody>\n${bodyRows.join("\n")}\n</tbody></table></div>`;
}

const time = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function cellText(value: Cell): string {
  return typeof value === "number" ? value.toLocaleString("en-US") : (value ?? "");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Also of characters that change the order of others, and of line ends that another system would change. */
function toHtml(text: string): string {
  return toPrintable(text).replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
