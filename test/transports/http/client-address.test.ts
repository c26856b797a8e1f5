// Proves that only configured proxies can say where a call came from.

import { expect, test } from "bun:test";
import { createClientAddress } from "../../../src/transports/http/network/client-address.ts";
import { startTestApp } from "../../fixture.ts";

const trusted = ["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"];

test.each([
  ["no header", "127.0.0.1", null, "127.0.0.1"],
  ["a proxy tells of a client", "127.0.0.1", "203.0.113.9", "203.0.113.9"],
  ["two proxies", "127.0.0.1", "203.0.113.9, 10.1.2.3", "203.0.113.9"],
  ["a client that wrote the header itself", "203.0.113.9", "1.2.3.4", "203.0.113.9"],
  ["what stands before the client", "127.0.0.1", "1.2.3.4, 203.0.113.9", "203.0.113.9"],
  ["no address", "127.0.0.1", "203.0.113.9, somewhere", "127.0.0.1"],
  ["proxies only", "127.0.0.1", "10.0.0.1", "10.0.0.1"],
  ["IPv6", "::ffff:127.0.0.1", "2001:db9::1, 2001:db8::5", "2001:db9::1"],
  ["an empty header", "127.0.0.1", "", "127.0.0.1"],
])("%s", (_, peer, header, client) => {
  expect(createClientAddress(trusted)(peer, header)).toBe(client);
});

test("without configuration the header says nothing", () => {
  expect(createClientAddress([])("127.0.0.1", "203.0.113.9")).toBe("127.0.0.1");
});

test("the record shows the client behind the proxy", async () => {
  const app = await startTestApp({ "trusted-proxies": "127.0.0.0/8" });
  await app.call("GET", "/v1/memories", { headers: { "X-Forwarded-For": "203.0.113.9" } });
  expect(app.records(app.projectId).at(-1)?.payload.ip_address).toBe("203.0.113.9");
  await app.stop();
});
