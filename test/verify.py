#!/usr/bin/env python3
"""A second verifier, written from docs/engineer/AUDIT-FORMAT.md and AUDIT-FORMAT-2.md alone, with nothing but the standard library.

  verify.py PATH [--checkpoint FILE]... [--public-key FILE]

PATH is a memledger database or an export beside its manifest. Prints one line of JSON and ends with the verdict as exit code.
Payloads of a database are unpacked with whatever zstd Python finds; without one they are not checked, and the line says so.
"""
import argparse, base64, collections, ctypes, ctypes.util, datetime, functools, glob, hashlib, json, os, re, sqlite3, sys

VERDICTS = {"intact": 0, "unattested": 10, "broken": 20, "contradicted": 30, "unusable": 40}
ENTRY = {"v", "chain", "seq", "id", "at", "action", "status", "code", "key", "project", "memory", "numbers", "payload_hash", "prev"}
MANIFEST = {"export_id", "chain", "project", "format", "start_time", "end_time", "first_seq", "last_seq", "rows", "first_prev",
            "last_hash", "bytes", "sha256", "created_at", "checkpoint", "verifiable"}
PSEUDONYMS = ("subject", "conversation")
ENTRY_2, OPTIONAL_2 = ENTRY | {"parts"}, {"performed", "since", *PSEUDONYMS}
NUMBERS = {"duration", "credits_consumed", "balance_consumed_usd", "is_cache_hit"}
TOKENS = set("prompt_tokens completion_tokens total_tokens cached_tokens cache_write_tokens reasoning_tokens".split())
MANIFEST_2 = MANIFEST | {"records", "filter", "parts", "tree", "before"}
STATEMENT = {"chain", "first", "genesis", "hash", "through"}
PAYLOAD_COLUMNS = ("model_id gateway_id ip_address user_agent error_msg metadata request_body request_parameters response_body "
                   "input_content output_content rag_query rag_results transport client_name").split()
SENDER_COLUMNS = ("ip_address", "user_agent", "client_name")
LATER_COLUMNS = "key_id seq memory_id request_parameters transport client_name performed".split()
RESERVED = ("memory.", "audit.", "key.", "project.")
SCHEMAS = set("""
2 1ceecaf60a80507e038f51a42bf638de8b38449fc540bcb2f26dbea64deceeaf
2 464a60d35167eb59c65f7fada9d4820538b89d6fce9b14f4719e5158f6796703
2 c38c716519258b2f73475938ddcd1e9c844e5574dd034afcc3ea0ea46784b07c
2 762f7f1aa3e3abebb623c05c807f56771f2836221703f32b81ba8ee5de61e283
3 6ae809b14d74f1e7bf7315b04b35937bb1c88535cde98d19ca30a74fb5099fd2
3 c78d3b04635be29398559d712f09b2f9f72fe1741f9a860e26f5af4d4e6e9f6d
3 05c717151409e1100163d186cc67c68d754532b2ba2b8d1ef5baaa73b58e0216
3 1403216b59a8d9c3437ed4f437858b58b574af150140b0855abbe9497de4e5b4
4 94b2967173cfc7b13a93ed18d7ea034a84e1bf4aa399ba05ed75b64e3b0b1e07
4 6c7332e0245f0964d3bcdcf6005aec9ee4c125e8639d6acfad1378d94bf4ca2b
4 5ad80c874d0feff2f04c746c7209ce014b8d171a3dfe3fabb2c02cca6dd731aa
4 ab6f7491adb3c2436deb066ea84ff54700cfa7cb7808a5fdc722f121e5de98f1
5 0b7b9ec9396aa8651b69f836bf2470ed800e843ff2c6bbddf4c3bf5908bfc23b
5 30cfb96b566e342568551db2f17edd8a13f0d14992b4d2cd5fc7626414ce5a58
5 91ef207d647bbae81e41456cc4493d6cfb0c3c8a2aff0e0e6e4cdc60b3c7d042
5 fed382879993b3bba639bd70179629fcb0518fc933cadf69a9575cea5bc4a89c
6 51a0336f205e1ae7e9663a7b0ba49d3553b456179ae0cc6dd8e0ae891f408f07
6 fc71ad551def41c60d9ace22b0ab9e849192cdcc9f65bb827a36f5a6e53ffb44
6 d0bf8e620afd04f2934645672c4e37c77649c00ae99d1f75d1fb228dfbbe260a
6 6c47fca4b2208bf4749be6bfcaf73c64a4d9d5f52151172387ca0c974564a1e9
6 7ad08a52df5e2961ac06dd0d77e745c01c155d783104d0bfb54f7ca2c9e82f4d
7 dc5a074a34a936c14c3a28429b935f415cad9304427ed7a3ae7ee879c047dd9c
7 33bf6012b75664d10ca471c5f8b7aac04a9467ee7ee13b737863732dd1ddb7b6
7 9388e7e982ce261d6337047c7a4eb9d7d5fe63e77786fd2c19eebf7f0cef4d08
7 1785a7a670b868990ae2622d69743a494887ee3066bd0a010113f99b5140090a
7 6d81279d4ecd34e07aac787fe0d5dd8ee8a60f0f256437b446f4259b5a6e5b45
8 fbaaa33c05bc12542afb107e4efe0ecf56167263b821980ebefaca321dfd7613
8 e72af5397b9cfd14917ee9b3c99ec2842c164eb758772f752f50f99552b49fdf
8 6bb185b7545c8a6ccbb7871a14cfc0652826644ae6f2c6559c8ee5b88bf20058
8 2ced6f4004ee3f36cb2e5fdddef8ce5f1341b14f60211236017c88adbb225a8b
8 88638c20143b9a7ce588e22a4fd9c0931860b1edfe57ec7da0057fe7a8e2755c
9 2839c5133e019b48ea51cedaac68e2e9f5fde9c65af6e41b8e59801e9657fd64
9 1187e4d64c8f38218b5570794aa9a7f840a71b54d5fce7c65e43dec61638e38c
9 869c8010c9aea27bcf9c6d77e9bbde172a9f7ea2993bac92c79c6dbc0dbe37fb
9 b60375ec31e5983cc634015ce6b9380137ed6b3e274b390ed87506b504b945bf
9 b45316277eb11774738a89a6b609086d66822b071051325d5a3adb143c206a0d
10 f9b5dae8f874e57766d56b15bd3ed4ba465c85dd99636722ef6713dde826bdd9
10 2b7800bb46d8443bbfbff133d0621f5c87ef3d6c4a8282c6529355223dfd7042
10 e2fbbced5dc9f03ce6053f2e133cb65c38caa2ad58bdbb769a5008a18ba39471
10 be58cf5e3576a1bde799962f104e0254902ac29c1b4c0d710c4dcbcd4ccc3071
10 f6960988fd6ea16c66400fee23bd3af2349cc7bc237436eb2497329aeca0d70e
""".split("\n"))
FOREIGN_TABLES = (
    ("table", "_litestream_seq", "_litestream_seq",
     "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)"),
    ("table", "_litestream_lock", "_litestream_lock", "CREATE TABLE _litestream_lock (id INTEGER)"),
)
TABLES = "project audit_chain audit_entry audit_payload audit_checkpoint audit_anchor audit_verification".split()
TABLES_2 = ["audit_node", "audit_pseudonym", "pseudonym"]
TABLES_10 = ["audit_attestation", "audit_deposit"]
ORDER = "genesis anchor signature checkpoint form seq link chain time hash payload columns owner tree manifest".split()
LASTING = ("audit.redact", "audit.prune")
SHOWN = ("memory.create", "memory.read", "memory.update", "memory.put")
LISTS = {"memory.create_batch": "results", "memory.extract": "extracted"}


class Unusable(Exception):
    pass


# --- JSON, RFC 8785 ---------------------------------------------------------------------------------------------------------------

def json_decoder(pairs=None):
    """Numbers are what JavaScript makes of them."""
    def refuse(name):
        raise ValueError(name)
    def number(digits):
        return int(digits) if len(digits) < 16 or abs(int(digits)) < 2**53 else float(digits)
    def real(digits):
        value = float(digits)
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return json.JSONDecoder(object_pairs_hook=pairs, parse_constant=refuse, parse_int=number, parse_float=real)


# Raises ValueError.
parse_json = json_decoder().decode
# The JCS form of most values; not of some numbers, nor of some orders of names.
usual_form = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
UNUSUAL = re.compile("[0-9]e[-+]|[\ud800-\U0010ffff]")


