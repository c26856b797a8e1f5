// Changes receipts in all ways that a forger has without a key. Each change either is found, or takes away what the receipt proves.

import canonicalize from "canonicalize";
import fc from "fast-check";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { signerFrom } from "../version-2.ts";
import { type MadeReceipt, seenAt, stranger, withhold, witnessFrom } from "./made-receipts.ts";

export interface ChangedReceipt {
  /** The kind, and the receipt that was changed. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** That of which it was made. */
  readonly from: MadeReceipt;
}

interface Parsed {
  readonly head: string;
  readonly extra: string;
  readonly index: string;
  readonly path: readonly string[];
  /** The text of the checkpoint. */
  readonly text: string;
  readonly signatures: readonly string[];
}

function parse(receipt: string): Parsed {
  const end = receipt.indexOf("\n\n");
  const [head = "", extra = "", index = "", ...path] = receipt.slice(0, end).split("\n");
  const note = receipt.slice(end + 2);
  const split = note.indexOf("\n\n");
  const signatures = note.slice(split + 2, -1).split("\n");
  return { head, extra, index, path, text: note.slice(0, split), signatures };
}

function write({ head, extra, index, path, text, signatures }: Parsed): string {
  return `${[head, extra, index, ...path].join("\n")}\n\n${text}\n\n${signatures.join("\n")}\n`;
}

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString("base64");
const extraText = ({ extra }: Parsed) => Buffer.from(extra.slice("extra ".length), "base64").toString();
const withExtra = (parsed: Parsed, text: string) => ({ ...parsed, extra: `extra ${base64(text)}` });
const membersOf = (parsed: Parsed): JsonObject => JSON.parse(extraText(parsed));
const withMembers = (parsed: Parsed, change: (members: JsonObject) => JsonObject) =>
  withExtra(parsed, canonicalize(change(membersOf(parsed))) ?? "");

/** A text that is not the one given, with another one of its characters; of the same alphabet. */
function flip(text: string, at: number): string {
  const place = at % Math.max(1, text.length);
  const other = text[place] === "A" ? "B" : "A";
  return `${text.slice(0, place)}${other}${text.slice(place + 1)}`;
}

/** Null: not possible with this receipt. */
type Change = (parsed: Parsed, donors: readonly Parsed[]) => Parsed | string | null;

const chainOf = ({ text }: Parsed) => text.split("\n")[0] ?? "";
const byName = (name: string, change: (text: string) => string): readonly [string, Change] => [
  name,
  (parsed) => {
    const changed = change(write(parsed));
    return changed === write(parsed) ? null : changed;
  },
];
const inMembers = (
  name: string,
  change: (members: JsonObject) => JsonObject | null,
): readonly [string, Change] => [
  name,
  (parsed) => {
    const changed = change(membersOf(parsed));
    return changed === null ? null : withMembers(parsed, () => changed);
  },
];
const textOf = (members: JsonObject, name: string) => String(members[name]);
const inExtra = (name: string, change: (text: string) => string): readonly [string, Change] => [
  `same meaning: ${name}`,
  (parsed) => withExtra(parsed, change(extraText(parsed))),
];

/** Adds a byte that is unused: the text stands for the same bytes, and nobody would write it. */
const unused = (text: string) =>
  text.replace(
    /([AEIMQUYcgkosw048])=(\n|$)/,
    (_, one: string, end: string) => `${String.fromCharCode(one.charCodeAt(0) + 1)}=${end}`,
  );

