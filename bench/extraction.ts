// The built-in extractor: what it finds of the annotated texts, what it keeps of conversations, and what a text of the largest size
// costs the server. Must never print a text of the unseen half.

import { join } from "node:path";
import { plain } from "../src/memory/extraction/extraction-source.ts";
import type { ExtractionDetail } from "../src/memory/extraction/extractor.ts";
import { builtInDetails, extractBuiltIn } from "../src/models/extraction/built-in.ts";
import { extractionTextMaxCharacters } from "../src/platform/limits.ts";
import {
  type AnnotatedText,
  addScores,
  emptyScore,
  loadAnnotated,
  rates,
  type Score,
  scoreText,
} from "../test/models/extraction/score.ts";
import { median, ms, percent } from "./figures.ts";
import {
  type BenchOptions,
  copyAlone,
  createProject,
  expectStatuses,
  loadOne,
  measureTable,
  progress,
  type Server,
  startLoad,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import { kept } from "./kept.ts";
import type { Stream, StreamResult } from "./load-generator.ts";
import { said } from "./said.ts";
import { tailText } from "./tail.ts";
import { workDetails } from "./work-details.ts";

const leastPrecision = 0.85;
const leastRecall = 0.6;
const longestMs = 3_000;
const blockedMs = 20;
const probeEveryMs = 2;
const probeSeconds = 3;

export async function extraction(options: BenchOptions): Promise<readonly Table[]> {
  const { executable, against, datasets } = options;
  const [dataset] = datasets;
  const keeping = dataset === undefined ? [] : [await kept(executable, dataset)];
  const later = await said(executable, against, dataset ?? null);
  return [quality(), ...keeping, ...later, await workDetails(executable), await cost(options)];
}

function quality(): Table {
  const seen = loadAnnotated("seen");
  const kinds = [...new Set(seen.map(({ kind }) => kind))];
  const rows = kinds.map((kind) => row(`seen, ${kind}`, score(seen.filter((text) => text.kind === kind))));
  const unseenTexts = loadAnnotated("unseen");
  const unseen = score(unseenTexts);
  const unseenCasual = score(unseenTexts.filter(({ kind }) => kind === "casual"));
  const { precision, recall } = rates(unseen);
  const verdict = (is: boolean) => (is ? "reached" : "**not reached**");
  return {
    title: "Extraction by rules: quality",
    note: `Texts in which the sentences worth remembering are marked by hand (test/models/extraction/annotated); the unseen half was never looked at while rules were written. An item is right when it shares half of the shorter one's characters with a marked sentence; type and expiry (the day) count over the marked sentences that were found. In noise nothing is marked, so every item of it is wrong. Bars on the unseen half: precision ≥ ${percent(leastPrecision)} ${verdict(precision >= leastPrecision)}, recall ≥ ${percent(leastRecall)} ${verdict(recall >= leastRecall)}.`,
    columns: ["half, kind", "texts", "marked", "items", "precision", "recall", "F1", "type", "expiry"],
    rows: [
      ...rows,
      row("unseen, casual", unseenCasual),
      row("**seen, all**", score(seen)),
      row("**unseen, all**", unseen),
    ],
  };
}

function score(texts: readonly AnnotatedText[]): Score {
  return texts
    .map((text) => scoreText(text, extractBuiltIn(plain(text.text), Date.parse(text.now))))
    .reduce(addScores, emptyScore);
}

function row(name: string, counted: Score): string[] {
  const { precision, recall, f1, types, expiries } = rates(counted);
  const share = (value: number) => (Number.isNaN(value) ? "" : percent(value));
  const found = counted.annotated === 0 ? "" : percent(recall);
  return [
    ...[name, String(counted.texts), String(counted.annotated), String(counted.items)],
    ...[share(precision), found, counted.annotated === 0 ? "" : percent(f1), share(types), share(expiries)],
  ];
}

async function cost(options: BenchOptions): Promise<Table> {
  using folder = temporaryFolder();
  const executable = copyAlone(options.executable, folder.path);
  const dataDir = join(folder.path, "data");
  await using server = await startServer(executable, dataDir);
  const { key } = await createProject(executable, dataDir, "extraction");
  const text = longText();
  const callFor = (detail: ExtractionDetail) => ({
    method: "POST",
    path: "/v1/memories/extract",
    body: { text, detail, dry_run: true },
  });
  const stream = { name: "extract", clients: 1, key, repeat: false };
  const first = await loadOne(server.port, 60, { ...stream, calls: [callFor("essential")] }, 200);
  const times: Readonly<Record<ExtractionDetail, number[]>> = { essential: [], full: [], verbatim: [] };
  const idle: StreamResult[] = [];
  const beside: StreamResult[] = [];
  for (let round = 0; round < options.rounds; round++) {
    progress(`extraction: round ${round + 1}`);
    for (const detail of builtInDetails) {
      idle.push(await loadOne(server.port, probeSeconds, probe(key), 200));
      const [probed, extracted] = await besideExtraction(server, probe(key), {
        ...stream,
        calls: [callFor(detail)],
        afterMs: 500,
      });
      beside.push(probed);
      times[detail].push(...extracted.latenciesMs);
    }
  }
  const [idleWorst, worst] = [idle, beside].map((results) =>
    median(results.map(({ latenciesMs }) => latenciesMs.at(-1) ?? 0)),
  );
  const note = `One text of ${text.length.toLocaleString("en")} characters (the annotated texts in a row) through POST /v1/memories/extract with dry_run, which embeds every item and compares it; the first one after a start takes ${ms(first.latenciesMs[0] ?? 0)}. Beside it a second client asks GET /health/live every ${probeEveryMs} ms; its longest wait is how long the thread that serves HTTP was busy with something else. Both clients share the machine with the server.`;
  return measureTable("Extraction by rules: cost", note, [
    ...builtInDetails.map((detail) => {
      const [took, rules] = [median(times[detail]), ownTime(text, detail)];
      return {
        what: `detail ${detail}: ${rules.items} items`,
        figure: ms(took),
        comparedTo: `the rules alone, in this process: ${ms(rules.ms)}`,
        bar: `≤ ${longestMs / 1_000} s`,
        reached: took <= longestMs,
      };
    }),
    {
      what: `longest wait of a probe meanwhile (${tailText(beside)})`,
      figure: ms(worst ?? 0),
      comparedTo: `idle: ${ms(idleWorst ?? 0)} (${tailText(idle)})`,
      bar: `≤ ${blockedMs} ms`,
      reached: (worst ?? 0) <= blockedMs,
    },
  ]);
}

const probe = (key: string): Stream => ({
  name: "probe",
  clients: 1,
  key,
  repeat: true,
  everyMs: probeEveryMs,
  calls: [{ method: "GET", path: "/health/live" }],
});

async function besideExtraction(
  { port }: Server,
  probed: Stream,
  extract: Stream,
): Promise<readonly [StreamResult, StreamResult]> {
  const [waits, done] = await startLoad({ port, seconds: probeSeconds, streams: [probed, extract] });
  if (waits === undefined || done === undefined) throw new Error("The load generator gave no result.");
  expectStatuses(waits, 200);
  expectStatuses(done, 200);
  return [waits, done];
}

/** All annotated texts in a row, as often as it takes. */
function longText(): string {
  const all = [...loadAnnotated("seen"), ...loadAnnotated("unseen")].map(({ text }) => text).join("\n\n");
  return all
    .repeat(Math.ceil(extractionTextMaxCharacters / all.length))
    .slice(0, extractionTextMaxCharacters);
}

function ownTime(text: string, detail: ExtractionDetail): { readonly ms: number; readonly items: number } {
  const now = Date.UTC(2026, 10, 21);
  extractBuiltIn(plain(text, detail), now);
  const start = performance.now();
  const items = extractBuiltIn(plain(text, detail), now).length;
  return { ms: performance.now() - start, items };
}
