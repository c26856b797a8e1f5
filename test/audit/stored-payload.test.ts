// Tests that a payload stored in parts is shown as one that is stored as one text.

import { expect, test } from "bun:test";
import { cutPayload, encodeParts, eraseParts } from "../../src/audit/parts/parts.ts";
import { encodePayload } from "../../src/audit/parts/payload.ts";
import { toAuditRecordDetail, toExportedRecord } from "../../src/audit/record-view.ts";
import { toStoredRecord } from "../../src/engines/sqlite/ledger/audit-reader.ts";

const entry = JSON.stringify({
  action: "memory.search",
  at: "2026-11-27T09:30:00.000Z",
  numbers: { duration: 1 },
  status: 200,
});
const request = { query: "Where does Ana live?", top_k: 2 };
const hits = ["Ana lives in Bern.", "Ana\tspeaks\nSpanish ✅"].map((content, index) => ({
  memory: { id: `${index}`.repeat(32), content, memory_type: "fact", importance: 0.5 },
  similarity: 0.5,
  final_score: 0.5,
}));
const response = { code: 1000, data: { results: hits }, message: "success", success: true };
const sender = { ip_address: "192.0.2.7", user_agent: "curl" };
const members = { transport: "mcp", request_body: request, response_body: response };
const parts = cutPayload(
  { ...members, sender },
  [],
  ["/sender", "/request_body", "/response_body/data/results/0", "/response_body/data/results/1"].map(
    (at) => ({ at, about: [] }),
  ),
);

function read({ salt, compressed: text }: { salt: Uint8Array; compressed: Uint8Array }) {
  return toStoredRecord({ seq: 1, entry, hash: "", salt, text, payloads_through: null });
}

function contentOf(compressed: Uint8Array) {
  return Bun.zstdDecompressSync(compressed);
}

test("a record in parts is shown like one of version 1", () => {
  const [one, other] = [read(encodePayload({ ...members, ...sender })), read(encodeParts(parts))];
  expect(toAuditRecordDetail(other, false)).toEqual(toAuditRecordDetail(one, false));
  expect(toExportedRecord(other, false)).toEqual(toExportedRecord(one, false));
  expect(toExportedRecord(other, false).ip_address).toBe("192.0.2.7");
});

test("the other parts are shown when one is erased", () => {
  const sealed = encodeParts(parts);
  const stored = { content: contentOf(sealed.compressed), salt: sealed.salt };
  const shown = toExportedRecord(read(eraseParts(stored, parts.length, new Set([3]))), false);
  expect(shown.response_body).toEqual({ ...response, data: { results: [null, ...hits.slice(1)] } });
  expect(shown.request_body).toEqual(request);
  expect(JSON.stringify(shown)).not.toContain("Bern");
});

test("nothing is shown of a payload whose first part is erased, and the record can be exported", () => {
  const sealed = encodeParts(parts);
  const stored = { content: contentOf(sealed.compressed), salt: sealed.salt };
  const shown = toExportedRecord(read(eraseParts(stored, parts.length, new Set([0]))), false);
  expect([shown.request_body, shown.response_body, shown.ip_address]).toEqual([null, null, null]);
});

test("a payload whose parts are damaged is empty in a list and refused in an export", () => {
  const { salt, compressed } = encodeParts(parts);
  const damaged = read({ salt: salt.subarray(1), compressed });
  expect(toAuditRecordDetail(damaged, false).request_body).toBeNull();
  expect(() => toExportedRecord(damaged, false)).toThrow("its payload is not a JSON object");
});
