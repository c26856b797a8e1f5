// Owns erasing what audit records hold about somebody: their payloads go, the chain and its proof stay. Says on the chain itself
// what was erased.

import { Type } from "@sinclair/typebox";
import { installationOperation } from "../calls/operation.ts";
import { Refusal } from "../errors.ts";
import { isId } from "../ids.ts";
import { Choice, Fields, Nullable } from "../schema/schema.ts";
import type { AfterCommit } from "../storage/after-commit.ts";
import type { Transaction } from "../storage/store.ts";
import { toServerRecord } from "./record.ts";
import type { RecordsWithText } from "./store.ts";

/** The payloads of these say what is missing, so a verifier needs them. */
const lasting = ["audit.redact", "audit.prune"];

export const redactRecords = installationOperation({
  name: "audit.redact",
  summary: "Erase payloads of audit records",
  description:
    "Erases the payload of one record, or of every record that holds a memory, search results included, and removes the files of exports that hold them. The memory itself stays, unless delete_memory is true. What is erased cannot be brought back; the chain still verifies.",
  feature: "installation",
  secret: false,
  success: 200,
  input: Fields({
    record: Type.Optional(Type.String({ description: "Id of one audit record." })),
    memory: Type.Optional(Type.String({ description: "Id of a memory, deleted or not." })),
    delete_memory: Type.Optional(Type.Boolean({ description: "Delete the memory, too." })),
  }),
  output: Fields({
    redacted: Type.Integer({ description: "Records whose payload was erased now." }),
    records: Type.Array(Type.String(), { description: "Their ids." }),
    exports: Type.Array(Type.String(), {
      description:
        "Exports that held them. Their files were removed; copies that were downloaded must be deleted by hand.",
    }),
    memory: Nullable(
      Choice(["deleted", "kept", "absent"], {
        description:
          "The memory itself: deleted now; kept, so that it still holds its text and new records will, too; or absent, because there is none with this id. Null when a record was named.",
      }),
    ),
  }),

  async prepare(input, { store }): Promise<RecordsWithText> {
    const { record, memory, delete_memory } = withPlainIds(input);
    const id = record ?? memory ?? "";
    if (record !== undefined && memory !== undefined) {
      throw new Refusal(
        1400,
        "A record and a memory were named. Name one of them, and the other with a second command.",
      );
    }
    if (!isId(id)) {
      throw new Refusal(1400, "Send the id of either a record or a memory: 32 hexadecimal characters.");
    }
    if (memory !== undefined) return store.audit.findText(memory);
    if (delete_memory === true) {
      throw new Refusal(1400, "A record was named, so there is no memory to delete. Send the memory's id.");
    }
    const place = await store.audit.place(id);
    if (place === null)
      throw new Refusal(2204, "There is no such audit record. It may have been pruned already.");
    if (lasting.includes(place.action)) {
      throw new Refusal(
        1400,
        `A record of ${place.action} says what is missing from the chain, so it cannot be erased itself.`,
      );
    }
    return { places: [place], through: 0 };
  },

  async apply(transaction, input, { now }, { places, through }) {
    const { memory, delete_memory = false } = withPlainIds(input);
    // Calls that were answered while all payloads were read have left records that nobody has looked at.
    const later = memory === undefined ? [] : await transaction.audit.findTextAfter(memory, through);
    const present = [...places, ...later].filter(
      ({ hasPayload, action }) => hasPayload && !lasting.includes(action),
    );
    const state = memory === undefined ? null : await endMemory(transaction, memory, delete_memory, now);
    const exports = await transaction.audit.erase(present);
    if (memory !== undefined && present.length === 0 && state !== "deleted") {
      // An erasure that is repeated because its effects failed comes here, too: they are tried again.
      return { refusal: nothingHolds(state), after: erasureEffects };
    }
    const byProject = Map.groupBy(present, ({ project }) => project);
    for (const members of byProject.values()) {
      const [first] = members;
      const project = first?.project ?? null;
      const redacted = members.map(({ seq }) => seq);
      await transaction.audit.append(toServerRecord(project, "audit.redact", now, { redacted }));
      // Anybody can append a record; a verifier believes this one because the server signs it.
      await transaction.audit.signCheckpoint(project, now);
    }
    return {
      data: {
        redacted: present.length,
        records: present.map(({ id }) => id),
        exports: [...exports],
        memory: state,
      },
      after: erasureEffects,
    };
  },
});

const erasureEffects: readonly AfterCommit[] = [
  { effect: "erase_remains" },
  { effect: "remove_expired_exports" },
];

function nothingHolds(state: "kept" | "absent" | null): Refusal {
  const rest =
    state === "kept" ? "The memory itself is there: to delete it, add --delete-memory." : "Correct the id.";
  return new Refusal(
    2204,
    `No audit record holds this memory, or its records were erased or pruned before. Nothing was erased now. ${rest}`,
  );
}

/** Ids as they are written everywhere else: a person may have copied one with a space or from a program that writes capitals. */
function withPlainIds<Input extends { readonly record?: string; readonly memory?: string }>(input: Input) {
  const { record, memory, ...rest } = input;
  return { ...rest, record: record?.trim().toLowerCase(), memory: memory?.trim().toLowerCase() };
}

/** Deletes the memory if it is there and `isDeleted` says so; the project's chain gets the record that a call would leave. */
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
