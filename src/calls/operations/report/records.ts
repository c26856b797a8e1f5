// Owns which records a report lists, and what it says of each: administration, and erasures. Of what was asked and answered it shows ids, names
// of projects, numbers and choices only.

import { hideSecrets } from "../../../access/key.ts";
import { planNames } from "../../../access/plan.ts";
import { subscriptions } from "../../../access/project.ts";
import type { StoredRecord } from "../../../audit/record.ts";
import { allNamed, toRecordFilter } from "../../../audit/record-filter.ts";
import { parseObject, toAuditRecordDetail } from "../../../audit/record-view.ts";
import { listedMax, nameMax, recordsAtOnce } from "../../../audit/report/limits.ts";
import type { Report, ReportedRecord, ReportedRecords } from "../../../audit/report/report.ts";
import { isObject, type Json, type JsonObject } from "../../../platform/json/json.ts";
import { shorten } from "../../../platform/text/characters.ts";
import type { InstallationPreparation, Operation } from "../../contract/operation.ts";
import type { ChainOwner } from "../../storage/ledger-store.ts";
import type { Period } from "../../storage/report-store.ts";
import { createAdministrationKey, revokeAdministrationKey } from "../access/administration-key-operations.ts";
import { useConsoleKey } from "../access/console-key.ts";
import { createKey, revokeKey, updateKey } from "../access/key-operations.ts";
import { useLocalKey } from "../access/local-key.ts";
import { createProject } from "../access/project-operations.ts";
import { createBackup } from "../backups/create.ts";
import { eraseConversationOf } from "../conversations/erase-of-project.ts";
import { eraseRecords } from "../ledger/erase-records.ts";
import { rotateKey } from "../ledger/rotate-key.ts";
import { beginModelChange, cancelModelChange, changeModel } from "../model-change/operations.ts";
import { repeatErasure } from "../subjects/repeat-erasure.ts";

const kinds: readonly (readonly [ReportedRecord["kind"], readonly Pick<Operation, "name">[]])[] = [
  [
    "key",
    [
      createKey,
      updateKey,
      revokeKey,
      useLocalKey,
      useConsoleKey,
      createAdministrationKey,
      revokeAdministrationKey,
      rotateKey,
    ],
  ],
  ["backup", [createBackup]],
  ["model", [beginModelChange, changeModel, cancelModelChange]],
  ["erasure", [eraseRecords, eraseConversationOf, repeatErasure]],
];

/** Successful calls of the installation that change something, and backups. */
export async function readAdministration(
  period: Period,
  project: Report["project"],
  preparation: InstallationPreparation,
): Promise<ReportedRecords> {
  const listed = preparation.operations.filter(
    (operation) =>
      operation.scope === "installation" && (!operation.effects.readOnly || operation === createBackup),
  );
  const found: ReportedRecord[] = [];
  let more = 0;
  for (const { name } of listed) {
    const read = await readRecords(null, name, period, preparation, (record) => toReported(record, null));
    found.push(...read.records);
    more += read.more;
  }
  const ofProject = found.filter((record) => project === null || concerns(record, project));
  const newest = ofProject.toSorted((one, other) => other.seq - one.seq);
  return {
    records: newest.slice(0, listedMax.records),
    more: more + Math.max(0, newest.length - listedMax.records),
  };
}

/** @param subject pseudonym: only erasures of which it is one; null: all */
export async function readErasures(
  owner: ChainOwner,
  period: Period,
  subject: string | null,
  preparation: InstallationPreparation,
): Promise<Report["erasures"]> {
  const { records, more } = await readRecords(owner, eraseRecords.name, period, preparation, (record) => {
    const { redacted, redacted_parts: parts, erased = [] } = parseObject(record.payload) ?? {};
    // A call of an administrator has a record of its own, beside that of the chain in which something was erased.
    if (!Array.isArray(redacted) || !Array.isArray(parts)) return null;
    const pseudonyms = Array.isArray(erased) ? erased.map(String) : [];
    if (subject !== null && !pseudonyms.includes(subject)) return null;
    const inPart = new Set(parts.map((part) => (Array.isArray(part) ? part[0] : null))).size;
    return { ...toReported(record, owner), whole: redacted.length, in_part: inPart, pseudonyms };
  });
  return { records, more };
}

