// The third parties of a dispute, on a machine of their own: a witness, a time stamp authority, and a bucket with Object Lock.

import { globSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { credentials } from "./buckets.ts";
import type { Machine, Machines } from "./networks.ts";
import { runProgram, startProgram } from "./programs.ts";
import { type Place, until } from "./witnesses.ts";

interface PartyOptions extends Pick<Place, "command" | "place"> {
  readonly machines: Machines;
  /** Verifier key of the ledger. */
  readonly ledgerKey: string;
  /** A server of buckets; null: there is none. */
  readonly versitygw: string | null;
}

export type Parties = Awaited<ReturnType<typeof startParties>>;

/** On the other machine. */
export async function startParties(options: PartyOptions) {
  const {
    command,
    place,
    machines: { others },
    ledgerKey,
    versitygw,
  } = options;
  const folder = join(place, "parties");
  mkdirSync(folder, { recursive: true });
  const data = join(folder, "witness");
  const words = ["witness", "--data-dir", data, "--host", others.address, "--port", "0", "--json"];
  const witness = startProgram([...others.words, ...command, ...words, "--log", ledgerKey.trim()], {
    folder,
  });
  const authorityScript = join(import.meta.dir, "authority.ts");
  const authority = startProgram(
    [...others.words, process.execPath, authorityScript, join(folder, "authority"), others.address],
    { folder },
  );
  const witnessUrl = await until(async () => /"url":"([^"]+)"/.exec(witness.output())?.[1] ?? null);
  const { url, root } = JSON.parse(
    await until(async () => /^\{.*\}$/m.exec(authority.output())?.[0] ?? null),
  );
  /** What the witness has cosigned last of the log of a note or a receipt. */
  const lastNote = async (note: string): Promise<string> => {
    const origin = /^memledger\/.*$/m.exec(note)?.[0] ?? "";
    const hash = new Bun.CryptoHasher("sha256").update(origin).digest("hex");
    const asked = ["curl", "-sS", `${witnessUrl}/${hash}/checkpoint`];
    return (await runProgram([...others.words, ...asked], { folder })).stdout;
  };
  const bucket = versitygw === null ? null : await startBucket(versitygw, { folder, others });
  return {
    bucket,
    witnessUrl,
    witnessKey: readFileSync(join(data, "witness.pub"), "utf8").trim(),
    stampsUrl: String(url),
    roots: String(root),
    stamp: (request: string, answer: string) => {
      const type = ["-H", "Content-Type: application/timestamp-query"];
      const asked = ["curl", "-sS", ...type, "--data-binary", `@${request}`, "-o", answer, String(url)];
      return runProgram([...others.words, ...asked], { folder });
    },
    lastNote,
    hasCosigned: async (note: string) => (await lastNote(note)).startsWith(note.trimEnd()),
    stop: () => Promise.all([witness.kill(), authority.kill(), bucket?.stop()]),
  };
}

/** One with Object Lock. */
async function startBucket(program: string, { folder, others }: { folder: string; others: Machine }) {
  const [objects, versions] = [join(folder, "objects"), join(folder, "versions")];
  for (const each of [objects, versions]) mkdirSync(each, { recursive: true });
  const files = join(objects, "ledger");
  const endpoint = `http://${others.address}:7070`;
  const { accessKeyId, secretAccessKey } = credentials;
  const words = ["--access", accessKeyId, "--secret", secretAccessKey, "--port", `${others.address}:7070`];
  const posix = ["posix", "--versioning-dir", versions, objects];
  const gateway = startProgram([...others.words, program, ...words, ...posix], { folder });
  const signing = ["--aws-sigv4", "aws:amz:us-east-1:s3", "--user", `${accessKeyId}:${secretAccessKey}`];
  const body = new Bun.CryptoHasher("sha256").update("").digest("hex");
  const headers = [`x-amz-content-sha256: ${body}`, "x-amz-bucket-object-lock-enabled: true"];
  const create = ["-X", "PUT", ...headers.flatMap((header) => ["-H", header]), `${endpoint}/ledger`];
  await until(async () => {
    const { exitCode } = await runProgram([...others.words, "curl", "-sSf", ...signing, ...create], {
      folder,
    });
    return exitCode === 0;
  });
  return {
    flags: ["--keep", "s3://ledger", "--keep-s3-endpoint", endpoint],
    /** The files of the bucket, in the folder of the server of buckets. */
    files,
    has: (record: string) =>
      globSync("**/*.jsonl", { cwd: files }).some((file) =>
        readFileSync(join(files, file), "utf8").includes(record),
      ),
    stop: () => gateway.kill(),
  };
}
