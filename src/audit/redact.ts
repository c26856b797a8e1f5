// Owns erasing the payloads of audit records. The entries stay, so the chain still verifies, and a record on the chain says which
// payloads were erased.

import { Type } from "@sinclair/typebox";
import { installationOperation } from "../calls/operation.ts";
import { Refusal } from "../errors.ts";
import { isId } from "../ids.ts";
import { Choice, Fields, Nullable } from "../schema/schema.ts";
import type { AfterCommit } from "../storage/after-commit.ts";
import type { Transaction } from "../storage/store.ts";
import { toServerRecord } from "./record.ts";
import type { RecordsWithText } from "./store.ts";

/** A verifier needs the payloads of these actions, because they say which payloads and records were removed. */
const notErasable = ["audit.redact", "audit.prune"];

export const redactRecords = installationOperation({
  name: "audit.redact",
  summary: "Erase payloads of audit records",
  description:
    "Permanently erases the payload of one record, or of every record that contains a memory (including search results), removes the files of exports that contain these records, and deletes the checks that expect the memory. The memory itself is kept, unless the same call deletes it. The chain still verifies.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  secret: false,
  success: 200,
  input: Fields({
    record: Type.Optional(Type.String({ description: "Id of one audit record." })),
    memory: Type.Optional(Type.String({ description: "Id of a memory, which may be deleted already." })),
    delete_memory: Type.Optional(Type.Boolean({ description: "Whether to delete the memory too." })),
  }),
  output: Fields({
    redacted: Type.Integer({ description: "Number of records whose payload was erased by this call." }),
    records: Type.Array(Type.String(), { description: "Ids of these records." }),
    exports: Type.Array(Type.String(), {
      description:
        "Ids of the exports that contained these records. The server has removed their files; delete downloaded copies yourself.",
    }),
    checks: Type.Integer({ minimum: 0, description: "Number of checks that were deleted." }),
    memory: Nullable(
      Choice(["deleted", "kept", "absent"], {
        description:
          "What happened to the memory: deleted; kept (it still exists, and new records may contain its text); or absent (no memory has this id). Null if the call named a record.",
      }),
    ),
  }),

  async prepare(input, { store }): Promise<RecordsWithText> {
    const { record, memory, delete_memory } = withPlainIds(input);
    const id = record ?? memory ?? "";
    if (record !== undefined && memory !== undefined) {
      throw new Refusal(
        1400,
        "The call names a record and a memory. Name only one of them, and run a second command for the other.",
      );
    }
    if (!isId(id)) {
      throw new Refusal(1400, "Send the id of a record or the id of a memory: 32 hexadecimal characters.");
    }
    if (memory !== undefined) return store.audit.findText(memory);
    if (delete_memory === true) {
      throw new Refusal(
        1400,
        "delete_memory needs the id of a memory, but the call names a record. Send the id of the memory instead.",
      );
    }
    const place = await store.audit.place(id);
    if (place === null)
      throw new Refusal(
        2204,
        "The audit record does not exist. It may have been pruned. List records to find its id.",
      );
    if (notErasable.includes(place.action)) {
      throw new Refusal(
        1400,
        `A record of ${place.action} cannot be erased: verifiers need its payload, which says what was removed from the chain. Name another record.`,
      );
    }
    return { places: [place], through: 0 };
  },

  async apply(transaction, input, { now }, { places, through }) {
    const { memory, delete_memory = false } = withPlainIds(input);
    // Calls that were answered while the payloads were read have added records that must be searched too.
    const later = memory === undefined ? [] : await transaction.audit.findTextAfter(memory, through);
    const present = [...places, ...later].filter(
      ({ hasPayload, action }) => hasPayload && !notErasable.includes(action),
    );
    const state = memory === undefined ? null : await endMemory(transaction, memory, delete_memory, now);
    const exports = await transaction.audit.erase(present);
    // A check has a query about the memory, which its records had, too.
    const checks = memory === undefined ? 0 : await transaction.checks.removeExpecting(memory);
    if (memory !== undefined && present.length === 0 && checks === 0 && state !== "deleted") {
      // The operator may have repeated the call because its effects failed: they are run again.
      return { refusal: nothingHolds(state), after: erasureEffects };
    }
    const byProject = Map.groupBy(present, ({ project }) => project);
    for (const members of byProject.values()) {
      const [first] = members;
      const project = first?.project ?? null;
      const redacted = members.map(({ seq }) => seq);
      await transaction.audit.append(toServerRecord(project, "audit.redact", now, { redacted }));
      // Verifiers accept a record of a removal only if a signed checkpoint covers it: anyone with write access can append a record.
      await transaction.audit.signCheckpoint(project, now);
    }
    return {
      data: {
        redacted: present.length,
        records: present.map(({ id }) => id),
        exports: [...exports],
        memory: state,
        checks,
      },
      after: erasureEffects,
    };
  },
});

const erasureEffects: readonly AfterCommit[] = [
  { effect: "erase_remains" },
  { effect: "remove_expired_exports" },
  { effect: "remove_cached_vectors", project: null },
  { effect: "remove_cached_answers", of: null },
];

function nothingHolds(state: "kept" | "absent" | null): Refusal {
  const rest =
    state === "kept" ? "The memory itself exists: to delete it, add --delete-memory." : "Check the id.";
  return new Refusal(
    2204,
    `Nothing was erased: no audit record contains this memory, or its records were erased or pruned before. ${rest}`,
  );
}

/** The ids in lower case without surrounding white space: a person may have copied one with a space or in capitals. */
function withPlainIds<Input extends { readonly record?: string; readonly memory?: string }>(input: Input) {
  const { record, memory, ...rest } = input;
  return { ...rest, record: record?.trim().toLowerCase(), memory: memory?.trim().toLowerCase() };
}

/** Deletes the memory if it exists and `isDeleted` is true, and appends the same record as a call of memory.delete. */
async function endMemory(
  transaction: Transaction,
  id: string,
  isDeleted: boolean,
  now: number,
): Promise<"deleted" | "kept" | "absent"> {
  const owner = await transaction.memories.ownerOf(id);
  const project = owner === null ? null : await transaction.access.findProject(owner);
  const memory = project === null ? null : await transaction.memories.find(project, id);
  if (project === null || memory === null) return "absent";
  if (!isDeleted) return "kept";
  await transaction.memories.remove(project, id, now);
  const { type, importance } = memory;
  await transaction.audit.append({
    ...toServerRecord(project.id, "memory.delete", now, {
      deleted_memory: { memory_type: type, importance },
    }),
    status: 204,
    memoryId: id,
  });
  return "deleted";
}
