// Owns the record of a repair of the database by `memledger doctor`. It is appended before the repair, so that no change is without one.

import { Count, Fields } from "../../../platform/schema/schema.ts";
import { installationOperation } from "../../contract/operation.ts";

const number = (description: string) => Count(description);

export const recordRepairs = installationOperation({
  name: "doctor.fix",
  summary: "Record a repair of the database",
  description:
    "Records what memledger doctor is about to repair in the database: vectors and words that do not fit the memories. Memories and audit records are never changed.",
  effects: { readOnly: false, destructive: false, idempotent: false },
  input: Fields({
    orphan_vectors: number("Vectors of memories that do not exist, which are deleted."),
    missing_vectors: number("Memories without a vector, which are embedded again."),
    wrong_words: number("Memories whose words in the index are wrong, which is made again."),
  }),
  output: Fields({ faults: number("Sum of the three.") }),

  async apply(_transaction, { orphan_vectors, missing_vectors, wrong_words }) {
    return { data: { faults: orphan_vectors + missing_vectors + wrong_words } };
  },
});
