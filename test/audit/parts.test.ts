// Checks the parts of payloads of version 2 through their functions, because no server writes them yet: the test vectors of the page, any
// payload with any places, any change of the stored bytes, erasures, and hostile input.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { canonical } from "../../src/audit/hash.ts";
import { cutPayload, eraseParts, type Place, sealParts } from "../../src/audit/parts.ts";
import { runtimeCryptography } from "../../src/audit/runtime-cryptography.ts";
import { parseAnyHeader, parseHeader } from "../../src/audit/verify/part-header.ts";
import { joinParts, type ParsedParts, type StoredParts, verifyParts } from "../../src/audit/verify/parts.ts";
import { browserCryptography } from "../../src/console/verification/browser-cryptography.ts";
import type { Json, JsonObject } from "../../src/json/json.ts";

const subjects = ["00112233445566778899aabbccddeeff", "0f".repeat(16), "f0".repeat(16)];
const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const unpack = (sealed: { salt: Uint8Array; compressed: Uint8Array }): StoredParts => ({
  content: new Uint8Array(Bun.zstdDecompressSync(sealed.compressed)),
  salt: new Uint8Array(sealed.salt),
});

/** What both cryptographies say, which must be the same. */
function verify(stored: StoredParts, parts: number, payloadHash: string): ParsedParts | null {
  const [first, second] = [runtimeCryptography, browserCryptography].map((cryptography) =>
    verifyParts(stored, { parts, payloadHash }, cryptography),
  );
  expect(second).toEqual(first ?? null);
  return first ?? null;
}

const join = (parsed: ParsedParts | null) => (parsed === null ? null : joinParts(parsed));

/** Parts of these lines, without any check, and a payload hash that fits. */
function forge(lines: readonly string[]): { stored: StoredParts; hash: string } {
  const hashes = lines.map((line, index) => {
    const hasher = new Bun.CryptoHasher("sha256").update("memledger/part/v2\0");
    return line.includes("\t")
      ? hasher.update(new Uint8Array(16).fill(index)).update(line).digest()
      : Buffer.alloc(32, index);
  });
  const salts = lines.map((line, index) => Buffer.alloc(line.includes("\t") ? 16 : 32, index));
  const hash = new Bun.CryptoHasher("sha256").update("memledger/payload/v2\0").update(Buffer.concat(hashes));
  const content = bytesOf(lines.map((line) => `${line}\n`).join(""));
  return { stored: { content, salt: new Uint8Array(Buffer.concat(salts)) }, hash: hash.digest("hex") };
}

function joinForged(lines: readonly string[]): JsonObject | null {
  const { stored, hash } = forge(lines);
  return join(verify(stored, lines.length, hash));
}

const header = (...at: string[]) => canonical({ about: [], at });
const rootHeader = header("");

const name = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "",
    "~",
    "/",
    "~1",
    "a/b~0",
    "0",
    "01",
    "-",
    "length",
    "__proto__",
    "constructor",
  ),
  fc.string({ unit: "grapheme", maxLength: 3 }),
);
const json = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Json>(null, true, 0, -0, 1e21, "same", "Grüße\n\t\u2028😂", {}, []),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc
    .array(fc.tuple(name, tie("value")), { maxLength: 5 })
    .map((members): JsonObject => Object.fromEntries(members)),
}));

/** The pointers of all values but the root. */
function pointersOf(value: Json, pointer = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const own = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    return [own, ...pointersOf(item, own)];
  });
}

const isInside = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);

/** A payload, and places in it in any order of which none is inside another. */
const cuttable = json.object.chain((payload) => {
  const pointers = pointersOf(payload);
  const about = fc.subarray(subjects).chain((some) => fc.shuffledSubarray(some, { minLength: some.length }));
  return fc
    .shuffledSubarray(pointers)
    .map((some) =>
      some.filter(
        (at, index) =>
          !some.some((other, before) => before < index && (isInside(at, other) || isInside(other, at))),
      ),
    )
    .chain((some) =>
      fc.tuple(about, ...some.map(() => about)).map(([own, ...each]) => ({
        payload,
        about: own,
        places: some.map((at, index): Place => ({ at, about: each[index] ?? [] })),
      })),
    );
});