/** The newest ones. */
async function readRecords<Shown extends ReportedRecord>(
  owner: ChainOwner,
  action: string,
  { from, to }: Period,
  { store, signal }: InstallationPreparation,
  show: (record: StoredRecord) => Shown | null,
): Promise<{ readonly records: Shown[]; readonly more: number }> {
  const filter = { ...toRecordFilter({ action, status_class: "2xx" }, allNamed), from, to };
  const records: Shown[] = [];
  let read = 0;
  let below: number | null = null;
  for (;;) {
    const page = await store.audit.list(
      owner,
      {
        ...filter,
        limit: recordsAtOnce,
        through: null,
        total: null,
        after: below === null ? { skip: 0 } : { below },
      },
      signal,
    );
    records.push(...page.records.map(show).filter((record) => record !== null));
    read += page.records.length;
    below = page.records.at(-1)?.seq ?? null;
    if (!page.hasMore || below === null || read >= listedMax.records)
      return { records, more: page.hasMore ? page.total - read : 0 };
  }
}

function toReported(record: StoredRecord, owner: ChainOwner): ReportedRecord {
  const { id, action, created_at: at, reason, ...detail } = toAuditRecordDetail(record, true);
  const asked = { ...objectIn(detail.request_parameters), ...objectIn(detail.request_body) };
  const answered = objectIn(objectIn(detail.response_body).data);
  const [kind = "other"] = kinds.find(([, members]) => members.some(({ name }) => name === action)) ?? [];
  return {
    project: owner?.id ?? null,
    seq: record.seq,
    id,
    at,
    action,
    kind,
    by: senderText(detail),
    on: namesText(action, asked, answered),
    settings: settingsText(asked),
    reason,
  };
}

function objectIn(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

type Sender = Pick<
  ReturnType<typeof toAuditRecordDetail>,
  "os_uid" | "os_user" | "sudo_user" | "administration_key_id" | "session_id" | "key_id" | "transport"
>;

function senderText(sender: Sender): string {
  const {
    os_uid: uid,
    os_user: user,
    sudo_user: sudo,
    administration_key_id: key,
    session_id: session,
  } = sender;
  const parts = [
    ...(user === null ? [] : [user]),
    ...(uid === null ? [] : [`uid ${uid}`]),
    ...(sudo === null ? [] : [`sudo by ${sudo}`]),
    ...(key === null ? [] : [`administration key ${key}`]),
    ...(session === null ? [] : [`session ${session}`]),
    ...(sender.key_id === null ? [] : [`key ${sender.key_id}`]),
    ...(sender.transport === null ? [] : [`over ${sender.transport}`]),
  ];
  return parts.length === 0 ? "the server" : parts.map((part) => short(part)).join(", ");
}

/** Members that name what an operation is about. No other text of a call is shown. */
const naming = [
  "project",
  "project_id",
  "key",
  "key_id",
  "id",
  "record",
  "memory",
  "session",
  "chain",
  "sha256",
];

function namesText(action: string, asked: JsonObject, answered: JsonObject): string {
  // Of keys, a name may be that of a person.
  const members = action === createProject.name ? ["name", ...naming] : naming;
  const named = members.flatMap((name) =>
    [asked[name], answered[name]].flatMap((value) =>
      typeof value === "string" ? [`${name} ${short(hideSecrets(value))}`] : [],
    ),
  );
  return [...new Set(named)].join("\n");
}

const choices: readonly string[] = [...planNames, ...subscriptions];

/** Numbers and choices. */
function settingsText(asked: JsonObject): string {
  const isShown = (value: Json) =>
    value === null ||
    typeof value === "number" ||
    typeof value === "boolean" ||
    choices.includes(String(value));
  return Object.entries(asked)
    .filter(([, value]) => isShown(value))
    .map(([name, value]) => `${name} ${value ?? "none"}`)
    .join("\n");
}

/** A backup, a model and the signing key are those of all projects. */
function concerns(
  { kind, action, on }: ReportedRecord,
  { id, name }: NonNullable<Report["project"]>,
): boolean {
  const lines = on.split("\n");
  return (
    ["backup", "model"].includes(kind) ||
    action === rotateKey.name ||
    [`project ${id}`, `project_id ${id}`, `id ${id}`, `project ${name}`].some((line) => lines.includes(line))
  );
}

function short(text: string): string {
  return shorten(text, nameMax);
}
