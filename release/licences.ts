// Owns which licences a component may have, and their standard texts. Must never accept a licence that nobody has read.

import standardTexts from "spdx-license-list/full.js";

/** Identifiers of SPDX. The GNU licences are those of libraries in Bun, for which bun-libraries.ts says how they are replaced. */
const accepted: readonly string[] = [
  "0BSD",
  "AFL-2.1",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "IJG",
  "ISC",
  "LGPL-2.0-or-later",
  "LGPL-2.1-or-later",
  "LLVM-exception",
  "MIT",
  "Unicode-3.0",
  "Zlib",
  "blessing",
];

/** The identifiers in an SPDX expression. */
export function licenceIds(expression: string): string[] {
  return expression.split(/ (?:AND|OR|WITH) |[()]/).filter((part) => part !== "");
}

/** @throws Error that names the component and what to do */
export function requireAccepted(component: string, expression: string): void {
  const unknown = licenceIds(expression).filter((id) => !accepted.includes(id));
  if (expression !== "" && unknown.length === 0) return;
  const licence = expression === "" ? "no licence" : unknown.join(", ");
  throw new Error(
    `${component} has ${licence}. Read the licence; add it to release/licences.ts if it may be distributed, or remove the package.`,
  );
}

/** The standard text of a licence of SPDX; null for an exception, which the list does not have. */
export function standardText(id: string): string | null {
  const text = standardTexts[id]?.licenseText;
  if (text !== undefined) return text.replaceAll("\r\n", "\n").trim();
  if (id === "LLVM-exception") return null;
  throw new Error(`The package spdx-license-list has no text of ${id}.`);
}