const paths: readonly (readonly [string, Change])[] = [
  ["path without its end", (one) => (one.path.length === 0 ? null : { ...one, path: one.path.slice(0, -1) })],
  [
    "path without its beginning",
    (one) => (one.path.length === 0 ? null : { ...one, path: one.path.slice(1) }),
  ],
  ["empty path", (one) => (one.path.length === 0 ? null : { ...one, path: [] })],
  [
    "path with a hash twice",
    (one) => (one.path.length === 0 ? null : { ...one, path: [...one.path, one.path[0] ?? ""] }),
  ],
  ["path longer by the root", (one) => ({ ...one, path: [...one.path, one.text.split("\n")[2] ?? ""] })],
  ["path reversed", (one) => (one.path.length < 2 ? null : { ...one, path: one.path.toReversed() })],
  [
    "two lines of the path exchanged",
    (one) => {
      const [first, second, ...rest] = one.path;
      return first === undefined || second === undefined || first === second
        ? null
        : { ...one, path: [second, first, ...rest] };
    },
  ],
  [
    "hash of the path flipped",
    (one) => (one.path.length === 0 ? null : { ...one, path: one.path.with(0, flip(one.path[0] ?? "", 5)) }),
  ],
  [
    "path of another record",
    (one, donors) => {
      const donor = donors.find(({ path }) => path.join() !== one.path.join());
      return donor === undefined ? null : { ...one, path: donor.path };
    },
  ],
  ["a short hash in the path", (one) => ({ ...one, path: [...one.path, base64("short")] })],
  ["index one more", (one) => ({ ...one, index: `index ${Number(one.index.slice(6)) + 1}` })],
  ["index one less", (one) => ({ ...one, index: `index ${Number(one.index.slice(6)) - 1}` })],
  ["index 0", (one) => ({ ...one, index: "index 0" })],
  ["index of the size", (one) => ({ ...one, index: `index ${one.text.split("\n")[1]}` })],
  ["index beyond numbers", (one) => ({ ...one, index: `index ${one.index.slice(6)}${"0".repeat(20)}` })],
  ["index with a zero in front", (one) => ({ ...one, index: one.index.replace("index ", "index 0") })],
  ["index with a sign", (one) => ({ ...one, index: one.index.replace("index ", "index +") })],
  [
    "index in hexadecimal",
    (one) => ({ ...one, index: `index 0x${Number(one.index.slice(6)).toString(16)}` }),
  ],
  [
    "index with digits of another script",
    (one) => ({
      ...one,
      index: one.index.replace(/\d$/, (digit) => String.fromCharCode(0x660 + Number(digit))),
    }),
  ],
  ["index and extra exchanged", (one) => ({ ...one, extra: one.index, index: one.extra })],
];