describe("test vectors of the page", () => {
  const parts = cutPayload(
    { user_agent: "a", request_body: { content: "Grüße\n" } },
    [],
    [{ at: "/request_body/content", about: [subjects[0] ?? ""] }],
  );
  const payloadHash = "b359e1aef2cab3ba9a68994cccda04419aaf533a830da4736e56e497acbe4672";
  const sealed = sealParts(
    parts,
    Uint8Array.from({ length: 32 }, (_, index) => index),
  );

  test("lines, payload hash and salt", () => {
    expect(textOf(unpack(sealed).content)).toBe(
      '{"about":[],"at":[""]}\t{"request_body":{"content":null},"user_agent":"a"}\n' +
        '{"about":["00112233445566778899aabbccddeeff"],"at":["/request_body/content"]}\t"Grüße\\n"\n',
    );
    expect(sealed.hash).toBe(payloadHash);
    expect(verify(unpack(sealed), 2, payloadHash)?.headers[1]?.about).toEqual(subjects.slice(0, 1));
  });

  test.each([
    [[1], "000102030405060708090a0b0c0d0e0ff74e0e68dd539388431ff5280aee23d3224b38c1798d8502c04b892519ac9a90"],
    [[0], "1a1f3e0d4513300d2ce06c1f7e621e696075fd08671fc937e78a77090f6a8a79101112131415161718191a1b1c1d1e1f"],
  ])("parts %p erased", (erased, salt) => {
    const rest = unpack(eraseParts(unpack(sealed), 2, new Set(erased)));
    expect(Buffer.from(rest.salt).toString("hex")).toBe(salt);
    expect(verify(rest, 2, payloadHash)).not.toBeNull();
  });
});

