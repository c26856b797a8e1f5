// Proves that every change of a report is found, whoever makes it: one without a key, one with the key of another ledger, and, as far as a verifier
// can find that, the holder of the key. Changes that programs make on the way are no changes.

import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseTreeCheckpoint, treeCheckpointText } from "../../../src/audit/checkpoint.ts";
import { jsonFile, readReportFile, withNote } from "../../../src/audit/report/file.ts";
import { renderReport } from "../../../src/audit/report/page.ts";
import { type Report, reportText, safeText } from "../../../src/audit/report/report.ts";
import { statementText } from "../../../src/audit/report/statement.ts";
import { createSigner, type Signer } from "../../../src/audit/signed-note.ts";
import { textOfNote } from "../../../src/audit/verify/note.ts";
import { isObject, type Json } from "../../../src/platform/json/json.ts";
import { signerFrom } from "../version-2.ts";
import { contentOf, reportOf, useApp, verify } from "./made-reports.ts";

const used = await useApp();
const { app, project, publicKeys } = used;
const html = String((await reportOf(used)).file);
const json = String((await reportOf(used, { format: "json" })).file);
const ofProject = String((await reportOf(used, { project: project.id })).file);
const owner = createSigner(readFileSync(join(app.config.dataDir, "audit.key"), "utf8"));
await app.stop();
const stranger = signerFrom(1);

const file = (text: string) => {
  const found = readReportFile(text);
  if (found === null) throw new Error("not a report");
  return found;
};
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const verdictOf = (text: string) => verify(text, publicKeys).verdict;

/** A report that a holder of a key has made. */
function signedBy(signer: Signer, report: Report, page = renderReport(report).page): string {
  const text = reportText(report);
  const [from, to] = [Date.parse(report.period.from), Date.parse(report.period.to)];
  const statement = { chain: report.chain, from, to, report: sha256(text), page: sha256(page) };
  return withNote(page, signer.sign(statementText(statement)));
}

/** Values at all places of a JSON value: functions that give the value with one of them changed. */
function changesOf(value: Json): (() => Json)[] {
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return [
      ...items.flatMap((item, index) => changesOf(item).map((make) => () => items.with(index, make()))),
      () => items.slice(1),
      () => [...items, items[0] ?? null],
    ];
  }
  if (isObject(value)) {
    return Object.entries(value).flatMap(([name, member]) => [
      ...changesOf(member).map((make) => () => ({ ...value, [name]: make() })),
      () => Object.fromEntries(Object.entries(value).filter(([each]) => each !== name)),
    ]);
  }
  if (typeof value === "number") return [() => value + 1];
  if (typeof value === "string") return [() => `${value}.`, () => value.slice(1)];
  return [() => (value === null ? 1 : !value)];
}

/** At most so many of them, evenly from all places. */
function some<Item>(items: readonly Item[], most: number): Item[] {
  const step = Math.max(1, items.length / most);
  return Array.from(
    { length: Math.min(most, items.length) },
    (_, index) => items[Math.floor(index * step)],
  ).filter((item) => item !== undefined);
}

const contents = JSON.parse(file(html).text);
const changedContents = some(changesOf(contents), 400)
  .map((make) => make())
  .filter((value) => safeText(value) !== file(html).text);

test("as they were made, they are valid", () => {
  expect([html, json, ofProject].map(verdictOf)).toEqual(["unattested", "unattested", "unattested"]);
  expect(signedBy(owner, contentOf(html))).toBe(html);
});

test.each([
  ["html", html],
  ["json", json],
])("any character of the %s file that is another one is found", (_, text) => {
  const places = some([...Array(text.trimEnd().length).keys()], 300);
  const missed = places.filter((at) => {
    const other = text[at] === "0" ? "1" : "0";
    return verdictOf(`${text.slice(0, at)}${other}${text.slice(at + 1)}`) !== "broken";
  });
  expect([places.length, missed]).toEqual([300, []]);
});

test.each([
  ["html", html],
  ["json", json],
])("any part of the %s file that is missing or there twice is found", (_, text) => {
  const places = some([...Array(text.trimEnd().length - 40).keys()], 100);
  const changed = places.flatMap((at) => [
    text.slice(0, at) + text.slice(at + 1 + (at % 40)),
    text.slice(0, at + 1 + (at % 40)) + text.slice(at),
  ]);
  expect(changed.filter((each) => each !== text && verdictOf(each) !== "broken")).toEqual([]);
});

describe("a report with other contents", () => {
  test("is found with the page as it was, with a page of these contents, and as JSON", () => {
    const { text, note, page } = file(html);
    const missed = changedContents.filter((value) => {
      const other = safeText(value);
      const forged = [
        html.replace(text, () => other),
        jsonFile(other, note),
        ...pagesOf(value).map((made) => withNote(made, note)),
      ];
      return forged.some((each) => verdictOf(each) !== "broken");
    });
    expect(page).not.toBeNull();
    expect(changedContents.length).toBeGreaterThan(200);
    expect(missed).toEqual([]);
  });

  test("is found with the signature of another key, and is not one of a key that nobody has given", () => {
    const forged = signedBy(stranger, contentOf(html));
    expect(verdictOf(forged)).toBe("broken");
    expect(verify(forged, [stranger.verifierKey]).verdict).toBe("broken");
    // Its own notes are signed with the key of the ledger.
    expect(verify(forged, [stranger.verifierKey, ...publicKeys]).verdict).toBe("unattested");
  });

  test("is found with the note of another report, of a checkpoint or of an anchor", () => {
    const { chains } = contentOf(html);
    const notes = [
      file(ofProject).note,
      ...chains.map(({ checkpoint }) => checkpoint.note),
      ...chains.flatMap(({ removals }) => removals.map(({ note }) => note)),
    ];
    expect(notes).toHaveLength(4);
    for (const note of notes) {
      expect(verdictOf(html.replace(file(html).note, () => note))).toBe("broken");
      expect(verdictOf(jsonFile(file(json).text, note))).toBe("broken");
    }
  });
});

