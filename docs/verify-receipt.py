#!/usr/bin/env python3
"""Verifies receipts of memledger audit records with public keys alone, by docs/engineer/AUDIT-FORMAT-2.md.

  verify-receipt.py PUBLIC_KEY_FILE RECEIPT... [--witness-key VKEY]... [--extract]

Ends with the greatest of: 0 (a witness of yours has signed it), 10 (nobody but the ledger has), 20 (not valid), 40 (unusable).
Needs Python 3.8 or newer, and openssl for Ed25519: the standard library has none, and every Debian has openssl. It does not
check whether the ledger has made what it has signed in the right form. A time stamp is left to openssl: --extract writes two files for
  openssl ts -verify -token_in -in RECEIPT.token -data RECEIPT.checkpoint -CAfile ROOTS
"""
import argparse, base64, datetime, functools, hashlib, json, pathlib, re, subprocess, sys, tempfile

CHECKPOINT = r"memledger/([0-9a-f]{32})/(?:2|[0-9a-f]{32})\n([1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\n"
DER = bytes.fromhex("302a300506032b6570032100")  # an Ed25519 public key (RFC 8410) is this and 32 bytes

def require(condition, why):
    if not condition:
        raise ValueError(why)

def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def from_base64(text):
    data = base64.b64decode(text, validate=True)
    require(base64.b64encode(data).decode() == text, "a text is not base64")
    return data

@functools.lru_cache(maxsize=None)
def is_signed(key, signature, text):
    with tempfile.TemporaryDirectory() as folder:
        words = "openssl pkeyutl -verify -pubin -keyform DER -rawin".split()
        for option, data in (("-inkey", DER + key), ("-sigfile", signature), ("-in", text.encode())):
            words += [option, f"{folder}/{option}"]
            pathlib.Path(words[-1]).write_bytes(data)
        return len(signature) == 64 and subprocess.run(words, capture_output=True).returncode == 0

def parse_key(text, kind):
    """((name, key id), public key). Kinds (C2SP signed-note): 1, a ledger; 4, a witness."""
    match = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+(\S+)", text)
    typed = from_base64(match[3]) if match else b""
    require(len(typed) == 33 and typed[0] == kind and (kind == 4 or match[1] == "memledger"), f"not a verifier key: {text}")
    require(sha256(match[1].encode() + b"\n" + typed).hex().startswith(match[2]), f"not a verifier key: {text}")
    return (match[1], bytes.fromhex(match[2])), typed[1:]

def parse_signature(line):
    name, encoded = re.fullmatch(r"— ([^\s+]+) (\S+)", line).groups()
    data = from_base64(encoded)
    require(len(data) > 4 and min(name) > " ", "a signature line is malformed")
    return (name, data[:4]), data[4:]

def open_checkpoint(note, ledger, witnesses):
    """(chain, number of leaves, root, what witnesses say)"""
    end = note.rfind("\n\n")
    text, lines = note[:end + 1], note[end + 2:].split("\n")
    match = re.fullmatch(CHECKPOINT, text)
    require(match and lines.pop() == "" and 1 <= len(lines) <= 100, "the checkpoint is malformed")
    signatures, seen = dict(map(parse_signature, lines)), []
    require(len(signatures) == len(lines), "a key has signed twice")
    require(any(key in ledger for key in signatures), "the public key has not signed the checkpoint")
    for key, signature in signatures.items():
        if key in ledger:
            require(is_signed(ledger[key], signature, text), "the signature of the ledger is not valid")
        if key in witnesses:
            at = int.from_bytes(signature[:8], "big")
            signed = 0 < at < 253402300800 and is_signed(witnesses[key], signature[8:], f"cosignature/v1\ntime {at}\n{text}")
            require(signed, "the signature of a witness is not valid")
            seen.append(f"{key[0]} had it at {datetime.datetime.fromtimestamp(at, datetime.timezone.utc).isoformat()}")
    return match[1], int(match[2]), from_base64(match[3]), seen

def root_over(leaf, index, size, path):  # RFC 9162, section 2.1.3.2
    at, last, root = index, size - 1, sha256(b"\0", leaf)
    for beside in path:
        require(last > 0, "the path is too long")
        if at % 2 or at == last:
            root = sha256(b"\1", beside, root)
            while at % 2 == 0 and at > 0:
                at, last = at // 2, last // 2
        else:
            root = sha256(b"\1", root, beside)
        at, last = at // 2, last // 2
    require(last == 0, "the path is too short")
    return root