def jcs_number(value):
    if isinstance(value, int):
        return str(value)
    if value == 0:
        return "0"
    if value != value or abs(value) == float("inf"):
        raise ValueError("not a JSON number")
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).rstrip("0")
    point -= len(digits) - len(digits.lstrip("0"))
    digits = digits.lstrip("0")
    if 0 < point <= 21:
        body = digits.ljust(point, "0") if len(digits) <= point else digits[:point] + "." + digits[point:]
    elif -6 < point <= 0:
        body = "0." + "0" * -point + digits
    else:
        body = digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{point - 1:+d}"
    return ("-" if value < 0 else "") + body


def jcs(value):
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return jcs_number(value)
    if isinstance(value, str):
        return json.encoder.encode_basestring(value)
    if isinstance(value, list):
        return "[" + ",".join(map(jcs, value)) + "]"
    members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(f"{jcs(name)}:{jcs(item)}" for name, item in members) + "}"


def is_jcs(value, text):
    return usual_form(value) == text and not UNUSUAL.search(text) or jcs(value) == text


def canonical(text):
    """The object that a text is the JCS form of; else None."""
    try:
        value = parse_json(text)
        return value if isinstance(value, dict) and is_jcs(value, text) else None
    except (ValueError, TypeError, RecursionError):
        return None


def has_members(value, names, optional=frozenset()):
    """Whether an object has exactly these members. It may have others if it says since which release."""
    rest = set(value) - optional
    if "since" in optional and "since" in value:
        if not isinstance(value["since"], str) or not re.fullmatch(r"[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}", value["since"]):
            return False
        rest &= names
    return rest == names


def canonical_object(text, names, optional=frozenset()):
    """The object with exactly these members that a text is the JCS form of; else None."""
    value = canonical(text)
    return value if value is not None and has_members(value, names, optional) else None


def loose_object(text):
    """The object in a text of any form; empty if there is none."""
    try:
        value = parse_json(text.decode())
        return value if isinstance(value, dict) else {}
    except (ValueError, RecursionError):
        return {}


def is_whole(value, least=0):
    return type(value) is int and least <= value < 2**53


def is_integer(value):
    return type(value) is int and abs(value) < 2**53


def is_hex(value, length=32):
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{%d}" % length, value, re.ASCII) is not None


def milliseconds(timestamp):
    if not isinstance(timestamp, str) or not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", timestamp, re.ASCII):
        return None
    try:
        moment = datetime.datetime.fromisoformat(timestamp[:-1])
    except ValueError:
        return None
    return (moment - datetime.datetime(1970, 1, 1)) // datetime.timedelta(milliseconds=1)


def sha256(*parts):
    return hashlib.sha256(b"".join(part.encode() if isinstance(part, str) else part for part in parts)).hexdigest()


