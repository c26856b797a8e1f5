#!/usr/bin/env python3
"""A second verifier, written from docs/engineer/AUDIT-FORMAT.md alone, with nothing but the standard library.

  verify.py PATH [--checkpoint FILE]... [--public-key FILE]

PATH is a memledger database or an export beside its manifest. Prints one line of JSON and ends with the verdict as exit code.
Payloads of a database are unpacked with whatever zstd Python finds; without one they are not checked, and the line says so.
"""
import argparse, base64, ctypes, ctypes.util, datetime, glob, hashlib, json, os, re, sqlite3, sys

VERDICTS = {"intact": 0, "unattested": 10, "broken": 20, "contradicted": 30, "unusable": 40}
ENTRY = {"v", "chain", "seq", "id", "at", "action", "status", "code", "key", "project", "memory", "numbers", "payload_hash", "prev"}
MANIFEST = {"export_id", "chain", "project", "format", "start_time", "end_time", "first_seq", "last_seq", "rows", "first_prev",
            "last_hash", "bytes", "sha256", "created_at", "checkpoint", "verifiable"}
PAYLOAD_COLUMNS = ("model_id gateway_id ip_address user_agent error_msg metadata request_body request_parameters response_body "
                   "input_content output_content rag_query rag_results transport client_name").split()
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
8 fd785650a67e15848161a73e1434dc4fdb5736902bb2767c00fb126ee27e2709
8 31f53a9ecf475f306f124f747e00584ab24242201bca54ee4427763d0e22d9c0
8 460c26ce64e2fda5780d3059a83825e3da82226eb4e4216daeb71f4c0de55259
8 41baaa34891020d74237f060109399e0f25da3574e07294364ffef9e2110bbe7
8 9328fd1af84af2d6bc2f21db21a2b01a1fc1df143bc43ee0a58a1062bcf6c2a9
""".split("\n"))
FOREIGN_TABLES = (
    ("table", "_litestream_seq", "_litestream_seq",
     "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)"),
    ("table", "_litestream_lock", "_litestream_lock", "CREATE TABLE _litestream_lock (id INTEGER)"),
)
TABLES = "project audit_chain audit_entry audit_payload audit_checkpoint audit_anchor audit_verification".split()
LASTING = ("audit.redact", "audit.prune")
SHOWN = ("memory.create", "memory.read", "memory.update")
LISTS = {"memory.create_batch": "results", "memory.extract": "extracted"}


class Unusable(Exception):
    pass


# --- JSON, RFC 8785 ---------------------------------------------------------------------------------------------------------------

def parse_json(text, pairs=None):
    """The value of a JSON text; numbers are what JavaScript makes of them. Raises ValueError."""
    def refuse(name):
        raise ValueError(name)
    def number(digits):
        return int(digits) if abs(int(digits)) < 2**53 else float(digits)
    return json.loads(text, object_pairs_hook=pairs, parse_constant=refuse, parse_int=number)


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
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(map(jcs, value)) + "]"
    members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(f"{jcs(name)}:{jcs(item)}" for name, item in members) + "}"


def canonical_object(text, names, optional=frozenset()):
    """The object that a text is the JCS form of, with exactly these members; else None."""
    try:
        value = parse_json(text)
        return value if isinstance(value, dict) and set(value) - optional == names and jcs(value) == text else None
    except (ValueError, TypeError, RecursionError):
        return None


def milliseconds(timestamp):
    if not isinstance(timestamp, str) or not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", timestamp, re.ASCII):
        return None
    try:
        moment = datetime.datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%S.%fZ")
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
        self.keys, self.known = [], {}
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
                if successor not in accepted and before.open(note) is not None:
                    accepted.add(successor)
                    self.keys.append(successor)

    def open(self, note):
        """The text of a note, or None when it is malformed or none of the keys signed it."""
        if note not in self.known:
            found = re.fullmatch(r"(.*\n)\n— memledger ([A-Za-z0-9+/]+=*)\n", note, re.DOTALL)
            data = base64.b64decode(found[2] + "==") if found else b""
            good = len(data) == 68 and base64.b64encode(data).decode() == found[2]
            signed = good and any(data[:4] == name and ed25519(key, found[1].encode(), data[4:]) for name, key in self.keys)
            self.known[note] = found[1] if signed else None
        return self.known[note]


HASH, TIME = r"([A-Za-z0-9+/]{43}=)\n", r"(\S+)\n"


def checkpoint(text):
    """(chain, size, hash, at), or None."""
    found = re.fullmatch(r"memledger/([0-9a-f]{32})\n(0|[1-9]\d{0,15})\n" + HASH + TIME, text or "", re.ASCII)
    at = milliseconds(found[4]) if found else None
    return None if at is None else (found[1], int(found[2]), base64.b64decode(found[3]).hex(), at)


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
    signed = [re.fullmatch(r"(.*\n)\n— memledger [A-Za-z0-9+/]{91}=\n", note, re.DOTALL) for note in notes]
    found = [note for note, match in zip(notes, signed) if match and checkpoint(match[1])]
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

    def fail(self, seq, check):
        self.failures.append((seq, check))

    def take(self, seq, text, digest, payload, columns, foreign=False):
        """`payload`: (salt, text in bytes), "missing", "unreadable", or "unchecked". `columns`: says whether copies agree.
        `foreign`: whether the key or the memory belongs to another project."""
        entry = read_entry(text) if isinstance(text, str) else None
        if seq is None:
            seq = entry["seq"] if entry else self.seq + 1
        if self.seq is None:
            self.seq = seq - 1
        if seq != self.seq + 1:
            self.fail(min(seq, self.seq + 1), "seq")
        elif entry and self.digest is not None and entry["prev"] != self.digest:
            self.fail(seq, "link")
        elif entry and self.at is not None and entry["at"] < self.at:
            self.fail(seq, "time")
        local = (self.look(entry, text, digest, payload, columns) or ("owner" if foreign else None)) if entry else "form"
        if local:
            self.fail(seq, local)
        if entry:
            if payload == "missing" and entry["action"] not in LASTING:
                self.missing.append(seq)
            self.excuse(seq, entry, text, digest, payload)
            self.at = entry["at"]
            self.appended += not is_own(entry)
        self.records += 1
        self.seq, self.digest = seq, digest if digest is not None else ""
        self.hashes[seq] = digest

    @staticmethod
    def has_form(entry):
        whole = lambda value: type(value) is int
        text = lambda value: isinstance(value, str)
        return (entry["v"] == 1 and whole(entry["v"]) and entry.get("performed", True) is True and whole(entry["seq"]) and whole(entry["status"])
                and (entry["code"] is None or whole(entry["code"])) and has_numbers(entry["numbers"])
                and all(text(entry[name]) for name in ("chain", "id", "at", "action", "payload_hash", "prev"))
                and all(entry[name] is None or text(entry[name]) for name in ("key", "project", "memory"))
                and milliseconds(entry["at"]) is not None and re.fullmatch("[0-9a-f]{32}", entry["id"], re.ASCII) is not None
                and len(entry["action"]) <= 100
                and re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_]+)*", entry["action"], re.ASCII) is not None)

    def look(self, entry, text, digest, payload, columns):
        if entry["chain"] != self.chain or entry["project"] != self.project:
            return "chain"
        if self.span and not self.span[0] <= entry["at"] <= self.span[1]:
            return "time"
        if sha256("memledger/entry/v1\0", text) != digest:
            return "hash"
        if not (entry["action"] not in LASTING if payload == "missing" else commits(entry, payload)):
            return "payload"
        return None if columns(entry) else "columns"

    def excuse(self, seq, entry, text, digest, payload):
        good = sha256("memledger/entry/v1\0", text) == digest and isinstance(payload, tuple) and commits(entry, payload)
        if entry["action"] not in LASTING or entry["status"] != 200 or not good:
            return
        said = parse_json(payload[1].decode())
        named = said.get("redacted") if entry["action"] == "audit.redact" else None
        through = said.get("payloads_through") if entry["action"] == "audit.prune" else None
        self.excuses.append((seq, set(named) if isinstance(named, list) else set(), through if isinstance(through, int) else 0))
        if entry["action"] == "audit.prune":
            self.claims.append((seq, said.get("through"), said.get("count"), said.get("cause")))

    def require_removals(self, attested):
        """`attested`: the largest size of a signed checkpoint. A record beyond it accounts for nothing."""
        if self.anchor and not any(self.start < by <= attested and tuple(said) == self.anchor for by, *said in self.claims):
            self.fail(self.anchor[0], "anchor")
        said = next((through for by, _, through in reversed(self.excuses) if by <= attested and through > 0), 0)
        column = self.payloads_through
        if isinstance(column, int) and column != said and (column < 0 or max(column, said) > self.start):
            self.fail(max(column, said, 0), "payload")
        for seq in self.missing:
            if not any(seq < by <= attested and (seq in named or seq <= through) for by, named, through in self.excuses):
                return self.fail(seq, "payload")

    def require_end_of_removed(self):
        """Records that the newest anchor removed and that are not deleted yet end with the one that it names."""
        left = self.leftovers
        if left.records:
            self.failures += left.failures
            if not left.failures and left.seq != self.start:
                self.fail(self.start, "seq")
            elif not left.failures and self.hashes[self.start] not in (None, left.digest):
                self.fail(self.start, "link")

    def weigh(self, checkpoints, newest, genesis=None):
        """(attested through or None, contradicted). `checkpoints`: (size, hash, is from outside)."""
        attested, contradicted = None, False
        for size, digest, outside in checkpoints:
            known = genesis if size == 0 else self.hashes.get(size)
            if newest is not None and size > newest:
                contradicted = True
            elif known is not None and known != digest:
                contradicted = True
            elif known is not None and outside and size > self.start and self.records:
                attested = max(attested or 0, size)
        return attested, contradicted


def read_entry(text):
    """The entry that a text is the JCS form of; else None."""
    entry = canonical_object(text, ENTRY, {"performed"})
    return entry if entry is not None and Chain.has_form(entry) else None


def is_own(entry):
    """Whether the server has performed the operation itself; otherwise a client appended the record."""
    return "performed" in entry or entry["project"] is None or entry["action"].startswith(RESERVED)


def has_numbers(numbers):
    is_number = lambda value: type(value) in (int, float)
    names = {"duration", "credits_consumed", "balance_consumed_usd", "is_cache_hit"}
    return (isinstance(numbers, dict) and set(numbers) - {"tokens"} == names and isinstance(numbers.get("tokens", {}), dict)
            and (numbers["duration"] is None or is_number(numbers["duration"])) and is_number(numbers["credits_consumed"])
            and is_number(numbers["balance_consumed_usd"]) and type(numbers["is_cache_hit"]) is bool)


def commits(entry, payload):
    if payload == "unchecked":
        return True
    return (isinstance(payload, tuple) and len(payload[0]) == 16
            and sha256("memledger/payload/v1\0", *payload) == entry["payload_hash"])


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
    damage = [table for table in TABLES if query(f"PRAGMA integrity_check({table})") != [("ok",)]]
    unpack = find_zstd()
    frames = [read_frame(query, keys, row) for row in query(
        "SELECT c.number, c.id, c.project, p.id, c.genesis, c.hash, c.payloads_through "
        "FROM audit_chain c NOT INDEXED LEFT JOIN project p NOT INDEXED ON p.serial = c.project "
        "ORDER BY c.number")]
    by_number = {number: (chain, own) for number, chain, own in frames}
    orphans = 0
    owner = dict(query("SELECT number, project FROM audit_chain NOT INDEXED"))
    project_of_key = dict(query("SELECT id, project FROM api_key"))
    project_of_memory = dict(query("SELECT id, project FROM memory NOT INDEXED"))
    name_of = dict(query("SELECT id, name FROM project NOT INDEXED"))
    misnamed = 0
    for number, chain, *row, entry, digest, salt, text in database.execute(
            "SELECT number, chain, seq, id, at, action, status, key, memory, e.entry, hash, salt, text FROM audit_entry e NOT INDEXED "
            f"LEFT JOIN audit_payload p ON p.entry = e.number WHERE number BETWEEN 1 AND {2**53 - 1} ORDER BY number"):
        action, status, key, memory = row[3:7]
        succeeded = isinstance(status, int) and 200 <= status <= 299
        foreign = owner.get(chain) is not None and (
            project_of_key.get(key, owner[chain]) != owner[chain]
            or action in SHOWN and succeeded and project_of_memory.get(memory, owner[chain]) != owner[chain])
        payload = unpacked(unpack, salt, text)
        if owner.get(chain) is not None and action in LISTS and succeeded and isinstance(payload, tuple):
            items = recorded_answer(payload[1]).get(LISTS[action])
            foreign = foreign or any(project_of_memory.get(item.get("id"), owner[chain]) != owner[chain]
                                     for item in items if isinstance(item, dict)) if isinstance(items, list) else foreign
        if owner.get(chain, 0) is None and action in ("project.create", "project.update") and succeeded and isinstance(payload, tuple):
            said = recorded_answer(payload[1])
            misnamed += name_of.get(said.get("id"), said.get("name")) != said.get("name")
        if chain not in by_number:
            orphans += 1
        else:
            of_chain = by_number[chain][0]
            seq = row[0] if isinstance(row[0], int) else None
            (of_chain.leftovers if seq is not None and 0 < seq <= of_chain.start else of_chain).take(
                seq, entry, digest, payload, lambda said: row == [
                    said["seq"], said["id"], milliseconds(said["at"]), said["action"], said["status"], said["key"], said["memory"]],
                foreign)
    orphans += query("SELECT count(*) FROM audit_payload WHERE entry NOT IN (SELECT number FROM audit_entry NOT INDEXED)")[0][0]
    orphans += query(f"SELECT count(*) FROM audit_entry NOT INDEXED WHERE number NOT BETWEEN 1 AND {2**53 - 1}")[0][0]
    orphans += query(f"SELECT count(*) FROM audit_chain NOT INDEXED WHERE number NOT BETWEEN 1 AND {2**53 - 1}")[0][0]
    orphans += query("SELECT count(*) FROM audit_verification WHERE length(hash) <> 64 OR hash GLOB '*[^0-9a-f]*'")[0][0]
    for table in ("audit_checkpoint", "audit_anchor", "audit_verification"):
        orphans += query(f"SELECT count(*) FROM {table} WHERE chain NOT IN (SELECT number FROM audit_chain NOT INDEXED)")[0][0]
    beside = []
    for file in sorted(glob.glob(os.path.join(glob.escape(os.path.dirname(given)), "checkpoints", "*.notes"))):
        beside += [found for found in (checkpoint(keys.open(note)) for note in split_notes(read(file))) if found] if keys else []
    marks = [(*found[:3], False) for found in beside] + [(*found[:3], True) for found in outside if found]
    contradicted = any(mark[0] not in [chain.chain for _, chain, _ in frames] for mark in marks)
    attested = True
    for _, chain, own in frames:
        mine = own + [mark[1:] for mark in marks if mark[0] == chain.chain]
        chain.require_removals(max((mark[0] for mark in mine), default=0))
        chain.require_end_of_removed()
        if chain.start > 0 and chain.records == 0:
            chain.fail(chain.start + 1, "seq")
        through, wrong = chain.weigh(mine, chain.seq if chain.records else chain.start, chain.genesis)
        contradicted, attested = contradicted or wrong, attested and (through is not None or chain.records == 0)
    first = next(((chain.chain, *min(chain.failures, key=lambda failure: failure[0])) for _, chain, _ in frames if chain.failures),
                 (None, None, "index") if damage else (None, None, "orphan") if orphans else (None, None, "owner") if misnamed else (None, None, "signature") if None in outside else None)
    appended = sum(chain.appended for _, chain, _ in frames)
    return first, contradicted, attested and any(chain.records for _, chain, _ in frames), unpack is not None, appended


def recorded_answer(payload):
    """The data of the answer in a payload; empty if there is none."""
    try:
        data = parse_json(payload.decode())["response_body"]["data"]
        return data if isinstance(data, dict) else {}
    except (ValueError, KeyError, TypeError):
        return {}


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
    """(number, Chain, its own checkpoints)."""
    number, name, serial, project, genesis_text, digest, payloads_through = row
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
    for size, at, note in query("SELECT size, at, note FROM audit_checkpoint WHERE chain = ? ORDER BY size", number):
        text = opened(note, size)
        found = checkpoint(text)
        if text is not None and (not found or (found[0], found[1], found[3]) != (name, size, at)):
            failures.append((size, "checkpoint"))
        elif found:
            own.append((found[1], found[2], False))
    chain = Chain(name, project, *start)
    chain.failures, chain.genesis, chain.payloads_through = failures, digest, payloads_through
    chain.leftovers = Chain(name, project, None, None, None)
    chain.anchor = (anchors[-1][1], *anchors[-1][5:]) if anchors and anchors[-1][1] == start[0] else None
    return number, chain, own


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
    if manifest["verifiable"]:
        for row in rows:
            row = row or Row()
            salt, text = row.text("salt"), row.text("payload")
            payload = "missing" if salt is None and text is None else "unreadable"
            if salt is not None and text is not None and re.fullmatch("([0-9a-f]{2})*", salt):
                payload = bytes.fromhex(salt), text.encode("utf-8", "surrogatepass")
            entry = row.text("entry")
            chain.take(None, entry, row.text("hash"), payload, lambda said: row.agrees(said, payload))
        if chain.seq < last:
            chain.fail(chain.seq + 1, "seq")
        elif chain.seq > last:
            chain.fail(last + 1, "seq")
        elif rows and chain.digest != manifest["last_hash"]:
            chain.fail(last, "link")
    marks = [(size, digest, True) for name, size, digest, _ in filter(None, outside) if name == manifest["chain"]]
    through, contradicted = chain.weigh([mark for mark in marks if mark[0] > 0 or first == 1], None, manifest["first_prev"])
    found = min(chain.failures, key=lambda failure: failure[0], default=None)
    if found is None and (not whole or None in outside):
        found = (None, "file" if not whole else "signature")
    return found and (manifest["chain"], *found), contradicted, through is not None, True, chain.appended if manifest["verifiable"] else None


def read_manifest(note, keys):
    text = keys.open(note)
    heading = "memledger-export/v1\n"
    said = canonical_object(text[len(heading):-1], MANIFEST) if text and text.startswith(heading) else None
    if said is None or said["format"] not in ("json", "csv") or None in map(
            milliseconds, (said["start_time"], said["end_time"], said["created_at"])):
        return None
    ends = [said[name] for name in ("first_seq", "last_seq", "first_prev", "last_hash", "checkpoint")]
    if said["rows"] == 0:
        return said if ends == [None] * 5 else None
    good = isinstance(ends[0], int) and isinstance(ends[1], int) and ends[1] - ends[0] + 1 == said["rows"] and ends[0] > 0
    found = checkpoint(keys.open(ends[4])) if good and isinstance(ends[4], str) else None
    return said if found and found[:3] == (said["chain"], ends[1], ends[3]) else None


class Row:
    """A row as JSON values by column."""

    def __init__(self, values=()):
        self.values = dict(values)

    def text(self, column):
        value = self.values.get(column)
        return value if isinstance(value, str) else None

    def shows(self, column, value):
        return jcs(self.values[column]) == jcs(value)

    def agrees(self, said, payload):
        try:
            kept = parse_json(payload[1].decode()) if isinstance(payload, tuple) else {}
        except ValueError:
            kept = {}
        numbers = said["numbers"]
        expected = {
            "id": said["id"], "action": said["action"], "project_id": said["project"], "created_at": said["at"],
            "key_id": said["key"], "seq": said["seq"], "memory_id": said["memory"], "performed": is_own(said),
            "http_status": said["status"], "is_success": 200 <= said["status"] <= 299,
            "error_code": None if said["code"] == 1000 else said["code"],
            "duration": numbers.get("duration"), "tokens": numbers.get("tokens"), "is_cache_hit": numbers.get("is_cache_hit", False),
            "credits_consumed": numbers.get("credits_consumed", 0), "balance_consumed_usd": numbers.get("balance_consumed_usd", 0),
            **{name: kept.get(name) for name in PAYLOAD_COLUMNS},
            **{name: kept[name] for name in ("memory_query", "memory_results") if name in kept}}
        return (all(self.shows(column, value) if column in self.values else column in LATER_COLUMNS for column, value in expected.items())
                and "memory_query" in self.values and "memory_results" in self.values)


FORMULA = ("(?:[\t\r\n]|[\x00-\x20\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]*"
           "[=+\\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b])")
FORMER_FORMULA = "[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]"


class CsvRow(Row):
    def text(self, column):
        return self.values.get(column) or None

    def shows(self, column, value):
        cell = self.values[column]
        if value is None or isinstance(value, str):
            text = value or ""
            return cell in [("'" if re.match(form, text) else "") + text for form in (FORMULA, FORMER_FORMULA)]
        try:
            return jcs(parse_json(cell, unique)) == jcs(value)
        except ValueError:
            return False


def unique(members):
    if len(dict(members)) < len(members):
        raise ValueError("a member is there twice")
    return dict(members)


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
                value = parse_json(line.decode().removesuffix(","), unique)
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
    outside = [checkpoint(keys.open(note)) for file in checkpoint_files for note in given_notes(read(file))]
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
