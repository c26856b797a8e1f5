// Tests the headers that the proxy adds, with the check of the official SDK's server on the other side in mcp.slow.test.ts.

import { expect, test } from "bun:test";
import { headersFor } from "../../../src/assistants/mcp-proxy/headers.ts";

const none = { version: null, sessionId: null };
const negotiated = { version: "2025-11-25", sessionId: "abc" };
const claim = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const common = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

test("a message of protocol 2026-07-28 has the headers of what it says, whatever was negotiated", () => {
  const params = { name: "memory_search", _meta: claim };
  expect(headersFor({ method: "tools/call", params }, negotiated)).toEqual({
    ...common,
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "memory_search",
  });
  const read = { uri: "memledger://rules", _meta: claim };
  expect(headersFor({ method: "resources/read", params: read }, none)["Mcp-Name"]).toBe("memledger://rules");
  expect(headersFor({ method: "tools/list", params: { name: "x", _meta: claim } }, none)).not.toHaveProperty(
    "Mcp-Name",
  );
});

test.each([
  ["ünïcode", `=?base64?${Buffer.from("ünïcode").toString("base64")}?=`],
  ["a\r\nEvil: 1", `=?base64?${Buffer.from("a\r\nEvil: 1").toString("base64")}?=`],
  [" padded", "=?base64?IHBhZGRlZA==?="],
  ["", "=?base64??="],
  ["=?base64?eA==?=", `=?base64?${Buffer.from("=?base64?eA==?=").toString("base64")}?=`],
  ["two words", "two words"],
])("the name %p travels as %p", (name, expected) => {
  const params = { name, _meta: claim };
  expect(headersFor({ method: "prompts/get", params }, none)["Mcp-Name"]).toBe(expected);
});

test("a message of an earlier protocol has what initialize has answered", () => {
  const message = { method: "tools/call", params: { name: "memory_search" } };
  expect(headersFor(message, none)).toEqual(common);
  expect(headersFor(message, negotiated)).toEqual({
    ...common,
    "MCP-Protocol-Version": "2025-11-25",
    "Mcp-Session-Id": "abc",
  });
  expect(headersFor(null, negotiated)).toHaveProperty("Mcp-Session-Id", "abc");
  expect(headersFor({ method: "initialize", params: {} }, negotiated)).toEqual(common);
});

test("a value that cannot be a header is left out", () => {
  const params = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026\r\nEvil: 1" } };
  expect(headersFor({ method: "a\nb", params }, none)).toEqual(common);
});
