// Writes the notices of a release: every component of the executable with its licence, and every licence text once.

import type { Component } from "./components.ts";
import { licenceIds, standardText } from "./licences.ts";

const parts: Readonly<Record<Component["part"], string>> = {
  program: "Packages of the program",
  runtime: "Bun, the runtime, and the libraries in it",
  libraries: "Native libraries",
  model: "The embedding model",
  "API reference":
    "The API reference at /docs: @scalar/api-reference, and the packages that it is built from",
};

const line = "=".repeat(100);

/** Text with lines that end in \n. */
export function noticesText(components: readonly Component[]): string {
  const texts = new Map<string, Component[]>();
  for (const component of components)
    for (const text of component.texts) texts.set(text, [...(texts.get(text) ?? []), component]);
  const ids = new Set(components.flatMap(({ licence }) => licenceIds(licence)));
  const standard = [...ids].toSorted().flatMap((id) => {
    const text = standardText(id);
    return text === null ? [] : [`${line}\nStandard text of ${id}\n${line}\n\n${text}`];
  });
  return `${[
    "Third-party software in memledger\n\nmemledger itself is licensed under Apache-2.0; see LICENSE. Its executable contains the components below. A\ncomponent without a text of its own is under the standard text of its licence at the end of this file.",
    ...Object.entries(parts).map(([part, title]) => {
      const rows = components.filter((component) => component.part === part).map(row);
      return `${line}\n${title}\n${line}\n\n${rows.join("\n")}`;
    }),
    ...[...texts].map(([text, users]) => `${line}\n${users.map(nameOf).join(", ")}\n${line}\n\n${text}`),
    ...standard,
  ].join("\n\n")}\n`;
}

function nameOf({ name, version }: Component): string {
  return `${name} ${version}`;
}

function row(component: Component): string {
  const { licence, copyright, homepage } = component;
  return [`- ${nameOf(component)}: ${licence}`, copyright, homepage ?? ""]
    .filter((part) => part !== "")
    .join("; ");
}
