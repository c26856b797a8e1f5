// Owns the report of a period, for auditors: what the ledger, the register of operations and the settings say, signed with the key of the ledger.
// Must never show a text of a memory, a message or a query.

import { Type } from "@sinclair/typebox";
import { jsonFile, withNote } from "../../../audit/report/file.ts";
import { listedMax } from "../../../audit/report/limits.ts";
import { renderReport } from "../../../audit/report/page.ts";
import { type Report, reportForm } from "../../../audit/report/report.ts";
import { fieldRefusal } from "../../../platform/errors.ts";
import { toId } from "../../../platform/ids.ts";
import { sha256 } from "../../../platform/json/hash.ts";
import { nameMaxCharacters } from "../../../platform/limits.ts";
import { Choice, Count, Fields, Moment, Nullable, Text } from "../../../platform/schema/schema.ts";
import { subjectName } from "../../../platform/schema/subject-name.ts";
import { fromMoment } from "../../../platform/time/iso8601.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { version } from "../../../platform/version.ts";
import { type InstallationPreparation, installationOperation } from "../../contract/operation.ts";
import type { CountedCalls, Period, ReportedOwner } from "../../storage/report-store.ts";
import type { Transaction } from "../../storage/store.ts";
import { unknownProject } from "../access/require-project.ts";
import { endBeforeStart } from "../ledger/list.ts";
import { toActions, toLogged, toRefusals } from "./calls.ts";
import { readChain, type UnsignedChain } from "./chains.ts";
import { readAdministration, readErasures } from "./records.ts";

/** What was read; the checkpoints are signed with the report. */
interface Unsigned {
  readonly report: Omit<Report, "chain" | "chains">;
  readonly chains: readonly UnsignedChain[];
  readonly period: Period;
}

export const makeReport = installationOperation({
  name: "audit.report",
  summary: "Write the report of a period",
  description:
    "Writes a report of a period for auditors, signed with the key of the ledger: what is logged, coverage and verification, retention, erasures, administration, keys, refused calls, models, witnesses and time stamps. One HTML file, which contains the same as JSON.",
  effects: { readOnly: false, destructive: false, idempotent: true },
  unrecorded: ["subject"],
  answersWithRecords: true,
  input: Fields({
    start_time: Moment({ description: "Beginning of the period. ISO 8601; UTC if it has no time zone." }),
    end_time: Moment({
      description: "End of the period, included; a date includes the whole day. In the future: until now.",
    }),
    project: Type.Optional(
      Text({
        maxLength: nameMaxCharacters,
        description: "Id or name of the project; without it, the installation and all projects.",
      }),
    ),
    subject: Type.Optional(subjectName),
    format: Type.Optional(
      Choice(["html", "json"], {
        description: "html: a page that contains the JSON. json: the JSON alone.",
        default: "html",
      }),
    ),
  }),
  output: Fields({
    file: Type.String({ description: "The text of the file." }),
    note: Type.String({ description: "Its signature, which the file contains: a signed note." }),
    chains: Count("Number of chains in it."),
    records: Count("Number of records of the period."),
    findings: Type.Array(Type.String(), { description: "What an auditor should look at first." }),
    from: Type.String({ description: "Beginning of the period." }),
    to: Type.String({ description: "End of the period." }),
    subject: Nullable(Type.String({ description: "Pseudonym of the subject; null: all." })),
  }),

  async prepare(input, preparation): Promise<Unsigned> {
    const period = readPeriod(input, preparation.now);
    const { owners, more, project } = await findOwners(input.project, preparation);
    const subject = await findSubject(input.subject, project, preparation);
    const read = [];
    for (const owner of owners) read.push(await readChain(owner, period, preparation));
    const counted = subject === null ? read.flatMap((each) => each.counted) : [];
    return {
      period,
      chains: read.map(({ chain }) => chain),
      report: {
        form: reportForm,
        version,
        made_at: toTimestamp(preparation.now),
        period: { from: toTimestamp(period.from), to: toTimestamp(period.to) },
        project,
        subject,
        logged: toLogged(preparation.operations),
        more_chains: more,
        ...countsOf(subject === null ? counted : await countOfSubject(project, period, subject, preparation)),
        administration: subject === null ? await readAdministration(period, project, preparation) : null,
        erasures: await readAllErasures(owners, period, subject, preparation),
        models: subject === null ? await readModels(preparation) : null,
      },
    };
  },

  async apply({ audit }, { format = "html" }, { now }, { report: unsigned, chains, period }) {
    const signed = [];
    for (const chain of chains) signed.push(await withCheckpoint(audit, chain, now));
    const chain = signed[0]?.chain ?? "";
    const report: Report = { ...unsigned, chain, chains: signed };
    const { text, page, findings } = renderReport(report);
    const note = await audit.signReport({ chain, ...period, report: sha256(text), page: sha256(page) });
    return {
      data: {
        file: format === "html" ? withNote(page, note) : jsonFile(text, note),
        note,
        chains: signed.length,
        records: signed.reduce((sum, { records }) => sum + records, 0),
        findings: [...findings],
        ...report.period,
        subject: report.subject,
      },
    };
  },
});

