// Tests that commands and servers of different versions understand each other on the local socket, or say that they do not.

import { expect, test } from "bun:test";
import { toData } from "../../../src/calls/contract/answer.ts";
import { printReply, readReply } from "../../../src/transports/local-socket/reply.ts";

const answers = [
  { status: 200, code: 1000, message: "success", data: { id: 'a"b', list: [1, null] } },
  { status: 409, code: 2104, message: 'Say "no".\n', data: {} },
];

test.each(answers)("version 0.1.0 printed and read $code in the same bytes", ({ data, ...answer }) => {
  const { code, message } = answer;
  const former = JSON.stringify({ success: code === 1000, code, message, data });
  expect(printReply({ ...answer, data: toData(data) })).toBe(former);
  expect(readReply(former)).toEqual({ code, message, data });
});

test("an operation that has nothing to tell is answered with null", () => {
  const text = printReply({ status: 204, code: 1000, message: "success", data: null });
  expect(readReply(text)).toEqual({ code: 1000, message: "success", data: null });
});

test.each(["", "null", "[]", "<html>", '{"code":"1000"}', '{"code":1000}'])(
  "what is no reply is refused with what to do: %p",
  (text) => {
    expect(() => readReply(text)).toThrow("Use the same version of memledger for the server and the command");
  },
);
