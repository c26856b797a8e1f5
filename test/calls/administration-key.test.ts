// Proves over all operations what an administration key may do: its own table, and nothing else, whatever the transport is.

import { afterAll, expect, test } from "bun:test";
import { administrationKeyOperations } from "../../src/calls/arrival/administration-key-operations.ts";
import { exchangeOf } from "../../src/calls/contract/operation.ts";
import {
  installationOperations,
  otherOperations,
  projectOperations,
  sessionOperations,
} from "../../src/calls/operations.ts";
import { openCalls, openClient } from "./in-process.ts";
import { openSeam } from "./storage/seam.ts";

const seam = await openSeam();
afterAll(() => seam.close());
const perform = openCalls(seam);
const { data: admin } = await seam.administer("administration_key.create", { name: "server" });
const send = openClient(perform, String(admin.key));
const everyOperation = [
  ...projectOperations,
  ...Object.values(otherOperations),
  ...installationOperations,
  ...sessionOperations,
];

test("the table has exactly these operations", () => {
  expect([...administrationKeyOperations].toSorted()).toEqual([
    "audit.list_chain",
    "audit.show_record",
    "key.create",
    "key.list",
    "key.revoke",
    "key.update",
    "plan.list",
    "project.create",
    "project.delete",
    "project.list",
    "project.show",
    "project.update",
  ]);
});

// An exchange needs a client that takes its answer: test/transports/http/administration-access.test.ts.
const tested = everyOperation.filter((operation) => exchangeOf(operation) === undefined);

test.each(tested)("$name", async (operation) => {
  const { code, message } = await send(operation, operation.example?.input ?? {});
  if (administrationKeyOperations.has(operation.name)) {
    expect([1000, 1400, 1404, 2204]).toContain(code);
    return;
  }
  expect(code).toBe(operation.scope === "session" ? 1401 : 1403);
  if (operation.scope !== "session")
    expect(message).toStartWith(`No administration key may perform ${operation.name}. `);
});

test.each(installationOperations)(
  "$name needs an administrator: neither no key nor an unknown one will do",
  async (operation) => {
    for (const secret of [null, `mla_${"0".repeat(43)}`, `ml_${"0".repeat(43)}`, `mls_${"0".repeat(43)}`]) {
      const { code } = await openClient(perform, secret)(operation, operation.example?.input ?? {});
      expect([1401, 1429]).toContain(code);
    }
  },
);