/** @throws Refusal 1400 */
function readPeriod(input: { start_time: string; end_time: string }, now: number): Period {
  const from = fromMoment(input.start_time)?.firstMs ?? 0;
  const end = fromMoment(input.end_time)?.lastMs ?? 0;
  if (end < from) throw endBeforeStart();
  if (from > now) throw fieldRefusal("start_time", "is in the future");
  return { from, to: Math.min(end, now) };
}

interface Owners {
  /** Null: the installation. */
  readonly owners: readonly (ReportedOwner | null)[];
  readonly more: number;
  readonly project: Report["project"];
}

/** @throws Refusal 1400 */
async function findOwners(idOrName: string | undefined, { store }: InstallationPreparation): Promise<Owners> {
  if (idOrName === undefined) {
    const { owners, more } = await store.reports.owners(listedMax.chains);
    return { owners: [null, ...owners], more, project: null };
  }
  const project = await store.access.findProject(idOrName);
  if (project === null) throw unknownProject(idOrName);
  const { id, name } = project;
  return { owners: [{ ...project, deletedAt: null }], more: 0, project: { id, name } };
}

/** The pseudonym. One that has lost its name is given itself. @throws Refusal 1400 */
async function findSubject(
  name: string | undefined,
  project: Report["project"],
  { store }: InstallationPreparation,
): Promise<string | null> {
  if (name === undefined) return null;
  if (project === null) throw fieldRefusal("subject", "is a subject of a project; name the project, too");
  const known = await store.subjects.find(project, name);
  if (known !== null) return known.id;
  const pseudonym = toId(name);
  if (pseudonym !== null) return pseudonym;
  throw fieldRefusal("subject", "is not known: give its pseudonym if it was erased");
}

function countsOf(counted: readonly CountedCalls[]): Pick<Report, "actions" | "refusals"> {
  return { actions: toActions(counted), refusals: toRefusals(counted) };
}

async function countOfSubject(
  project: Report["project"],
  period: Period,
  subject: string,
  { store: { reports }, signal }: InstallationPreparation,
): Promise<readonly CountedCalls[]> {
  const { first = null, last = null } = (await reports.chain(project, period, signal)) ?? {};
  if (first === null || last === null) return [];
  return reports.count(project, { first: first.seq, last: last.seq }, subject, signal);
}

async function readAllErasures(
  owners: Owners["owners"],
  period: Period,
  subject: string | null,
  preparation: InstallationPreparation,
): Promise<Report["erasures"]> {
  const read = [];
  for (const owner of owners) read.push(await readErasures(owner, period, subject, preparation));
  const records = read.flatMap((each) => each.records).toSorted((one, other) => (one.at < other.at ? 1 : -1));
  const older = read.reduce((sum, { more }) => sum + more, 0);
  return {
    records: records.slice(0, listedMax.records),
    more: older + Math.max(0, records.length - listedMax.records),
  };
}

async function readModels({
  store,
  settings,
}: Pick<InstallationPreparation, "store" | "settings">): Promise<Report["models"]> {
  const embedding = await store.models.bound();
  const reranker = embedding === null ? null : settings.rerankerOf(embedding);
  const named = { use: "language model", name: settings.languageModel ?? "", sha256: null } as const;
  return [
    ...(embedding === null
      ? []
      : [{ use: "embedding", name: embedding.id, sha256: embedding.sha256 } as const]),
    ...(reranker === null ? [] : [{ use: "reranker", name: reranker.id, sha256: reranker.sha256 } as const]),
    ...(settings.languageModel === null ? [] : [named]),
  ];
}

async function withCheckpoint(
  audit: Pick<Transaction["audit"], "signCheckpoint">,
  chain: UnsignedChain,
  now: number,
): Promise<Report["chains"][number]> {
  const { checkpoint, note } = await audit.signCheckpoint(chain.project?.id ?? null, now);
  const { chain: name, size, at } = checkpoint;
  return { ...chain, chain: name, checkpoint: { size, signed_at: toTimestamp(at), note } };
}