/** That of a value which still has the form of a report. */
function pagesOf(value: Json): string[] {
  try {
    return [renderReport(value as unknown as Report).page];
  } catch {
    return [];
  }
}

test.each([
  ["a script", (page: string) => page.replace("</main>", "</main><script>document.title = 1</script>")],
  ["a style that hides", (page: string) => page.replace("</style>", ".warning { display: none }</style>")],
  ["a table row less", (page: string) => page.replace(/<tr><td>[^\n]*\n/, "")],
  ["another policy", (page: string) => page.replace("default-src 'none'", "default-src *")],
  [
    "a second report",
    (page: string) => page.replace("<main>", '<main><script type="application/json" id="report">{}</script>'),
  ],
  ["another number", (page: string) => page.replace("40 days", "400 days")],
  ["a warning less", (page: string) => page.replace(/<p class="warning">[^\n]*\n/, "")],
  ["text behind it", (page: string) => `${page}<p>All is well.</p>`],
  ["text before it", (page: string) => `<p>All is well.</p>${page}`],
  ["a comment", (page: string) => page.replace("<body>", "<body><!-- -->")],
])("a page with %s is found, also if the holder of the key has signed it", (_, change) => {
  const changed = change(html);
  expect(changed).not.toBe(html);
  expect(verdictOf(changed)).toBe("broken");
  const page = change(renderReport(contentOf(html)).page);
  expect(verdictOf(signedBy(owner, contentOf(html), page))).toBe("broken");
});

test("JSON that readers could understand in two ways is found, also if the holder of the key has signed it", () => {
  const { text } = file(json);
  const twice = text.replace('"form":', () => '"form":"x","form":');
  const spaced = text.replace('"form":', () => '"form": ');
  for (const other of [twice, spaced]) {
    const { chain, period } = contentOf(json);
    const times = { from: Date.parse(period.from), to: Date.parse(period.to) };
    const note = owner.sign(statementText({ chain, ...times, report: sha256(other), page: sha256("") }));
    expect(verdictOf(jsonFile(other, note))).toBe("broken");
  }
});

describe("the holder of the key", () => {
  const forge = (change: (report: Report) => Report) =>
    verify(signedBy(owner, change(contentOf(html))), publicKeys);
  const withChain = (
    report: Report,
    change: (chain: Report["chains"][number]) => Report["chains"][number],
  ) => ({
    ...report,
    chains: report.chains.map(change),
  });

  test("cannot report other removals than the anchors state", () => {
    const { headline } = forge((report) =>
      withChain(report, (chain) => ({
        ...chain,
        removals: chain.removals.map((removal) => ({ ...removal, count: removal.count - 1 })),
      })),
    );
    expect(headline).toContain("the anchor of a removal");
  });

  test("cannot put in a checkpoint that the key has not signed, or one of another chain", () => {
    const [first] = contentOf(html).chains;
    const text = textOfNote(first?.checkpoint.note ?? "");
    for (const note of [stranger.sign(text), first?.checkpoint.note ?? ""]) {
      const { headline } = forge((report) =>
        withChain(report, (chain) => ({ ...chain, checkpoint: { ...chain.checkpoint, note } })),
      );
      expect(headline).toContain("is not what the key has signed");
    }
  });

  test("contradicts a checkpoint that somebody has kept", () => {
    const [kept] = contentOf(html).chains.map(({ checkpoint }) =>
      parseTreeCheckpoint(textOfNote(checkpoint.note)),
    );
    if (kept === undefined || kept === null) throw new Error("no checkpoint");
    expect(verify(html, publicKeys, [kept]).verdict).toBe("intact");
    const other = { ...kept, root: "0".repeat(64) };
    expect(verify(html, publicKeys, [other]).verdict).toBe("contradicted");
    const forged = withChain(contentOf(html), (chain) =>
      chain.chain === kept.chain
        ? { ...chain, checkpoint: { ...chain.checkpoint, note: owner.sign(treeCheckpointText(other)) } }
        : chain,
    );
    expect(verify(signedBy(owner, forged), publicKeys, [kept]).verdict).toBe("contradicted");
    // One of another size says nothing.
    expect(verify(html, publicKeys, [{ ...kept, leaves: kept.leaves + 1 }]).verdict).toBe("unattested");
  });

  test("cannot have a page of another version taken for the JSON without a word", () => {
    const report = { ...contentOf(html), version: "99.0.0" };
    const page = renderReport(report).page.replace("40 days", "400 days");
    const { verdict, notProved } = verify(signedBy(owner, report, page), publicKeys);
    expect(verdict).toBe("unattested");
    expect(notProved.join()).toContain("memledger 99.0.0 has made it");
  });
});

test.each([
  ["line ends of Windows", (text: string) => text.replaceAll("\n", "\r\n")],
  ["a byte order mark", (text: string) => `\ufeff${text}`],
  ["blank lines at the end", (text: string) => `${text}\n\n  \n`],
  ["no line end at the end", (text: string) => text.trimEnd()],
])("%s are no change", (_, change) => {
  for (const text of [html, json, ofProject]) expect(verdictOf(change(text))).toBe("unattested");
});

test("what is no report is none", () => {
  for (const text of ["", "{}", file(html).note, "<html></html>", file(html).text, "\0"])
    expect(verify(text, publicKeys).headline).toContain("has not the form of a report");
});