def payload_hash(entry, payload, salt):
    if entry["v"] == 1:
        require(len(salt) == 16, "the salt is malformed")
        return sha256(b"memledger/payload/v1\0", salt, payload)
    lines, hashes = payload.split(b"\n"), []
    require(lines.pop() == b"" and len(lines) == entry["parts"], "the payload has another number of parts")
    for index, line in enumerate(lines):
        header, tab, text = line.partition(b"\t")
        length = 16 if tab else 32
        given, salt = salt[:length], salt[length:]
        require(len(given) == length and (text or not tab), "a part is malformed")
        text_hash = sha256(b"memledger/text/v2\0", given, text) if tab else given
        hashes.append(given if line == b"{}" and index > 0 else sha256(b"memledger/part/v2\0", text_hash, header))  # withheld: {}
    require(salt == b"", "there are more salts than parts")
    return sha256(b"memledger/payload/v2\0", *hashes)

def verify(data, ledger, witnesses):
    """(what the receipt says, its checkpoint, what witnesses say). Raises ValueError, or what Python raises for a malformed value."""
    head, _, note = data.decode().partition("\n\n")
    match = re.fullmatch(r"c2sp\.org/tlog-proof@v1\nextra (\S+)\nindex (0|[1-9][0-9]{0,15})((?:\n\S+)*)", head)
    text, index, path = from_base64(match[1]).decode(), int(match[2]), [from_base64(line) for line in match[3].split("\n")[1:]]
    require(len(path) <= 53 and {len(one) for one in path} <= {32}, "the path is malformed")
    extra = json.loads(text)
    require(json.dumps(extra, ensure_ascii=False, sort_keys=True, separators=(",", ":")) == text, "the extra data is not in the form of RFC 8785")
    require(extra.pop("v") == 1 and text.endswith('"v":1}') and all(type(one) is str for one in extra.values()), "not version 1")
    require(extra.keys() - {"timestamp"} in ({"entry"}, {"entry", "payload", "salt"}), "the extra data has other members")
    require("timestamp" not in extra or from_base64(extra["timestamp"]), "the time stamp is malformed")
    chain, size, root, seen = open_checkpoint(note, ledger, witnesses)
    entry = json.loads(extra["entry"])
    require(entry["chain"] == chain and 0 < index < size and index <= entry["seq"], "the checkpoint is of another chain")
    leaf = sha256(f"memledger/entry/v{entry['v']}\0{extra['entry']}".encode())
    require(root_over(leaf, index, size, path) == root, "the path does not lead to the checkpoint")
    if "payload" in extra:
        hashed = payload_hash(entry, extra["payload"].encode(), from_base64(extra["salt"]))
        require(hashed.hex() == entry["payload_hash"], "the payload is another one")
    return extra, note[:note.rfind("\n\n") + 1], seen

def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    parser.add_argument("key")
    parser.add_argument("receipts", nargs="+")
    parser.add_argument("--witness-key", action="append", default=[])
    parser.add_argument("--extract", action="store_true")
    given, worst = parser.parse_args(), 0
    try:
        ledger = dict(parse_key(text, 1) for text in pathlib.Path(given.key).read_text("utf-8").split())
        witnesses = dict(parse_key(text, 4) for text in given.witness_key)
        receipts = [(path, pathlib.Path(path).read_bytes()) for path in given.receipts]
        subprocess.run(["openssl", "version"], capture_output=True)
    except (OSError, ValueError) as error:
        print(f"UNUSABLE: {error}")
        return 40
    for path, data in receipts:
        try:
            extra, checkpoint, seen = verify(data, ledger, witnesses)
            print("VALID:", path + ":", ", ".join(seen) or "nobody outside has signed it")
            print(extra["entry"], extra.get("payload", "no payload"), sep="\n")
            if given.extract:
                pathlib.Path(path + ".token").write_bytes(from_base64(extra.get("timestamp", "")))
                pathlib.Path(path + ".checkpoint").write_bytes(checkpoint.encode())
            worst = max(worst, 0 if seen else 10)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            print(f"NOT VALID: {path}: {error}")
            worst = max(worst, 20)
    return worst

sys.exit(main())
