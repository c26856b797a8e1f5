// Makes administration keys for a test server.

import { createAdministrationKey } from "../../../src/calls/operations/access/administration-key-operations.ts";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import type { NewKey, TestApp } from "../../fixture.ts";

export async function newAdministrationKey(app: TestApp, fields: JsonObject = {}): Promise<NewKey> {
  const { id, key } = await app.administer(createAdministrationKey, {
    name: "server of the shop",
    ...fields,
  });
  return { id: String(id), key: String(key) };
}
