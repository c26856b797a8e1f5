// Owns erasing what audit records hold about somebody: their payloads go, the chain and its proof stay. Says on the chain itself
// what was erased.

import { Type } from "@sinclair/typebox";
import { Refusal } from "../errors.ts";
import { isId } from "../ids.ts";
import { installationOperation } from "../operation.ts";
import { Fields } from "../schema.ts";
import { toServerRecord } from "./record.ts";
import type { RecordPlace } from "./store.ts";

/** The payloads of these say what is missing, so a verifier needs them. */
const lasting = ["audit.redact", "audit.prune"];

export const redactRecords = installationOperation({
  name: "audit.redact",
  summary: "Erase payloads of audit records",
  description:
    "Erases the payload of one record, or of every record that holds a memory, search results included. What is erased cannot be brought back; the chain still verifies.",
  feature: "installation",
  secret: false,
  success: 200,
  input: Fields({
    record: Type.Optional(Type.String({ description: "Id of one audit record." })),
    memory: Type.Optional(Type.String({ description: "Id of a memory, deleted or not." })),
  }),
  output: Fields({
    redacted: Type.Integer({ description: "Records whose payload was erased now." }),
    records: Type.Array(Type.String(), { description: "Their ids." }),
    exports: Type.Array(Type.String(), {
      description: "Exports made before that still hold them; delete these files.",
    }),
  }),

  async prepare({ record, memory }, { store }): Promise<readonly RecordPlace[]> {
    const id = record ?? memory ?? "";
    if ((record === undefined) === (memory === undefined) || !isId(id)) {
      throw new Refusal(1400, "Send the id of either a record or a memory: 32 hexadecimal characters.");
    }
    if (memory !== undefined) {
      return (await store.audit.mentions(memory)).filter(({ action }) => !lasting.includes(action));
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
    return [place];
  },

  async apply(transaction, _input, { now }, places) {
    const present = places.filter(({ hasPayload }) => hasPayload);
    const byProject = Map.groupBy(present, ({ project }) => project?.serial ?? null);
    for (const members of byProject.values()) {
      const [first] = members;
      const project = first?.project ?? null;
      const redacted = members.map(({ seq }) => seq);
      await transaction.audit.append(toServerRecord(project, "audit.redact", now, { redacted }));
      // Anybody can append a record; a verifier believes this one because the server signs it.
      await transaction.audit.attest(project, now);
    }
    const exports = await transaction.audit.erase(present);
    return {
      data: { redacted: present.length, records: present.map(({ id }) => id), exports: [...exports] },
    };
  },
});