const notes: readonly (readonly [string, Change])[] = [
  [
    "checkpoint of another chain",
    (one, donors) => {
      const donor = donors.find((other) => chainOf(other) !== chainOf(one));
      return donor === undefined ? null : { ...one, text: donor.text, signatures: donor.signatures };
    },
  ],
  [
    "checkpoint of another size",
    (one, donors) => {
      const donor = donors.find((other) => chainOf(other) === chainOf(one) && other.text !== one.text);
      return donor === undefined ? null : { ...one, text: donor.text, signatures: donor.signatures };
    },
  ],
  [
    "entry of another record",
    (one, donors) => {
      const donor = donors.find(({ extra }) => extra !== one.extra);
      return donor === undefined
        ? null
        : withMembers(one, (members) => ({ ...members, entry: membersOf(donor).entry ?? "" }));
    },
  ],
  [
    "extra data of another record",
    (one, donors) => {
      const donor = donors.find(
        (other) => chainOf(other) === chainOf(one) && membersOf(other).entry !== membersOf(one).entry,
      );
      return donor === undefined ? null : { ...one, extra: donor.extra };
    },
  ],
  [
    "size of the checkpoint",
    (one) => ({
      ...one,
      text: one.text.replace(/\n(\d+)\n/, (_, size: string) => `\n${Number(size) + 1}\n`),
    }),
  ],
  [
    "root of the checkpoint",
    (one) => ({ ...one, text: one.text.replace(/\n([^\n]+)$/, (_, root: string) => `\n${flip(root, 3)}`) }),
  ],
  ["log of the checkpoint", (one) => ({ ...one, text: one.text.replace("/2\n", `/${"0".repeat(32)}\n`) })],
  ["extension line", (one) => ({ ...one, text: `${one.text}\nmore` })],
  ["own signature twice", (one) => ({ ...one, signatures: [...one.signatures, one.signatures[0] ?? ""] })],
  [
    "last signature twice",
    (one) => ({ ...one, signatures: [...one.signatures, one.signatures.at(-1) ?? ""] }),
  ],
  [
    "own signature with another one of the key",
    (one) => ({ ...one, signatures: [...one.signatures, flip(one.signatures[0] ?? "", 40)] }),
  ],
  ["no signature", (one) => ({ ...one, signatures: [] })],
  [
    "no own signature",
    (one) => ({
      ...one,
      signatures: [stranger.cosign(`${one.text}\n\n`, seenAt).split("\n\n")[1]?.trimEnd() ?? ""],
    }),
  ],
  [
    "another key has signed",
    (one) => ({
      ...one,
      signatures: [signerFrom(50).sign(`${one.text}\n`).split("\n\n")[1]?.trimEnd() ?? ""],
    }),
  ],
  [
    "signature with an invalid bit",
    (one) => ({ ...one, signatures: one.signatures.with(0, flip(one.signatures[0] ?? "", 50)) }),
  ],
  [
    "signature of another checkpoint",
    (one, donors) => {
      const donor = donors.find(({ text }) => text !== one.text);
      return donor === undefined ? null : { ...one, signatures: donor.signatures };
    },
  ],
  [
    "signature that is too short",
    (one) => ({ ...one, signatures: one.signatures.with(0, `— memledger ${base64("four")}`) }),
  ],
  [
    "signature with a hyphen",
    (one) => ({ ...one, signatures: one.signatures.map((line) => line.replace("—", "-")) }),
  ],
  [
    "signature with two spaces",
    (one) => ({ ...one, signatures: one.signatures.map((line) => line.replace("— ", "—  ")) }),
  ],
  [
    "unknown signature without base64",
    (one) => ({ ...one, signatures: [...one.signatures, "— else.example nothing!"] }),
  ],
  [
    "unknown signature with a plus in its name",
    (one) => ({ ...one, signatures: [...one.signatures, `— a+b ${base64("a signature")}`] }),
  ],
  [
    "unknown signature with a space of Unicode in its name",
    (one) => ({ ...one, signatures: [...one.signatures, `— a\u00a0b ${base64("a signature")}`] }),
  ],
  [
    "unknown signature with a control character in its name",
    (one) => ({ ...one, signatures: [...one.signatures, `— a\u0001b ${base64("a signature")}`] }),
  ],
  [
    "too many signatures",
    (one) => ({
      ...one,
      signatures: [
        ...one.signatures,
        ...Array.from({ length: 100 }, (_, index) => `— w${index} ${base64("a signature")}`),
      ],
    }),
  ],
  [
    "cosignature with another time",
    (one) => {
      const [own = "", line = ""] = one.signatures;
      const bytes = Buffer.from(line.split(" ")[2] ?? "", "base64");
      if (!line.includes("witness.example")) return null;
      bytes[11] = (bytes[11] ?? 0) ^ 1;
      return { ...one, signatures: [own, `— witness.example/w1 ${base64(bytes)}`] };
    },
  ],
  [
    "cosignature of another key with the name and id",
    (one) => {
      const [own = "", line = ""] = one.signatures;
      const forged = Buffer.from(
        witnessFrom("witness.example/w1", 9).cosign("", seenAt).split(" ")[2] ?? "",
        "base64",
      );
      if (!line.includes("witness.example")) return null;
      return {
        ...one,
        signatures: [
          own,
          `— witness.example/w1 ${base64(Buffer.concat([Buffer.from(line.split(" ")[2] ?? "", "base64").subarray(0, 4), forged.subarray(4)]))}`,
        ],
      };
    },
  ],
  [
    "cosignature of another checkpoint",
    (one, donors) => {
      const donor = donors.find(({ text, signatures }) => text !== one.text && signatures.length === 2);
      return donor === undefined
        ? null
        : { ...one, signatures: [one.signatures[0] ?? "", donor.signatures[1] ?? ""] };
    },
  ],
];

const forms = [
  byName("lines end with CR LF", (text) => text.replaceAll("\n", "\r\n")),
  byName("byte order mark", (text) => `\ufeff${text}`),
  byName("line in front", (text) => `\n${text}`),
  byName("line at the end", (text) => `${text}\n`),
  byName("no line end at the end", (text) => text.slice(0, -1)),
  byName("space at the end of a line", (text) => text.replace("\n", " \n")),
  byName("another version", (text) => text.replace("@v1", "@v2")),
  byName("no extra data", (text) => text.replace(/\nextra [^\n]*/, "")),
  byName("empty extra data", (text) => text.replace(/\nextra [^\n]*/, "\nextra ")),
  byName("extra data twice", (text) => text.replace(/\nextra [^\n]*/, (line) => line + line)),
  byName("no index", (text) => text.replace(/\nindex \d+/, "")),
  byName("no empty line", (text) => text.replace("\n\n", "\n")),
  byName("one more empty line", (text) => text.replace("\n\n", "\n\n\n")),
  byName("extra data of another alphabet", (text) =>
    text.replace(/extra \S+/, (line) => line.replaceAll("+", "-").replaceAll("/", "_").replace("=", "")),
  ),
  byName("extra data without padding", (text) =>
    text.replace(/extra \S+/, (line) => line.replaceAll("=", "")),
  ),
  byName("white space in the extra data", (text) => text.replace(/extra (....)/, "extra $1 ")),
  byName("unused bits of the extra data", (text) => text.replace(/extra \S+/, unused)),
  byName("unused bits of a hash", (text) => text.replace(/\n[A-Za-z0-9+/]{43}=\n/, unused)),
  byName("text behind the signatures", (text) => `${text}more\n`),
  byName("cut in the middle", (text) => text.slice(0, text.length / 2)),
  byName("nothing", () => ""),
];

