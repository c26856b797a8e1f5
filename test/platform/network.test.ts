// The network of an address: one line of the log and one limit for all that one caller holds.

import { expect, test } from "bun:test";
import { linkedUrl, networkOf } from "../../src/platform/network.ts";

test.each([
  ["192.0.2.77", "192.0.2.0/24"],
  ["127.0.0.1", "127.0.0.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
  ["2001:0DB8:0001::6", "2001:db8:1::/48"],
  ["2001:db8::1", "2001:db8:0::/48"],
  ["::1", "0:0:0::/48"],
  ["1::", "1:0:0::/48"],
  ["64:ff9b::192.0.2.33", "64:ff9b:0::/48"],
  ["fe80::1%eth0", "fe80:0:0::/48"],
  ["unknown", "unknown"],
])("%s is in %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  ["http://127.0.0.1:8420", null, "http://127.0.0.1:8420"],
  ["https://0.0.0.0:8420", null, "https://localhost:8420"],
  ["http://[::]:8420", null, "http://localhost:8420"],
  ["http://10.0.0.0:8420", null, "http://10.0.0.0:8420"],
  ["http://127.0.0.1:8420", "https://memory.example/", "https://memory.example"],
])("links to %s, reached as %s, are to %s", (url, publicUrl, expected) => {
  expect(linkedUrl(url, publicUrl)).toBe(expected);
});