# --- Ed25519, RFC 8032 ------------------------------------------------------------------------------------------------------------

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(one, other):
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % P, (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(factor, point):
    product = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            product = add(product, point)
        point, factor = add(point, point), factor >> 1
    return product


def decompress(data):
    y, sign = int.from_bytes(data, "little") & (2**255 - 1), data[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def ed25519_pure(key, text, signature):
    point, r, s = decompress(key), decompress(signature[:32]), int.from_bytes(signature[32:], "little")
    if point is None or r is None or s >= L:
        return False
    base = decompress((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % L
    left, right = multiply(s, base), add(r, multiply(h, point))
    return not ((left[0] * right[2] - right[0] * left[2]) % P or (left[1] * right[2] - right[1] * left[2]) % P)


def ed25519(key, text, signature):
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return ed25519_pure(key, text, signature)
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, text)
        return True
    except (InvalidSignature, ValueError):
        return False


# --- Notes ------------------------------------------------------------------------------------------------------------------------

class Keys:
    def __init__(self, text):
        self.keys, self.known, self.successors = [], {}, {}
        for line in text.split():
            found = re.fullmatch(r"memledger\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)", line)
            data = base64.b64decode(found[2]) if found else b""
            if len(data) != 33 or data[0] != 1 or sha256("memledger\n", data)[:8] != found[1]:
                raise Unusable("the public key is no verifier key")
            self.keys.append((bytes.fromhex(found[1]), data[1:]))
        if not self.keys:
            raise Unusable("there is no key")

    def follow(self, notes):
        """Adds the keys that these, or those added before, say to be their successors."""
        found = [re.fullmatch(r"memledger-rotation/v1\n(\S+)\n(\S+)\n(\S+)\n", note.partition("\n\n")[0] + "\n") for note in notes]
        by_former = {}
        for note, one in zip(notes, found):
            if one and milliseconds(one[3]) is not None:
                try:
                    before, after = Keys(one[1]), Keys(one[2])
                except (Unusable, ValueError):
                    continue
                by_former.setdefault(before.keys[0], []).append((note, before, after.keys[0]))
        accepted = set(self.keys)
        # The list grows while it is read: each key is looked up once.
        for key in self.keys:
            for note, before, successor in by_former.get(key, ()):
                if before.open(note) is not None:
                    self.successors.setdefault(key, set()).add(successor)
                    if successor not in accepted:
                        accepted.add(successor)
                        self.keys.append(successor)

    def open(self, note):
        """The text of a note, or None when it is malformed or none of the keys signed it."""
        return self.signed(note)[0]

    def signed(self, note):
        """(text, keys that signed it); (None, none) when it is malformed, none signed it, or a line of one of them is wrong."""
        if note not in self.known:
            text, lines = note_parts(note)
            by_line = [[key for key in self.keys if name == "memledger" and data[:4] == key[0]] for name, data in lines]
            signers = [[key for key in known if len(data) == 68 and ed25519(key[1], text.encode(), data[4:])]
                       for known, (_, data) in zip(by_line, lines)]
            good = any(signers) and all(found or not known for found, known in zip(signers, by_line))
            self.known[note] = (text, frozenset(sum(signers, []))) if good else (None, frozenset())
        return self.known[note]

    def checkpoint(self, note):
        """The checkpoint in a note, of either version, or None."""
        text, signers = self.signed(note)
        found = checkpoint(text)
        return found and found._replace(signers=signers)

    def still_signed(self, checkpoints):
        """Says of a checkpoint whether one of its signers signed it before the checkpoint with which its successor took over."""
        ends = {}
        for one in checkpoints:
            for key in one.signers if one.log else ():
                if not self.successors.get(key, set()).isdisjoint(one.signers):
                    place = one.chain, one.log, key
                    ends[place] = min(one.count, ends.get(place, one.count))
        return lambda one: not one.log or any(one.count <= ends.get((one.chain, one.log, key), one.count) for key in one.signers)


def note_parts(note):
    """(text, [(name, data)] of its signature lines). Only a note of version 2 has several lines. No lines: malformed."""
    text, _, rest = note.rpartition("\n\n")
    lines = [re.fullmatch(r"— (\S+) (\S+)", line) for line in rest.split("\n")[:-1]]
    if None in lines or len(lines) > 1 and not re.match(TREE_NAME, text) or not rest.endswith("\n"):
        return text + "\n", []
    return text + "\n", [(line[1], from_base64(line[2]) or b"") for line in lines]


def from_base64(text):
    """The bytes, or None when the text is not the base64 of any."""
    try:
        data = base64.b64decode(text)
        return data if base64.b64encode(data).decode() == text else None
    except (ValueError, TypeError):
        return None


HASH, TIME = r"([A-Za-z0-9+/]{43}=)\n", r"(\S+)\n"
TREE_NAME = r"memledger/([0-9a-f]{32})/(2|[0-9a-f]{32})\n"
TREE_HEAD = TREE_NAME + r"([1-9][0-9]{0,15})\n" + HASH + r"\Z"
# `log`: None in version 1. `count`: the size in version 1, the number of leaves in version 2. `hash`: that of the head, or the root.
Checkpoint = collections.namedtuple("Checkpoint", "chain log count hash at signers")


def checkpoint(text):
    """The checkpoint that a text is, of either version, or None."""
    found = re.match(TREE_HEAD, text or "")
    if found:
        root = from_base64(found[4])
        return root and Checkpoint(found[1], found[2], int(found[3]), root.hex(), None, frozenset())
    found = re.fullmatch(r"memledger/([0-9a-f]{32})\n(0|[1-9]\d{0,15})\n" + HASH + TIME, text or "", re.ASCII)
    at = milliseconds(found[4]) if found else None
    return None if at is None else Checkpoint(found[1], None, int(found[2]), base64.b64decode(found[3]).hex(), at, frozenset())


def anchor(text):
    """(chain, through, hash, first time, last time, number, cause), or None. Times are text: they sort."""
    number = r"([1-9]\d{0,15})\n"
    found = re.fullmatch(r"memledger-anchor/([0-9a-f]{32})\n" + number + HASH + TIME + TIME + number + r"(retention|erasure)\n",
                         text or "", re.ASCII)
    if not found or milliseconds(found[4]) is None or milliseconds(found[5]) is None:
        return None
    return found[1], int(found[2]), base64.b64decode(found[3]).hex(), found[4], found[5], int(found[6]), found[7]


def split_notes(text):
    notes = re.split(r"(?<=\n)\n+(?=memledger)", text.strip("\n") + "\n") if text.strip() else []
    return [note.strip("\n") + "\n" for note in notes]


def given_notes(text):
    """The checkpoints in a file from outside, whoever signed them. Raises Unusable when there is none."""
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if isinstance(answer, dict):
        data = answer["data"] if isinstance(answer.get("data"), dict) else answer
        several = data["checkpoints"] if isinstance(data.get("checkpoints"), list) else [data]
        text = "\n".join(one["note"] for one in several if isinstance(one, dict) and isinstance(one.get("note"), str))
    notes = split_notes(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    found = [note for note in notes for text, lines in [note_parts(note)] if checkpoint(text)
             and any(name == "memledger" and len(data) == 68 for name, data in lines)]
    if not found:
        raise Unusable("a file given as a checkpoint holds none")
    return found


# --- Records ----------------------------------------------------------------------------------------------------------------------

class Chain:
    """Looks at the records of one chain, one after another."""

    def __init__(self, chain, project, seq, digest, at, span=None):
        self.chain, self.project, self.span = chain, project, span
        self.seq, self.digest, self.at = seq, digest, at
        self.start, self.hashes, self.failures, self.missing, self.excuses = seq, {seq: digest}, [], [], []
        self.anchor, self.claims = None, []
        self.records = self.appended = 0
        # Of version 2. `first`: seq of its first record (None: not known). `later`: records of later releases. `held`: the parts that are
        # not there, of each payload. `gaps`, `withheld`: whether an export may leave out records, and parts.
        self.first, self.statement, self.later = float("inf"), None, []
        self.held, self.erased, self.sources, self.numbers_of = {}, [], [], {}
        self.gaps = self.withheld = self.has_second = False
        self.attested = 0

    def fail(self, seq, check):
        self.failures.append((seq, check))

    def first_failure(self):
        return min(self.failures, key=lambda failure: (failure[0] is None, failure[0], ORDER.index(failure[1])), default=None)

    def take(self, seq, text, digest, stored, columns, foreign=lambda entry, payload: False):
        """`stored`: (salt, text in bytes), "missing", "unreadable", or "unchecked". `columns`: says whether copies agree.
        `foreign`: says whether the key, a memory or a pseudonym belongs to another project. Both get the entry and the payload."""
        entry = read_entry(text) if isinstance(text, str) else None
        if seq is None:
            seq = entry["seq"] if entry else self.seq + 1
        if self.seq is None:
            self.seq = seq - 1
        follows = seq == self.seq + 1
        if not follows and not (self.gaps and self.records and seq > self.seq):
            self.fail(min(seq, self.seq + 1), "seq")
        elif follows and entry and self.digest is not None and entry["prev"] != self.digest:
            self.fail(seq, "link")
        elif entry and self.at is not None and entry["at"] < self.at:
            self.fail(seq, "time")
        payload = entry and (Payload if entry["v"] == 1 else Parts)(entry, stored, self.withheld)
        local = self.look(seq, entry, text, digest, payload, columns) if entry else "form"
        local = local or ("owner" if foreign(entry, payload) else None)
        if local:
            self.fail(seq, local)
        if entry:
            if payload.state == "missing" and not payload.lasts(entry):
                self.missing.append(seq)
            if payload.state == "held" and payload.good:
                self.keep(seq, entry, payload, entry_hash(entry, text) == digest and local != "form")
            self.numbers_of[entry["id"]] = entry.get("parts", 0)
            names = unknown_members(entry) + list(payload.later)
            if names and local != "form":
                self.later.append((seq, names, entry["since"]))
            self.has_second = self.has_second or entry["v"] == 2
            self.at = entry["at"]
            self.appended += not is_own(entry)
        self.records += 1
        self.seq, self.digest = seq, digest if digest is not None else ""
        self.hashes[seq] = digest

    @staticmethod
    def has_form(entry):
        whole = lambda value: type(value) is int
        text = lambda value: isinstance(value, str)
        version = entry["v"]
        return (whole(version) and entry.get("performed", True) is True and whole(entry["seq"]) and whole(entry["status"])
                and (version == 1 or is_whole(entry["parts"], 1) and entry["parts"] <= 10_000
                     and all(is_hex(entry[name]) for name in PSEUDONYMS if name in entry))
                and (entry["code"] is None or whole(entry["code"])) and has_numbers(entry["numbers"], version, "since" in entry)
                and all(text(entry[name]) for name in ("chain", "id", "at", "action", "payload_hash", "prev"))
                and all(entry[name] is None or text(entry[name]) for name in ("key", "project", "memory"))
                and milliseconds(entry["at"]) is not None and re.fullmatch("[0-9a-f]{32}", entry["id"], re.ASCII) is not None
                and len(entry["action"]) <= 100
                and re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_]+)*", entry["action"], re.ASCII) is not None)

    def look(self, seq, entry, text, digest, payload, columns):
        if self.first is not None and (entry["v"] == 2) != (seq >= self.first):
            return "form"
        if entry["chain"] != self.chain or entry["project"] != self.project:
            return "chain"
        if self.span and not self.span[0] <= entry["at"] <= self.span[1]:
            return "time"
        if entry_hash(entry, text) != digest:
            return "hash"
        if not (payload.good or payload.state == "missing") or payload.lasts(entry):
            return "payload"
        return None if columns(entry, payload) else "columns"

    def keep(self, seq, entry, payload, is_sound):
        """Remembers what later records say about this payload, and what it says about others."""
        self.held[seq] = payload.absent
        if payload.erased:
            self.erased.append((seq, payload.erased))
        if entry["v"] == 2 and "made_of" in payload.first:
            self.sources.append((seq, payload.first["made_of"]))
        if entry["action"] not in LASTING or entry["status"] != 200 or not is_sound:
            return
        said, by_part = payload.first, {}
        listed = lambda name: said[name] if entry["action"] == "audit.redact" and isinstance(said.get(name), list) else []
        through = said.get("payloads_through") if entry["action"] == "audit.prune" else None
        if entry["v"] == 2:
            for one in listed("redacted_parts"):
                if isinstance(one, list) and len(one) == 2 and is_integer(one[0]) and isinstance(one[1], list):
                    by_part.setdefault(one[0], set()).update(filter(is_integer, one[1]))
        self.excuses.append(Removal(seq, set(filter(is_integer, listed("redacted"))), by_part, through if isinstance(through, int) else 0,
                                    listed("erased") if entry["v"] == 2 else [], entry["v"]))
        if entry["action"] == "audit.prune":
            self.claims.append((seq, said.get("through"), said.get("count"), said.get("cause")))

    def require_removals(self, attested):
        """`attested`: the largest size of a signed checkpoint. A record beyond it accounts for nothing."""
        covered = [one for one in self.excuses if one.seq <= attested]
        if self.anchor and not any(self.start < by <= attested and tuple(said) == self.anchor for by, *said in self.claims):
            self.fail(self.anchor[0], "anchor")
        said = next((one.through for one in reversed(covered) if one.through > 0), 0)
        column = self.payloads_through
        if isinstance(column, int) and column != said and (column < 0 or max(column, said) > self.start):
            self.fail(max(column, said, 0), "payload")
        accounted = lambda seq: any(seq < one.seq and (seq in one.seqs or seq <= one.through) for one in covered)
        for seq in self.missing:
            if not accounted(seq):
                self.fail(seq, "payload")
                break
        for seq, erased in self.erased:
            named = set().union(*(one.parts.get(seq, ()) for one in covered if seq < one.seq))
            if not erased <= named and not accounted(seq):
                self.fail(seq, "payload")

    def require_erased(self, attested):
        """What a record of version 2 says to have erased is not there."""
        for one in self.excuses:
            if one.version == 2 and one.seq <= attested:
                for seq in filter(lambda seq: seq < one.seq and seq in self.held, {*one.seqs, *one.parts}):
                    if seq in one.seqs or not one.parts[seq] <= self.held[seq]:
                        self.fail(seq, "payload")

    def require_sources(self):
        """The parts that memories were made of are parts of their records, where these are there."""
        for seq, items in self.sources:
            if not isinstance(items, list) or not all(map(self.is_source, items)):
                self.fail(seq, "owner")

    def is_source(self, item):
        if not isinstance(item, dict) or not is_hex(item.get("memory")) or not is_hex(item.get("record")):
            return False
        count, parts = self.numbers_of.get(item["record"], float("inf")), item.get("parts")
        return isinstance(parts, list) and all(is_whole(part) and part < count for part in parts)

    def require_end_of_removed(self):
        """Records that the newest anchor removed and that are not deleted yet end with the one that it names."""
        left = self.leftovers
        if left.records:
            self.failures += left.failures
            if not left.failures and left.seq != self.start:
                self.fail(self.start, "seq")
            elif not left.failures and self.hashes[self.start] not in (None, left.digest):
                self.fail(self.start, "link")

    def covers(self, mark):
        """The seq that a checkpoint covers; 0 if it has leaves and the chain no tree."""
        if not mark.log:
            return mark.count
        return mark.count + self.statement["through"] - 1 if self.statement else 0

    def weigh(self, checkpoints, newest, genesis=None, tree=None):
        """(attested through or None, contradicted). `checkpoints`: (checkpoint, is from outside). `newest`: None for an export."""
        attested, contradicted = None, False
        for mark, outside in checkpoints:
            size, known = self.covers(mark), None
            if not mark.log:
                known = genesis if size == 0 else self.hashes.get(size)
            elif newest is not None and not self.statement:
                contradicted = contradicted or self.first is not None
                continue
            elif newest is not None and size <= newest or tree and self.start <= size <= self.seq:
                known = tree.root(mark.count) or ("" if newest is not None else None)
            if newest is not None and size > newest:
                contradicted = True
            elif known is not None and known != mark.hash:
                contradicted = True
            elif known is not None and outside and size > self.start and self.records:
                attested = max(attested or 0, size)
        return attested, contradicted


Removal = collections.namedtuple("Removal", "seq seqs parts through erased version")
Pseudonym = collections.namedtuple("Pseudonym", "serial id project owner kind name")


def read_entry(text):
    """The entry, of either version, that a text is the JCS form of; else None."""
    entry = canonical(text)
    if entry is None or entry.get("v") not in (1, 2):
        return None
    members = (ENTRY, {"performed"}) if entry["v"] == 1 else (ENTRY_2, OPTIONAL_2)
    return entry if has_members(entry, *members) and Chain.has_form(entry) else None


def entry_hash(entry, text):
    return sha256(f"memledger/entry/v{entry['v']}\0", text)


def unknown_members(entry):
    """Names of members that a later release has added."""
    if "since" not in entry:
        return []
    return [*sorted(set(entry) - ENTRY_2 - OPTIONAL_2), *sorted(set(entry["numbers"]) - NUMBERS - {"tokens"}),
            *sorted(set(entry["numbers"].get("tokens", {})) - TOKENS)]


def is_own(entry):
    """Whether the server has performed the operation itself; otherwise a client appended the record."""
    return "performed" in entry or entry["project"] is None or entry["action"].startswith(RESERVED)


def has_numbers(numbers, version=1, later=False):
    is_number = lambda value: type(value) in (int, float)
    if not isinstance(numbers, dict) or not isinstance(numbers.get("tokens", {}), dict):
        return False
    names, tokens = set(numbers) - {"tokens"}, set(numbers.get("tokens", {}))
    return ((NUMBERS <= names if later else NUMBERS == names) and (version == 1 or later or tokens <= TOKENS)
            and (numbers["duration"] is None or is_number(numbers["duration"])) and is_number(numbers["credits_consumed"])
            and is_number(numbers["balance_consumed_usd"]) and type(numbers["is_cache_hit"]) is bool)


# --- Payloads ---------------------------------------------------------------------------------------------------------------------

class Payload:
    """The payload of a record of version 1. `state`: held, missing, unreadable or unchecked. `good`: whether it is that of the entry.
    `value`: the payload object, or empty. `first`: the object in which a removal says what it removed."""
    absent, erased, about, later = frozenset(), frozenset(), frozenset(), ()

    def __init__(self, entry, stored, withheld=False):
        self.state, self.stored = ("held", stored) if isinstance(stored, tuple) else (stored, None)
        self.good = self.state == "unchecked" or self.state == "held" and self.is_of(entry, withheld)

    def is_of(self, entry, withheld):
        return len(self.stored[0]) == 16 and sha256("memledger/payload/v1\0", *self.stored) == entry["payload_hash"]

    def lasts(self, entry):
        """Whether something is not there that nothing can account for."""
        return self.state == "missing" and entry["action"] in LASTING

    @functools.cached_property
    def value(self):
        return loose_object(self.stored[1]) if self.state == "held" else {}

    @property
    def first(self):
        return self.value

    def sent_by(self):
        return self.value


class Parts(Payload):
    """The payload of a record of version 2. `texts`: None for a part that is not there. `headers`: None for a withheld one."""

    def is_of(self, entry, withheld):
        self.headers, self.texts, self.later, self.later_allowed = [], [], [], "since" in entry
        try:
            self.read(entry, withheld)
            self.whole = self.put_together(withheld)
        except (ValueError, RecursionError):
            return False
        self.absent = frozenset(number for number, text in enumerate(self.texts) if text is None)
        self.erased = frozenset(number for number in self.absent if self.headers[number] is not None)
        self.about = frozenset(one for header in self.headers if header for one in header["about"])
        return True

    def read(self, entry, withheld):
        salt, content = self.stored
        *lines, rest = content.split(b"\n")
        refuse(rest != b"" or len(lines) != entry["parts"])
        hashes, at = [], 0
        for number, line in enumerate(lines):
            header, tab, text = line.partition(b"\t")
            piece = salt[at:at + (16 if tab else 32)]
            at += 16 if tab else 32
            refuse(len(piece) != (16 if tab else 32) or tab and not text)
            is_withheld = withheld and number > 0 and line == b"{}"
            self.headers.append(None if is_withheld else self.header(header.decode(), number))
            self.texts.append(text if tab else None)
            text_hash = hashlib.sha256(b"memledger/text/v2\0" + piece + text).digest() if tab else piece
            hashes.append(piece if is_withheld else hashlib.sha256(b"memledger/part/v2\0" + text_hash + header).digest())
        refuse(at != len(salt) or sha256("memledger/payload/v2\0", *hashes) != entry["payload_hash"])

    def header(self, text, number):
        header, others = parse_header(text)
        refuse(others and not self.later_allowed)
        self.later += others
        refuse(header["at"] != [""] if number == 0 else "" in header["at"])
        return header

    def put_together(self, withheld):
        """The payload object; empty if part 0 is not there. Raises ValueError when the places are wrong."""
        part_at, above, around = {}, set(), {0} if len(self.headers) > 1 else set()
        for number, header in enumerate(self.headers):
            places = header["at"] if header else []
            ways = {way for place in places for way in ancestors(place)}
            refuse(any(place in part_at or place in above or place in ways for place in places))
            around.update(part_at[way] for way in ways if way in part_at)
            part_at.update((place, number) for place in places)
            above |= ways
        for number in around:
            text = self.texts[number]
            value = None if text is None else parse_json(text.decode())
            refuse(text is not None and (not is_jcs(value, text.decode()) or number == 0 and not isinstance(value, dict)))
        if self.texts[0] is None:
            return {}
        is_json, gone, whole = True, set(), loose_value(self.texts[0])
        for header, text in zip(self.headers[1:], self.texts[1:]):
            for place in header["at"] if header else []:
                spot = None if gone.intersection(ancestors(place)) else find_null(whole, place, withheld)
                if text is None:
                    gone.add(place)
                elif spot:
                    value = loose_value(text)
                    is_json = is_json and value is not NotJson
                    spot[0][spot[1]] = value
        return whole if is_json and isinstance(whole, dict) else {}

    def lasts(self, entry):
        if entry["action"] not in LASTING or entry["status"] != 200 or self.state == "unchecked":
            return False
        return self.state == "missing" or 0 in self.absent or self.good and bool(self.headers[0]["about"])

    @property
    def value(self):
        return self.whole if self.good and self.state == "held" else {}

    @functools.cached_property
    def first(self):
        return loose_object(self.texts[0]) if self.good and self.state == "held" and self.texts[0] is not None else {}

    def sent_by(self):
        sender = self.value.get("sender")
        return sender if isinstance(sender, dict) else {}

    def names(self):
        """The items of `names` that are there."""
        if not self.good or self.state != "held":
            return []
        return [loose_object(text) for header, text in zip(self.headers, self.texts) if text is not None and any(
            re.fullmatch("/names/[0-9]+", place) for place in header["at"])]


@functools.lru_cache(4096)
def parse_header(text):
    """(the header of a part, names of members that are not of this version). Raises ValueError."""
    header = canonical(text)
    refuse(header is None or not {"about", "at"} <= set(header))
    about, places = header["about"], header["at"]
    refuse(not isinstance(about, list) or not all(map(is_hex, about)) or about != sorted(set(about)))
    refuse(not isinstance(places, list) or not 1 <= len(places) <= 16 or not all(
        isinstance(place, str) and re.fullmatch("(/([^~/]|~[01])*)*", place) for place in places) or len(set(places)) < len(places))
    return header, sorted(set(header) - {"about", "at"})


class NotJson:
    """Stands for the value of a text that has none."""


def loose_value(text):
    try:
        return parse_json(text.decode())
    except (ValueError, RecursionError):
        return NotJson


def refuse(wrong):
    if wrong:
        raise ValueError("not a list of parts")


def ancestors(place):
    """The JSON pointers to all that a place is inside of."""
    names = place.split("/")
    return ["/".join(names[:length]) for length in range(1, len(names))]


def find_null(value, place, withheld):
    """(object or array, name or index) of a place, which is null. None if it may be inside a part that is withheld."""
    names = [name.replace("~1", "/").replace("~0", "~") for name in place.split("/")[1:]]
    for name in names:
        if value is None and withheld:
            return None
        if isinstance(value, list) and re.fullmatch("0|[1-9][0-9]{0,9}", name) and int(name) < len(value):
            name = int(name)
        else:
            refuse(not isinstance(value, dict) or name not in value)
        around, value = value, value[name]
    refuse(value is not None)
    return around, name


# --- Merkle trees, RFC 6962 -------------------------------------------------------------------------------------------------------

def leaf_hash(data):
    return hashlib.sha256(b"\0" + data).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def statement_leaf(text):
    return leaf_hash(bytes.fromhex(sha256("memledger/tree/v2\0", text)))


def divided(count):
    """(level, position) of the nodes into which so many first leaves are divided, the largest first."""
    return [(level, (count >> level) - 1) for level in reversed(range(count.bit_length())) if count >> level & 1]


class Tree:
    """`nodes`: those that are stored. `removed`: the number of first leaves that are not there. `hashes`: of entries, by seq."""

    def __init__(self, statement, through, hashes, leaves, removed=0, nodes=()):
        self.first, self.through, self.hashes = statement_leaf(statement), through, hashes
        self.leaves, self.removed, self.nodes = leaves, removed, dict(nodes)

    def compute(self, level, position):
        """A node from what is below it, or None."""
        if (position + 1) << level > self.leaves:
            return None
        if level == 0:
            digest = self.hashes.get(self.through + position) if position >= max(self.removed, 1) else None
            return self.first if position == 0 else leaf_hash(bytes.fromhex(digest)) if is_hex(digest, 64) else None
        left = self.node(level - 1, 2 * position)
        right = self.node(level - 1, 2 * position + 1) if left else None
        return node_hash(left, right) if right else None

    def node(self, level, position):
        return self.nodes.get((level, position)) or self.compute(level, position)

    def root(self, count):
        """In hexadecimal, or None when it cannot be computed."""
        parts = [self.node(*place) for place in divided(count)]
        return functools.reduce(lambda right, left: node_hash(left, right), reversed(parts)).hex() if parts and all(parts) else None

    def last_seq(self, level, position):
        return self.through + ((position + 1) << level) - 1


def kept_nodes(count, removed):
    """The nodes below level 8 that stay for a number of leaves, up to `removed`, of a checkpoint."""
    level = (count & -count).bit_length() - 1
    places = {(level, (count >> level) - 1)} if level < 8 else set()
    places |= {(above, ((count - 1) >> above) ^ 1) for above in range(level, 8)}
    return {(level, position) for level, position in places if (position + 1) << level <= removed}


def is_included(leaf, index, count, path, root):
    if index >= count:
        return False
    last, found = count - 1, leaf
    for one in path:
        if last == 0:
            return False
        if index & 1 or index == last:
            found = node_hash(one, found)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            found = node_hash(found, one)
        index, last = index >> 1, last >> 1
    return last == 0 and found == root


def read_statement(text, chain):
    """The statement of the tree of a chain, or None."""
    said = canonical_object(text, STATEMENT, {"since"}) if isinstance(text, str) else None
    good = said and said["chain"] == chain and is_hex(said["genesis"], 64) and is_hex(said["hash"], 64)
    good = good and is_whole(said["through"]) and is_whole(said["first"], said["through"] + 1)
    return said if good and (said["through"] > 0 or said["hash"] == said["genesis"]) else None


# --- Databases --------------------------------------------------------------------------------------------------------------------

def find_zstd():
    """A function from a frame to its bytes that raises when it is none, or None."""
    try:
        from compression import zstd
        return zstd.decompress
    except ImportError:
        pass
    name = ctypes.util.find_library("zstd")
    if name is None:
        return None
    library = ctypes.CDLL(name)
    library.ZSTD_decompress.restype = library.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
    library.ZSTD_isError.argtypes = [ctypes.c_size_t]

    def unpack(frame):
        size = library.ZSTD_getFrameContentSize(frame, ctypes.c_size_t(len(frame)))
        if size > 2**28:
            raise ValueError("no frame of a sensible size")
        room = ctypes.create_string_buffer(size or 1)
        written = library.ZSTD_decompress(room, ctypes.c_size_t(size), frame, ctypes.c_size_t(len(frame)))
        if library.ZSTD_isError(written):
            raise ValueError("not a zstd frame")
        return room.raw[:written]
    return unpack


def is_one_frame(data):
    """Whether these bytes are a zstd frame without a dictionary, from the first byte to the last. RFC 8878, section 3.1.1."""
    if data[:4] != b"\x28\xb5\x2f\xfd" or len(data) < 9 or data[4] & 0x1b:
        return False
    single = data[4] & 0x20
    at = 5 + (0 if single else 1) + ((1 if single else 0), 2, 4, 8)[data[4] >> 6]
    last = False
    while not last:
        if at + 3 > len(data):
            return False
        block = int.from_bytes(data[at:at + 3], "little")
        last, kind, size = block & 1, block >> 1 & 3, block >> 3
        if kind == 3 or size == 0 and (kind == 1 or not last):
            return False
        at += 3 + (1 if kind == 1 else size)
    return at + (4 if data[4] & 4 else 0) == len(data)


def verify_database(given, keys, outside):
    path = os.path.realpath(given)
    for company in ("-wal", "-shm", "-journal"):
        if os.path.lexists(path + company) and (os.path.islink(path + company) or not os.path.isfile(path + company)):
            raise Unusable("a file beside the database is not a regular file")
    if os.path.exists(path + "-journal") and os.path.getsize(path + "-journal") > 0:
        raise Unusable("an unfinished write lies beside the database")
    alone = "" if os.path.exists(path + "-wal") else "&immutable=1"
    database = sqlite3.connect("file:" + path.replace("?", "%3f").replace("#", "%23") + "?mode=ro" + alone, uri=True)
    database.text_factory = lambda data: data.decode("utf-8", "replace")
    query = lambda sql, *values: database.execute(sql, values).fetchall()
    if query("PRAGMA application_id")[0][0] != 0x6D6C6467:
        raise Unusable("not a memledger database")
    database.execute("BEGIN")
    version = str(query("PRAGMA user_version")[0][0])
    if not any(line.startswith(version + " ") for line in SCHEMAS):
        raise Unusable("a format that this verifier does not know")
    rows = query("SELECT type, name, tbl_name, sql FROM main.sqlite_master")
    lines = sorted(jcs(list(row)) + "\n" for row in rows if tuple(row) not in FOREIGN_TABLES)
    if f"{version} {sha256(*lines)}" not in SCHEMAS:
        return (None, None, "schema"), False, False, True, None
    is_second = int(version) >= 8
    is_attested = int(version) >= 10
    tables = TABLES + TABLES_2 * is_second + TABLES_10 * is_attested
    damage = [table for table in tables if query(f"PRAGMA integrity_check({table})") != [("ok",)]]
    unpack = find_zstd()
    frames = [read_frame(query, keys, row) for row in query(
        f"SELECT c.number, c.id, c.project, p.id, c.genesis, c.hash, c.payloads_through, {'c.tree' if is_second else 'NULL'} "
        "FROM audit_chain c NOT INDEXED LEFT JOIN project p NOT INDEXED ON p.serial = c.project "
        "ORDER BY c.number")]
    by_number = {number: chain for number, chain in frames}
    orphans = 0
    owner = dict(query("SELECT number, project FROM audit_chain NOT INDEXED"))
    project_of_key = dict(query("SELECT id, project FROM api_key"))
    project_of_memory = dict(query("SELECT id, project FROM memory NOT INDEXED"))
    name_of = dict(query("SELECT id, name FROM project NOT INDEXED"))
    # A subject has a row of project with the id of its pseudonym.
    subjects = dict(query("SELECT o.serial, s.project FROM project o NOT INDEXED JOIN pseudonym s NOT INDEXED ON s.id = o.id") if is_second else ())
    project_of_memory = {memory: subjects.get(serial, serial) for memory, serial in project_of_memory.items()}
    made_of = dict(query("SELECT id, made_of FROM memory NOT INDEXED") if is_second else ())
    misnamed = 0
    pseudonyms, by_serial, known_by = {}, {}, {}
    for row in map(Pseudonym._make, query("SELECT serial, id, project, owner, kind, name FROM pseudonym NOT INDEXED") if is_second else ()):
        pseudonyms[row.id] = by_serial[row.serial] = row
    for serial, entry in database.execute("SELECT pseudonym, entry FROM audit_pseudonym NOT INDEXED") if is_second else ():
        known_by.setdefault(entry, set()).add(serial)
    def is_owned(row):
        owner = by_serial.get(row.owner)
        return row.owner is None or owner is not None and (owner.project, owner.kind) == (row.project, "subject")

    def name_left(name):
        row = pseudonyms.get(name) if isinstance(name, str) else None
        return row and row.name

    for number, chain, *row, entry, digest, mac, salt, text in database.execute(
            f"SELECT number, chain, seq, id, at, action, status, key, memory, e.entry, hash, {'mac' if is_second else 'NULL'}, salt, text "
            "FROM audit_entry e NOT INDEXED "
            f"LEFT JOIN audit_payload p ON p.entry = e.number WHERE number BETWEEN 1 AND {2**53 - 1} ORDER BY number"):
        of_chain, found = by_number.get(chain), known_by.pop(number, set())
        if of_chain is None:
            orphans += 1
            continue
        seq = row[0] if isinstance(row[0], int) else None
        is_left = seq is not None and 0 < seq <= of_chain.start
        project, (action, status, key, memory) = owner[chain], row[3:7]
        succeeded = isinstance(status, int) and 200 <= status <= 299

        def about(said, payload):
            return {said[name] for name in PSEUDONYMS if name in said} | payload.about

        def agrees(said, payload):
            nonlocal orphans
            wanted = {pseudonyms[name].serial for name in about(said, payload) if name in pseudonyms}
            if not is_left and payload.state != "unchecked":
                orphans += len(found - wanted)
            return (row == [said["seq"], said["id"], milliseconds(said["at"]), said["action"], said["status"], said["key"], said["memory"]]
                    and (mac is None or said["v"] == 2 and isinstance(mac, bytes) and len(mac) == 16)
                    and (is_left or wanted <= found))

        def foreign(said, payload):
            nonlocal misnamed
            elsewhere = lambda memory: isinstance(memory, str) and project_of_memory.get(memory, project) != project
            answers = action in LISTS or action in ("project.create", "project.update")
            answer = payload.value.get("response_body") if succeeded and answers else None
            answer = answer.get("data") if isinstance(answer, dict) else None
            answer = answer if isinstance(answer, dict) else {}
            if project is None and isinstance(answer.get("id"), str):
                misnamed += name_of.get(answer["id"], answer.get("name")) != answer.get("name")
            if project is not None:
                items = answer.get(LISTS.get(action))
                shown = [item.get("id") for item in items if isinstance(item, dict)] if isinstance(items, list) else []
                if project_of_key.get(key, project) != project or any(map(elsewhere, shown + [memory] * (action in SHOWN and succeeded))):
                    return True
            if said["v"] == 1 or is_left:
                return False
            rows = [pseudonyms.get(name) for name in about(said, payload)]
            items = payload.first.get("made_of")
            made = [one for one in items if isinstance(one, dict) and {"memory", "parts", "record"} <= one.keys()] if isinstance(items, list) else []
            return (any(made_of.get(str(one["memory"])) not in (None, jcs({name: one[name] for name in ("parts", "record")})) for one in made)
                    or any(one is None or project not in (None, one.project) or not is_owned(one) for one in rows)
                    or any(pseudonyms[said[kind]].kind != kind for kind in PSEUDONYMS if kind in said)
                    or any(not isinstance(one.get("name"), str) or name_left(one.get("pseudonym")) != one["name"]
                           for one in payload.names()))

        (of_chain.leftovers if is_left else of_chain).take(seq, entry, digest, unpacked(unpack, salt, text), agrees, foreign)
    orphans += len(known_by)
    orphans += query("SELECT count(*) FROM audit_payload WHERE entry NOT IN (SELECT number FROM audit_entry NOT INDEXED)")[0][0]
    orphans += query(f"SELECT count(*) FROM audit_entry NOT INDEXED WHERE number NOT BETWEEN 1 AND {2**53 - 1}")[0][0]
    orphans += query(f"SELECT count(*) FROM audit_chain NOT INDEXED WHERE number NOT BETWEEN 1 AND {2**53 - 1}")[0][0]
    orphans += query("SELECT count(*) FROM audit_verification WHERE length(hash) <> 64 OR hash GLOB '*[^0-9a-f]*'")[0][0]
    for table in ["audit_checkpoint", "audit_anchor", "audit_verification"] + ["audit_node"] * is_second + TABLES_10 * is_attested:
        orphans += query(f"SELECT count(*) FROM {table} WHERE chain NOT IN (SELECT number FROM audit_chain NOT INDEXED)")[0][0]
    beside = []
    for file in sorted(glob.glob(os.path.join(glob.escape(os.path.dirname(given)), "checkpoints", "*.notes"))):
        beside += [found for found in map(keys.checkpoint, split_notes(read(file))) if found] if keys else []
    rows = [(number, chain, size, found) for number, chain in frames for size, found in chain.rows]
    signed = keys.still_signed([*beside, *filter(None, outside), *(found for *_, found in rows)]) if keys else None
    outside = [found if found and signed(found) else None for found in outside]
    marks = [(found, False) for found in beside if signed(found)] + [(found, True) for found in outside if found]
    contradicted = any(found.chain not in [chain.chain for _, chain in frames] for found, _ in marks)
    attested = True
    for number, chain in frames:
        for size, found in chain.rows:
            if not signed(found):
                chain.fail(size, "signature")
        mine = [(found, False) for _, found in chain.rows if signed(found)] + [mark for mark in marks if mark[0].chain == chain.chain]
        chain.attested = max((chain.covers(found) for found, _ in mine), default=-1)
        chain.require_removals(chain.attested)
        chain.require_erased(chain.attested)
        chain.require_sources()
        for one in chain.excuses:
            if one.seq <= chain.attested and any(name_left(name) is not None for name in one.erased):
                chain.fail(one.seq, "owner")
        chain.require_end_of_removed()
        if chain.start > 0 and chain.records == 0:
            chain.fail(chain.start + 1, "seq")
        newest = chain.seq if chain.records else chain.start
        if is_second and chain.has_second and chain.tree_text is None or chain.statement and (
                chain.statement["first"] > max(chain.hashes) + 1 or all(found.count != 1 for _, found in chain.rows if found.log)):
            chain.fail(0, "tree")
        tree, superfluous = read_tree(query, number, chain, max(chain.hashes)) if is_second else (None, 0)
        orphans += superfluous
        through, wrong = chain.weigh(mine, newest, chain.genesis, tree)
        contradicted, attested = contradicted or wrong, attested and (through is not None or chain.records == 0)
    problem = lambda: next(
        ((chain.chain, *chain.first_failure()) for _, chain in frames if chain.failures),
        (None, None, "index") if damage else (None, None, "orphan") if orphans else (None, None, "owner") if misnamed
        else (None, None, "signature") if None in outside else None)
    require_known([chain for _, chain in frames], problem() or contradicted)
    appended = sum(chain.appended for _, chain in frames)
    return problem(), contradicted, attested and any(chain.records for _, chain in frames), unpack is not None, appended


def require_known(chains, wrong):
    """Refuses members that later releases have added where checkpoints cover them; elsewhere they fail."""
    later = [(chain, *one) for chain in chains for one in chain.later]
    if later and not wrong and all(seq is None or seq <= chain.attested for chain, seq, *_ in later):
        raise Unusable("; ".join(f"{', '.join(names)} of release {since}" for _, _, names, since in later[:3]) + " is not known")
    for chain, seq, *_ in later:
        chain.fail(seq, "manifest" if seq is None else "form" if seq else "tree")


def read_tree(query, number, chain, newest):
    """(the tree of a chain in a database, how many nodes it should not have). Compares the stored nodes with what they are made of."""
    nodes = {(level, position): digest for level, position, digest in query(
        "SELECT level, position, hash FROM audit_node NOT INDEXED WHERE chain = ?", number)}
    if not chain.statement:
        return None, len(nodes) if chain.first is not None else 0
    through = chain.statement["through"]
    removed = chain.start - through + 1 if chain.start > through else 0
    leaves = max(newest - through + 1, 1)
    counts = {found.count for _, found in chain.rows if found.log}
    needed = {place for count in {removed, *counts} if 0 < count <= removed for place in kept_nodes(count, removed)}
    last = {level: position for level, position in sorted(nodes)}
    signed = max(counts, default=0)
    whole = [(level, position) for level in range(8, leaves.bit_length(), 8) for position in range(leaves >> level)
             if position + 1 << level <= signed or position <= last.get(level, -1)]
    wanted = needed.union(whole)
    tree = Tree(chain.tree_text, through, chain.hashes, leaves, removed,
                {place: digest for place, digest in nodes.items() if place in wanted and isinstance(digest, bytes) and len(digest) == 32})
    for place in wanted:
        computed, (level, position) = tree.compute(*place), place
        if place not in tree.nodes:
            chain.fail(tree.last_seq(*place), "tree")
        elif computed not in (None, tree.nodes[place]):
            chain.fail(0 if removed and position == 0 and level <= 8 else tree.last_seq(*place), "tree")
    return tree, len(set(nodes) - wanted)


def unpacked(unpack, salt, text):
    if salt is None and text is None:
        return "missing"
    if not isinstance(salt, bytes) or not isinstance(text, bytes):
        return "unreadable"
    if not is_one_frame(text):
        return "unreadable"
    try:
        return "unchecked" if unpack is None else (salt, unpack(text))
    except Exception:
        return "unreadable"


def read_frame(query, keys, row):
    """(number, Chain)."""
    number, name, serial, project, genesis_text, digest, payloads_through, tree_text = row
    failures, anchors, own, start = [], [], [], (0, digest, None)
    genesis = canonical_object(genesis_text, {"chain", "project", "at", "nonce"})
    good = genesis and genesis["chain"] == name and genesis["project"] == project and (serial is None) == (project is None)
    good = good and milliseconds(genesis["at"]) is not None and re.fullmatch("[0-9a-f]{32}", str(genesis["nonce"]), re.ASCII)
    if not good or sha256("memledger/genesis/v1\0", genesis_text) != digest:
        failures.append((0, "genesis"))

    def opened(note, seq):
        if keys is None:
            raise Unusable("the ledger is signed, and there is no key")
        text = keys.open(str(note))
        if text is None:
            failures.append((seq, "signature"))
        return text
    rows = query("SELECT through, note FROM audit_anchor WHERE chain = ? ORDER BY through", number)
    for through, note in rows:
        text = opened(note, through)
        found = anchor(text)
        if text is not None and (not found or found[0] != name or found[1] != through):
            failures.append((through, "anchor"))
        elif found:
            anchors.append(found)
        start = (through, found[2], found[4]) if found and found[1] == through and found[0] == name else (through, None, None)
    if len(anchors) == len(rows):
        before, at = 0, ""
        for _, through, _, first, last, count, _ in anchors:
            if count != through - before or first < at or last < first:
                failures.append((through, "anchor"))
                break
            before, at = through, last
    statement = read_statement(tree_text, name)
    for size, at, note in query("SELECT size, at, note FROM audit_checkpoint WHERE chain = ? ORDER BY size", number):
        text = opened(note, size)
        found = keys.checkpoint(str(note))
        if text is not None and (not found or found.chain != name or (
                (found.count, found.at) != (size, at) if not found.log else statement and found.count + statement["through"] - 1 != size)):
            failures.append((size, "checkpoint"))
        elif found:
            own.append((size, found))
    chain = Chain(name, project, *start)
    chain.failures, chain.genesis, chain.payloads_through, chain.rows = failures, digest, payloads_through, own
    chain.leftovers, chain.tree_text = Chain(name, project, None, None, None), tree_text
    chain.anchor = (anchors[-1][1], *anchors[-1][5:]) if anchors and anchors[-1][1] == start[0] else None
    if tree_text is not None:
        heads = {0: digest, **{found[1]: found[2] for found in anchors}}
        good = statement and statement["genesis"] == digest and heads.get(statement["through"]) == statement["hash"]
        chain.statement, chain.first = statement, statement and statement["first"]
        if not good:
            failures.append((0, "tree"))
        elif set(statement) - STATEMENT - {"since"}:
            chain.later.append((0, sorted(set(statement) - STATEMENT - {"since"}), statement["since"]))
    chain.leftovers.first = chain.first
    return number, chain


# --- Exports ----------------------------------------------------------------------------------------------------------------------

def verify_export(path, keys, outside):
    manifest = read_manifest(read(path + ".manifest"), keys)
    if manifest is None:
        return (None, None, "manifest"), False, False, True, None
    with open(path, "rb") as file:
        data = file.read()
    rows = list(csv_rows(data) if manifest["format"] == "csv" else json_rows(data))
    whole = (len(rows), len(data), hashlib.sha256(data).hexdigest()) == tuple(manifest[name] for name in ("rows", "bytes", "sha256"))
    first, last = manifest["first_seq"] or 1, manifest["last_seq"] or 0
    chain = Chain(manifest["chain"], manifest["project"], first - 1, manifest["first_prev"], None,
                  (manifest["start_time"], manifest["end_time"]))
    statement, stated = manifest.get("statement"), manifest.get("stated")
    chain.attested = last
    if statement:
        chain.statement, chain.first = statement, statement["first"]
        chain.gaps, chain.withheld = manifest["records"] == "some", isinstance(manifest["parts"], list)
        chain.later += [(None, *one) for one in manifest["later"]]
    if manifest["verifiable"]:
        for row in rows:
            row = row or Row()
            salt, text = row.text("salt"), row.text("payload")
            payload = "missing" if salt is None and text is None else "unreadable"
            if salt is not None and text is not None and re.fullmatch("([0-9a-f]{2})*", salt):
                payload = bytes.fromhex(salt), text.encode("utf-8", "surrogatepass")
            entry = row.text("entry")
            chain.take(None, entry, row.text("hash"), payload, row.agrees)
            if chain.gaps and entry and not row.is_in_tree(chain, stated):
                chain.fail(chain.seq, "tree")
        if chain.seq < last:
            chain.fail(chain.seq + 1, "seq")
        elif chain.seq > last:
            chain.fail(last + 1, "seq")
        elif rows and chain.digest != manifest["last_hash"]:
            chain.fail(last, "link")
        if not chain.gaps and not chain.withheld:
            chain.require_erased(last)
    tree, own = None, []
    if statement and manifest["before"] is not None and manifest["verifiable"]:
        through = statement["through"]
        removed, leaves = first - through, last - through + 1
        tree = Tree(manifest["tree"], through, chain.hashes, leaves, removed, zip(divided(removed), map(from_base64, manifest["before"])))
        own = [(stated, False)]
    signed = keys.still_signed([*filter(None, outside), *[stated] * (stated is not None)])
    if stated and not signed(stated):
        return (None, None, "manifest"), False, False, True, None
    outside = [found if found and signed(found) else None for found in outside]
    marks = own + [(found, True) for found in filter(None, outside) if found.chain == manifest["chain"] and (found.count > 0 or first == 1)]
    through, contradicted = chain.weigh([mark for mark in marks if not (chain.gaps and mark[0].log)], None, manifest["first_prev"], tree)
    if chain.gaps:
        # A checkpoint of version 1 covers no records before a gap.
        same = [found.hash == stated.hash for found, _ in marks if found.log and found.count == stated.count] if stated and chain.records else []
        through, contradicted = last if any(same) else None, contradicted or not all(same)
    problem = lambda: (manifest["chain"], *chain.first_failure()) if chain.failures else (
        (None, None, "file") if not whole else (None, None, "signature") if None in outside else None)
    require_known([chain], problem() or contradicted)
    appended = chain.appended if manifest["verifiable"] else None
    return problem(), contradicted, through is not None, True, appended


def read_manifest(note, keys):
    """What it says, or None if it is wrong. Of version 2 also its `statement`, the checkpoint `stated` and what `later` releases added."""
    text = keys.open(note) or ""
    heading = next((one for one in ("memledger-export/v1\n", "memledger-export/v2\n") if text.startswith(one)), None)
    is_second = heading and "v2" in heading
    said = canonical_object(text[len(heading):-1], *((MANIFEST_2, {"since"}) if is_second else (MANIFEST,))) if heading else None
    if said is None or said["format"] not in ("json", "csv") or None in map(
            milliseconds, (said["start_time"], said["end_time"], said["created_at"])):
        return None
    if not all(map(is_whole, (said["rows"], said["bytes"]))) or type(said["verifiable"]) is not bool or not all(
            isinstance(said[name], str) for name in ("export_id", "chain", "sha256")) or not isinstance(said["project"], str | None):
        return None
    if is_second and not read_tree_members(said):
        return None
    first, last, *ends = [said[name] for name in ("first_seq", "last_seq", "first_prev", "last_hash", "checkpoint")]
    if said["rows"] == 0:
        return said if [first, last, *ends] == [None] * 5 and said.get("before") is None else None
    is_all = said.get("records") != "some"
    good = isinstance(first, int) and isinstance(last, int) and first > 0 and all(isinstance(one, str) for one in ends)
    good = good and (last - first + 1 == said["rows"] if is_all else 0 < said["rows"] <= last - first + 1)
    found = keys.checkpoint(ends[2]) if good and isinstance(ends[2], str) else None
    if not found or found.chain != said["chain"]:
        return None
    if not is_second or is_all and said["before"] is None:
        return said if not found.log and (found.count, found.hash) == (last, ends[1]) else None
    said["stated"], covered = found, found.count + said["statement"]["through"] - 1
    before = said["before"]
    if not found.log or first <= said["statement"]["through"] or (covered != last if is_all else covered < last):
        return None
    good = before is None if not is_all else isinstance(before, list) and len(before) == len(divided(first - said["statement"]["through"]))
    nodes = [from_base64(one) or b"" for one in before or []] if good else []
    good = good and all(len(one) == 32 for one in nodes)
    return said if good and (first - said["statement"]["through"] > 1 or nodes in ([], [statement_leaf(said["tree"])])) else None


def read_tree_members(said):
    """Whether the members of a manifest of version 2 have their form, on their own. Adds `statement` and `later`."""
    said["statement"] = read_statement(said["tree"], said["chain"])
    parts, statement = said["parts"], said["statement"]
    if not statement or said["records"] not in ("all", "some") or not (
            isinstance(said["filter"], dict) if said["records"] == "some" else said["filter"] is None):
        return False
    said["later"] = [(sorted(names), since) for names, since in (
        (set(said) - MANIFEST_2 - {"since", "statement", "later"}, said.get("since")),
        (set(statement) - STATEMENT - {"since"}, statement.get("since"))) if names]
    starts = said["first_seq"] == statement["through"] + 1 and said["first_prev"] != statement["hash"]
    return not starts and (parts == "all" or isinstance(parts, list) and all(
        part == "" or is_hex(part) for part in parts))


class Row:
    """A row as JSON values by column."""

    def __init__(self, values=()):
        self.values = dict(values)

    def text(self, column):
        value = self.values.get(column)
        return value if isinstance(value, str) else None

    def shows(self, column, value):
        return jcs(self.values[column]) == jcs(value)

    def list(self, column):
        return self.values.get(column)

    def is_in_tree(self, chain, stated):
        """Whether the column `proof` leads from this record to the root of the checkpoint in the manifest."""
        path, digest = self.list("proof"), self.text("hash")
        if not isinstance(path, list) or not all(isinstance(one, str) and from_base64(one) for one in path) or not is_hex(digest, 64):
            return False
        return is_included(leaf_hash(bytes.fromhex(digest)), chain.seq - chain.statement["through"], stated.count,
                           list(map(from_base64, path)), bytes.fromhex(stated.hash))

    def agrees(self, said, payload):
        kept, sender, numbers = payload.value, payload.sent_by(), said["numbers"]
        expected = {
            "id": said["id"], "action": said["action"], "project_id": said["project"], "created_at": said["at"],
            "key_id": said["key"], "seq": said["seq"], "memory_id": said["memory"], "performed": is_own(said),
            "http_status": said["status"], "is_success": 200 <= said["status"] <= 299,
            "error_code": None if said["code"] == 1000 else said["code"],
            "duration": numbers.get("duration"), "tokens": numbers.get("tokens"), "is_cache_hit": numbers.get("is_cache_hit", False),
            "credits_consumed": numbers.get("credits_consumed", 0), "balance_consumed_usd": numbers.get("balance_consumed_usd", 0),
            **{name: (sender if name in SENDER_COLUMNS else kept).get(name) for name in PAYLOAD_COLUMNS},
            **({"erased_parts": sorted(payload.erased) if said["v"] == 2 and payload.state == "held" else None}
               if said["v"] == 2 or "erased_parts" in self.values else {}),
            **{name: kept[name] for name in ("memory_query", "memory_results") if name in kept}}
        return (all(self.shows(column, value) if column in self.values else column in LATER_COLUMNS for column, value in expected.items())
                and "memory_query" in self.values and "memory_results" in self.values)


FORMULA = ("(?:[\t\r\n]|[\x00-\x20\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]*"
           "[=+\\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b])")
FORMER_FORMULA = "[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]"


class CsvRow(Row):
    def list(self, column):
        try:
            return parse_unique(self.values.get(column) or "")
        except ValueError:
            return None

    def text(self, column):
        return self.values.get(column) or None

    def shows(self, column, value):
        cell = self.values[column]
        if value is None or isinstance(value, str):
            text = value or ""
            return cell in [("'" if re.match(form, text) else "") + text for form in (FORMULA, FORMER_FORMULA)]
        try:
            return jcs(parse_unique(cell)) == jcs(value)
        except ValueError:
            return False


def unique(members):
    if len(dict(members)) < len(members):
        raise ValueError("a member is there twice")
    return dict(members)


parse_unique = json_decoder(unique).decode


def json_rows(data):
    columns, state = None, "start"
    *lines, rest = data.split(b"\n")
    for line in lines + ([b"\xff"] if rest else []):
        if (state, line) == ("start", b"["):
            state = "open"
        elif state in ("open", "blank", "row") and line == b"]":
            state = "closed"
        elif (state, line) == ("open", b""):
            state = "blank"
        else:
            value = None
            try:
                value = parse_unique(line.decode().removesuffix(","))
                columns = columns or isinstance(value, dict) and list(value)
            except ValueError:
                pass
            good = state in ("open", "comma") and isinstance(value, dict) and list(value) == columns
            yield Row(value) if good else None
            if state != "closed":
                state = "comma" if line.endswith(b",") else "row"
    if state not in ("start", "closed"):
        yield None


def csv_rows(data):
    header, line = None, b""
    for piece in re.findall(rb"[^\n]*\n|[^\n]+", data):
        line += piece
        if line.count(b'"') % 2 == 0:
            cells, line = csv_cells(line), b""
            if header is not None:
                yield CsvRow(zip(header, cells)) if cells is not None and len(cells) == len(header) else None
            header = header if header is not None else cells if cells and len(set(cells)) == len(cells) else []
    if line and header is not None:
        yield None


def csv_cells(line):
    """The cells of one line; None when it is not RFC 4180."""
    try:
        text = line.decode()
    except ValueError:
        return None
    if not text.endswith("\n"):
        return None
    text = text[:-1]
    cells, at = [], 0
    while text.endswith("\r"):
        found = re.compile(r'(?:"((?:[^"]|"")*)"|((?!")[^,]*?))(?=,|\r\Z)', re.DOTALL).match(text, at)
        if not found:
            return None
        cells.append(found[2] if found[1] is None else found[1].replace('""', '"'))
        at = found.end() + 1
        if at == len(text):
            return cells
    return None


# --- The command ------------------------------------------------------------------------------------------------------------------

def require_file(path):
    if not os.path.isfile(path):
        raise Unusable(path + " is not a regular file")


def read(path):
    require_file(path)
    if os.path.getsize(path) > 2 ** 28:
        raise Unusable(path + " is too large")
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()
    except OSError as error:
        raise Unusable(str(error))


def verify(path, checkpoint_files, public_key):
    exported = os.path.exists(path + ".manifest")
    require_file(path)
    with open(path, "rb") as file:
        if not exported and file.read(16) != b"SQLite format 3\0":
            raise Unusable("neither a database nor an export beside its manifest")
    beside = [os.path.join(os.path.dirname(path), "audit.pub"), os.path.join(os.path.dirname(os.path.dirname(path)), "audit.pub")]
    found = public_key or next(filter(os.path.exists, beside if exported else beside[:1]), None)
    keys = Keys(read(found)) if found else None
    rotations = next(filter(os.path.exists, (name[:-3] + "rotations" for name in (beside if exported else beside[:1]))), None)
    if keys and rotations:
        keys.follow(split_notes(read(rotations)))
    if keys is None and (exported or checkpoint_files):
        raise Unusable("there is no key")
    outside = [keys.checkpoint(note) for file in checkpoint_files for note in given_notes(read(file))]
    return (verify_export if exported else verify_database)(path, keys, outside)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("path")
    arguments.add_argument("--checkpoint", action="append", default=[])
    arguments.add_argument("--public-key")
    given = arguments.parse_args()
    try:
        first, contradicted, attested, payloads, appended = verify(os.path.abspath(given.path), given.checkpoint, given.public_key)
    except (Unusable, OSError, sqlite3.Error) as error:
        print(json.dumps({"verdict": "unusable", "message": str(error)}))
        sys.exit(VERDICTS["unusable"])
    verdict = "broken" if first else "contradicted" if contradicted else "intact" if attested else "unattested"
    chain, seq, check = first or (None, None, None)
    print(json.dumps({"verdict": verdict, "chain": chain, "seq": seq, "check": check, "payloads_checked": payloads,
                      "appended": appended}))
    sys.exit(VERDICTS[verdict])


if __name__ == "__main__":
    main()