const extras = [
  inExtra("a space", (text) => text.replace(":", ": ")),
  inExtra("a line end behind it", (text) => `${text}\n`),
  inExtra("another order", (text) => text.replace(/^\{(.*),"v":1\}$/s, '{"v":1,$1}')),
  inExtra("an escaped letter", (text) => text.replace("entry", "\\u0065ntry")),
  inExtra("a member twice", (text) => text.replace('"v":1}', '"v":1,"v":1}')),
  inExtra("another form of 1", (text) => text.replace('"v":1}', '"v":1.0}')),
  inExtra("an exponent", (text) => text.replace('"v":1}', '"v":1e0}')),
  inExtra("true for 1", (text) => text.replace('"v":1}', '"v":true}')),
  inExtra("a text for 1", (text) => text.replace('"v":1}', '"v":"1"}')),
  inExtra("an array around it", (text) => `[${text}]`),
  inExtra("half a surrogate pair", (text) => text.replace('{"entry":"', '{"entry":"\\ud800')),
  inExtra("a text alone", (text) => JSON.stringify(text)),
  inMembers("another version", (members) => ({ ...members, v: 2 })),
  inMembers("unknown member", (members) => ({ ...members, more: "" })),
  inMembers("time stamp that is empty", (members) => ({ ...members, timestamp: "" })),
  inMembers("time stamp that is no base64", (members) => ({ ...members, timestamp: "?" })),
  inMembers("time stamp that is no text", (members) => ({ ...members, timestamp: null })),
  inMembers("entry as an object", (members) => ({ ...members, entry: JSON.parse(textOf(members, "entry")) })),
  inMembers("status in the entry", (members) => ({
    ...members,
    entry: textOf(members, "entry").replace(/"status":2../, '"status":403'),
  })),
  inMembers("time in the entry", (members) => ({
    ...members,
    entry: textOf(members, "entry").replace("2026-11-21T09", "2026-11-21T10"),
  })),
  inMembers("space in the entry", (members) => ({
    ...members,
    entry: textOf(members, "entry").replace(":", ": "),
  })),
  inMembers("version of the entry", (members) => ({
    ...members,
    entry: textOf(members, "entry").replace(/"v":([12])\}/, (_, v) => `"v":${3 - Number(v)}}`),
  })),
  inMembers("entry that is no JSON", (members) => ({ ...members, entry: textOf(members, "entry").slice(1) })),
  inMembers("empty salt", (members) => (members.salt === undefined ? null : { ...members, salt: "" })),
  inMembers("no salt", ({ salt, ...members }) => (salt === undefined ? null : members)),
  inMembers("no payload", ({ payload, ...members }) => (payload === undefined ? null : members)),
  inMembers("longer salt", (members) =>
    members.salt === undefined
      ? null
      : {
          ...members,
          salt: base64(Buffer.concat([Buffer.from(textOf(members, "salt"), "base64"), Buffer.of(0)])),
        },
  ),
  inMembers("salt in hexadecimal", (members) =>
    members.salt === undefined
      ? null
      : { ...members, salt: Buffer.from(textOf(members, "salt"), "base64").toString("hex") },
  ),
  inMembers("word in the payload", (members) =>
    members.payload === undefined
      ? null
      : { ...members, payload: textOf(members, "payload").replace(/tea|word|reason|project|tax/, "other") },
  ),
  inMembers("last line of the payload", (members) =>
    members.payload === undefined ? null : { ...members, payload: textOf(members, "payload").slice(0, -1) },
  ),
  inMembers("a line more in the payload", (members) =>
    members.payload === undefined ? null : { ...members, payload: `${textOf(members, "payload")}{}\n` },
  ),
  inMembers("payload of bytes that are nothing", (members) =>
    members.payload === undefined ? null : { ...members, payload: "\n", salt: base64(Buffer.alloc(32)) },
  ),
  inMembers("two lines of the payload exchanged", (members) => {
    const [first, second, third, ...rest] = textOf(members, "payload").split("\n");
    return second === undefined || third === undefined || third === "" || second === third
      ? null
      : { ...members, payload: [first, third, second, ...rest].join("\n") };
  }),
  inMembers("header of a part", (members) => {
    const payload = textOf(members, "payload");
    return payload.includes('"about":[]')
      ? { ...members, payload: payload.replace('"about":[]', `"about":["${"0".repeat(32)}"]`) }
      : null;
  }),
  inMembers("part that is withheld with another hash", (members) => {
    const stored = storedIn(members);
    if (stored === null) return null;
    const { content, salt } = withhold(stored, [1]);
    const wrong = Buffer.from(salt).map((byte, at) => (at === 16 ? byte ^ 1 : byte));
    return { ...members, payload: Buffer.from(content).toString(), salt: base64(wrong) };
  }),
  inMembers("first part withheld", (members) => {
    const stored = storedIn(members);
    if (stored === null) return null;
    const { content, salt } = withhold(stored, [0]);
    return { ...members, payload: Buffer.from(content).toString(), salt: base64(salt) };
  }),
];

