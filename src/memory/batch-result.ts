// Owns what the results of batches have in common: their schemas.

import { Type } from "@sinclair/typebox";
import { Count, jsonObject } from "../platform/schema/schema.ts";

export const refusalFields = {
  code: Type.Optional(Type.Integer({ description: "Error code of a refused item." })),
  message: Type.Optional(
    Type.String({ description: "Of a refused item: what is wrong and what to do next." }),
  ),
  data: Type.Optional(jsonObject),
};
export const index = Count("Position of the item in the request.");