describe("any payload and any places", () => {
  test("are joined to the same payload, which is not changed", () => {
    fc.assert(
      fc.property(cuttable, ({ payload, about, places }) => {
        const before = canonical(payload);
        const parts = cutPayload(payload, about, places);
        expect(canonical(payload)).toBe(before);
        const sealed = sealParts(parts);
        const parsed = verify(unpack(sealed), parts.length, sealed.hash);
        expect(canonical(join(parsed) ?? null)).toBe(before);
        const at = parsed?.headers.slice(1).flatMap((one) => one.at);
        expect(at?.toSorted()).toEqual(places.map((place) => place.at).toSorted());
        const distinct = new Set(parts.map((part) => `${JSON.parse(part.header).about} ${part.text}`));
        expect(parts.length === 1 || distinct.size >= parts.length - 1).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("keep the payload hash when parts are erased, and nothing of their texts and salts", () => {
    fc.assert(
      fc.property(cuttable, fc.infiniteStream(fc.boolean()), ({ payload, about, places }, chosen) => {
        const parts = cutPayload(payload, about, places);
        const sealed = sealParts(parts);
        const stored = unpack(sealed);
        const erased = new Set(parts.keys().filter(() => chosen.next().value));
        const once = unpack(eraseParts(stored, parts.length, erased));
        const rest = unpack(eraseParts(once, parts.length, erased));
        expect(rest).toEqual(once);
        const expected = parts.map((part, index) =>
          erased.has(index) ? `${part.header}\n` : `${part.header}\t${part.text}\n`,
        );
        expect(textOf(rest.content)).toBe(expected.join(""));
        const kept = Buffer.from(rest.salt);
        for (const index of parts.keys()) {
          const salt = stored.salt.subarray(16 * index, 16 * index + 16);
          expect(kept.includes(Buffer.from(salt))).toBe(!erased.has(index));
        }
        const parsed = verify(rest, parts.length, sealed.hash);
        const joined = join(parsed);
        const pointers = new Set(joined === null ? [] : pointersOf(joined));
        for (const [index, one] of (parsed?.headers ?? []).entries()) {
          if (index > 0 && !erased.has(index)) for (const at of one.at) expect(pointers).toContain(at);
        }
        expect(joined).not.toBeNull();
      }),
      { numRuns: 500 },
    );
  });
});

describe("one change of what is stored", () => {
  const payload = {
    request_body: { query: "tea" },
    results: ["tea", "milk", { a: 1 }, "tea"],
    ip_address: "::1",
  };
  const some = subjects.slice(0, 1);
  const parts = cutPayload(
    payload,
    [],
    [
      { at: "/request_body", about: [] },
      ...[0, 1, 2, 3].map((index) => ({ at: `/results/${index}`, about: some })),
    ],
  );
  const sealed = sealParts(parts);
  const stored = unpack(sealed);
  const isRefused = (content: Uint8Array, salt: Uint8Array, count = parts.length) =>
    verify({ content, salt }, count, sealed.hash) === null;

  test("of any byte, in the lines and in the salts, is refused: changed, removed or added", () => {
    expect(parts).toHaveLength(5);
    expect(isRefused(stored.content, stored.salt)).toBe(false);
    const change = (bytes: Uint8Array, at: number, removed: number, added: readonly number[]) =>
      Uint8Array.from([...bytes.subarray(0, at), ...added, ...bytes.subarray(at + removed)]);
    const bytes = [0x00, 0x09, 0x0a, 0x20, 0x30, 0xff];
    const accepted: string[] = [];
    const attempt = (what: string, content: Uint8Array, salt: Uint8Array) => {
      const isSame = Buffer.compare(content, stored.content) === 0 && Buffer.compare(salt, stored.salt) === 0;
      if (!isSame && !isRefused(content, salt)) accepted.push(what);
    };
    for (let at = 0; at <= stored.content.length; at++) {
      attempt(`-${at}`, change(stored.content, at, 1, []), stored.salt);
      for (const byte of bytes) {
        attempt(`${at}=${byte}`, change(stored.content, at, 1, [byte]), stored.salt);
        attempt(`${at}+${byte}`, change(stored.content, at, 0, [byte]), stored.salt);
      }
    }
    for (let at = 0; at <= stored.salt.length; at++) {
      attempt(`salt -${at}`, stored.content, change(stored.salt, at, 1, []));
      for (const byte of bytes) attempt(`salt ${at}`, stored.content, change(stored.salt, at, 1, [byte]));
    }
    expect(accepted).toEqual([]);
  });

  test("of the order or the number is refused", () => {
    const lines = textOf(stored.content).split(/(?<=\n)/);
    const salts = lines.map((_, index) => stored.salt.subarray(16 * index, 16 * index + 16));
    const isListRefused = (order: readonly number[], count = order.length) =>
      isRefused(
        bytesOf(order.map((index) => lines[index]).join("")),
        new Uint8Array(Buffer.concat(order.map((index) => salts[index] ?? new Uint8Array()))),
        count,
      );
    expect(isListRefused([0, 1, 2, 3, 4])).toBe(false);
    for (const order of [
      [0, 2, 1, 3, 4],
      [1, 0, 2, 3, 4],
      [0, 1, 2, 3],
      [1, 2, 3, 4],
      [0, 1, 2, 3, 4, 4],
      [],
    ])
      expect(isListRefused(order)).toBe(true);
    for (const count of [0, 4, 6, 5.5, Number.NaN]) expect(isListRefused([0, 1, 2, 3, 4], count)).toBe(true);
  });
});

test("both parsers of headers give the same result", () => {
  const pointer = fc.array(name).map((names) => names.map((one) => `/${one}`).join(""));
  const about = fc.array(fc.constantFrom(...subjects, "0F".repeat(16), "x"), { maxLength: 3 });
  const text = fc.oneof(
    fc.record({ about, at: fc.array(pointer, { maxLength: 3 }) }).map((value) => JSON.stringify(value)),
    fc.constantFrom(
      ...[
        '{"at":[""],"about":[]}',
        '{"about":[],"at":["a"]}',
        '{"about":[],"at":[0]}',
        '{"about":[],"at":""}',
      ],
      ...[
        '{"about":[],"at":[""],"x":0}',
        '{"about":[], "at":[""]}',
        '{"about":[],"at":["/\\u0061"]}',
        "[]",
        "",
      ],
    ),
  );
  let valid = 0;
  fc.assert(
    fc.property(text, (one) => {
      const parsed = parseAnyHeader(one);
      if (parsed !== null) valid += 1;
      expect(parseHeader(one)).toEqual(parsed);
    }),
    { numRuns: 3000 },
  );
  expect(valid).toBeGreaterThan(300);
});

describe("hostile parts with a correct payload hash", () => {
  test.each<[string, string[]]>([
    ["no parts", []],
    ["an empty text", [`${rootHeader}\t{"a":null}`, `${header("/a")}\t`]],
    ["an empty line", [`${rootHeader}\t{"a":null}`, ""]],
    ["an erased part at the root", [rootHeader, rootHeader]],
    ["a first part that is not the root", [`${header("/a")}\t{}`]],
    ["a first part with two places", [`${header("", "/a")}\t{"a":null}`]],
    ["another part at the root", [`${rootHeader}\t{}`, `${header("")}\t{}`]],
    ["a duplicate place", [`${rootHeader}\t{"a":null}`, `${header("/a", "/a")}\t1`]],
    ["a place of another part", [`${rootHeader}\t{"a":null}`, `${header("/a")}\t1`, `${header("/a")}\t2`]],
    [
      "a place inside another",
      [`${rootHeader}\t{"a":null}`, `${header("/a")}\t{"b":null}`, `${header("/a/b")}\t2`],
    ],
    [
      "a place around another",
      [`${rootHeader}\t{"a":{"b":null}}`, `${header("/a/b")}\t1`, `${header("/a")}\t2`],
    ],
    ["a place that is not null", [`${rootHeader}\t{"a":0}`, `${header("/a")}\t1`]],
    ["a place that does not exist", [`${rootHeader}\t{}`, `${header("/a")}\t1`]],
    ["an index with a zero in front", [`${rootHeader}\t{"a":[null,null]}`, `${header("/a/01")}\t1`]],
    ["the end of an array", [`${rootHeader}\t{"a":[null]}`, `${header("/a/-")}\t1`]],
    ["the length of an array", [`${rootHeader}\t{"a":[null]}`, `${header("/a/length")}\t1`]],
    ["a huge index", [`${rootHeader}\t{"a":[null]}`, `${header("/a/4294967294")}\t1`]],
    ["the prototype of an object", [`${rootHeader}\t{}`, `${header("/__proto__/x")}\t1`]],
    ["the prototype of the prototype", [`${rootHeader}\t{}`, `${header("/__proto__/__proto__")}\t1`]],
    ["a name of the prototype", [`${rootHeader}\t{}`, `${header("/constructor/x")}\t1`]],
    ["a wrong escape", [`${rootHeader}\t{"~2":null}`, `${header("/~2")}\t1`]],
    [
      "a lone surrogate in a header",
      [`${rootHeader}\t{"\\ud800":null}`, '{"about":[],"at":["/\\ud800"]}\t1'],
    ],
    ["a first text that is not JSON", [`${rootHeader}\t{`, `${header("/a")}\t1`]],
    ["a first text that is no object", [`${rootHeader}\t[null]`, `${header("/0")}\t1`]],
    ["brackets in a header", [`{"about":[],"at":${"[".repeat(1_000_000)}\t{}`]],
    ["brackets in the first text", [`${rootHeader}\t${"[".repeat(1_000_000)}`, `${header("/a")}\t1`]],
    ["a duplicate, the first part erased", [rootHeader, `${header("/a")}\t1`, `${header("/a")}\t2`]],
    ["a place inside, the first part erased", [rootHeader, `${header("/a")}\t{}`, `${header("/a/b")}\t2`]],
    ["a place around, the first part erased", [rootHeader, `${header("/a/b")}\t{}`, `${header("/a")}\t2`]],
    ["a place of an erased part", [`${rootHeader}\t{"a":null}`, header("/a"), `${header("/a")}\t2`]],
    ["an erased part that is not null", [`${rootHeader}\t{"a":1}`, header("/a")]],
    ["more than 10,000 parts", [`${rootHeader}\t{}`, ...Array.from({ length: 10_000 }, () => header("/a"))]],
  ])("%s", (_, lines) => {
    const { stored, hash } = forge(lines);
    expect(verify(stored, lines.length, hash)).toBeNull();
  });

  test("a text that is not JSON is verified, as in version 1, and is not joined", () => {
    const lines = [`${rootHeader}\t{"a":null}`, `${header("/a")}\t{`];
    const { stored, hash } = forge(lines);
    const parsed = verify(stored, lines.length, hash);
    expect(parsed).not.toBeNull();
    expect(join(parsed)).toBeNull();
  });

  test("bytes that are not UTF-8, and a byte order mark", () => {
    const { stored, hash } = forge([`${rootHeader}\t{"a":"x"}`]);
    expect(verify(stored, 1, hash)).not.toBeNull();
    const latin1 = {
      content: stored.content.map((byte) => (byte === 0x78 ? 0xff : byte)),
      salt: stored.salt,
    };
    const hashed = new Bun.CryptoHasher("sha256")
      .update("memledger/part/v2\0")
      .update(latin1.salt)
      .update(latin1.content.subarray(0, -1))
      .digest();
    const other = new Bun.CryptoHasher("sha256")
      .update("memledger/payload/v2\0")
      .update(hashed)
      .digest("hex");
    // As in version 1, the form of a single text is not verified, because its bytes are hashed.
    const parsed = verify(latin1, 1, other);
    expect(parsed).not.toBeNull();
    expect(join(parsed)).toBeNull();
    expect(joinForged([`\ufeff${rootHeader}\t{"a":"x"}`])).toBeNull();
  });

  test("names with a meaning elsewhere are names only", () => {
    const joined = joinForged([
      `${rootHeader}\t{"__proto__":{"polluted":null},"a~/b":[null]}`,
      `${header("/__proto__/polluted")}\t1`,
      `${header("/a~0~1b/0")}\t2`,
    ]);
    expect(canonical(joined)).toBe('{"__proto__":{"polluted":1},"a~/b":[2]}');
    const sparse = joinForged([
      rootHeader,
      `${header("/__proto__/polluted")}\t1`,
      `${header("/a/4294967294")}\tnull`,
    ]);
    expect(canonical(sparse)).toBe('{"__proto__":{"polluted":1},"a":{"4294967294":null}}');
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test("one text at many places, many erased parts, and long pointers take no long time", () => {
    const places = Array.from({ length: 10_000 }, (_, index) => `/a/${index}`);
    const list = `[${places.map(() => "null").join()}]`;
    const started = performance.now();
    expect(joinForged([`${rootHeader}\t{"a":${list}}`, `${header(...places)}\t1`])?.a).toHaveLength(10_000);
    expect(joinForged([rootHeader, ...places.slice(1).map((at) => header(at))])).toEqual({});
    expect(joinForged([rootHeader, `${header("/a".repeat(1_000_000))}\t1`])).not.toBeNull();
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});

test("a writer refuses places and values that a payload cannot have", () => {
  const payload: JsonObject = { a: [1, null], b: { c: "\ud800" }, d: null };
  const cut =
    (...places: string[]) =>
    () =>
      cutPayload(
        payload,
        [],
        places.map((at) => ({ at, about: [] })),
      );
  for (const places of [[""], ["/x"], ["/a/2"], ["/a/01"], ["/a/length"], ["/__proto__"], ["/d/x"], ["a"]])
    expect(cut("/b", ...places)).toThrow();
  for (const places of [["/a", "/a/0"], ["/a/0", "/a"], ["/d", "/d"], ["/a/1", "/a/1"], ["/b"], []])
    expect(cut(...places)).toThrow();
  expect(() => cutPayload({ a: 1 }, ["x"], [])).toThrow("not the header");
  const many = Array.from({ length: 10_000 }, (_, index) => index);
  const each = many.map((index) => ({ at: `/a/${index}`, about: [] }));
  expect(() => cutPayload({ a: many }, [], each)).toThrow("at most 10000 parts");
  expect(cutPayload({ a: many.map(() => 1) }, [], each)).toHaveLength(2);
});