/** A payload of several parts, of which the first ones are there. */
function storedIn({ payload, salt }: JsonObject) {
  const lines = String(payload).split("\n");
  const arePresent = lines.length > 2 && lines.slice(0, 2).every((line) => line.includes("\t"));
  return arePresent
    ? { content: Buffer.from(String(payload)), salt: Buffer.from(String(salt), "base64") }
    : null;
}

/** What whoever hands on a receipt can do: what is left is proved as before. */
const allowed: readonly (readonly [string, Change])[] = [
  ["a signature of a stranger", (one) => addLine(one, stranger.cosign(`${one.text}\n\n`, seenAt).trimEnd())],
  ["a long signature", (one) => addLine(one, `— mldsa.example ${base64(Buffer.alloc(2_432, 1))}`)],
  ["a name of other scripts", (one) => addLine(one, `— Зеркало\u007f.例え ${base64("a signature")}`)],
  ["signatures in another order", (one) => ({ ...one, signatures: one.signatures.toReversed() })],
  inMembers("a time stamp", (members) => ({ ...members, timestamp: base64("a token") })),
  inMembers("without the payload", ({ payload, salt, ...members }) => members),
];

const addLine = (one: Parsed, note: string): Parsed => ({
  ...one,
  signatures: [...one.signatures, note.slice(note.indexOf("— "))],
});

const changes: readonly (readonly [string, Change])[] = [...paths, ...notes, ...forms, ...extras];
export const kinds = changes.map(([name]) => name);

/** Every kind of change of every receipt with which it is possible. */
export const changeAll = (receipts: readonly MadeReceipt[]) => changeBy(changes, receipts);
/** Every change that takes nothing away from what is left. */
export const changeHarmlessly = (receipts: readonly MadeReceipt[]) => changeBy(allowed, receipts);

function changeBy(
  changes: readonly (readonly [string, Change])[],
  receipts: readonly MadeReceipt[],
): readonly ChangedReceipt[] {
  const parsed = receipts.map(({ text }) => parse(text));
  return receipts.flatMap((from, at) =>
    changes.flatMap(([kind, change]) => {
      const one = parsed[at];
      const changed =
        one === undefined
          ? null
          : change(
              one,
              parsed.filter((other) => other !== one),
            );
      if (changed === null) return [];
      const text = typeof changed === "string" ? changed : write(changed);
      return text === from.text ? [] : [{ name: `${kind}: ${from.name}`, bytes: Buffer.from(text), from }];
    }),
  );
}

/** A bit of a receipt is flipped, at places of all kinds. */
export function flipBits(
  receipts: readonly MadeReceipt[],
  count: number,
  seed: number,
): readonly ChangedReceipt[] {
  const places = fc.tuple(fc.nat(receipts.length - 1), fc.nat(1_000_000), fc.nat(7), fc.boolean());
  return fc.sample(places, { numRuns: count, seed }).flatMap(([at, place, bit, isInNote]) => {
    const from = receipts[at];
    if (from === undefined) return [];
    const bytes = Buffer.from(from.text);
    const end = bytes.indexOf("\n\n");
    // Half of them outside of the extra data, which is most of the file.
    const index = isInNote ? end + (place % (bytes.length - end)) : place % bytes.length;
    bytes[index] = (bytes[index] ?? 0) ^ (1 << bit);
    return [{ name: `bit ${bit} of byte ${index}: ${from.name}`, bytes, from }];
  });
}
