// Makes time stamp authorities for tests with openssl, in a folder of the test: a root, what is between, and the authority. Must never be used
// for anything else: the keys are not kept secret.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openssl } from "../../certificates.ts";

export interface TestAuthority {
  readonly folder: string;
  /** PEM file. */
  readonly root: string;
  /** What openssl answers to a request. */
  answer(request: Uint8Array): Uint8Array;
  /** A token that states this TSTInfo, of an authority that checks neither it nor its own certificate. */
  sign(info: Uint8Array, words?: readonly string[], type?: string): Uint8Array;
}

interface Shape {
  /** Lines of the configuration of the certificate. */
  readonly extensions?: string;
  /** The one between the root and the authority; null: none. */
  readonly between?: string | null;
  readonly root?: string;
  /** Of all certificates, as openssl ca reads them: YYMMDDHHMMSSZ. */
  readonly from?: string;
  readonly to?: string;
  /** Lines of the configuration of openssl ts. */
  readonly settings?: readonly string[];
  /** Words of openssl req for the key of the authority. */
  readonly key?: readonly string[];
  readonly subject?: string;
}

const elliptic = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
export const rsa = ["-newkey", "rsa:2048"];
export const forStamps = "keyUsage=critical,digitalSignature\nextendedKeyUsage=critical,timeStamping\n";
export const issuing = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n";

/** @param folder is made */
export function createTestAuthority(
  folder: string,
  {
    extensions = forStamps,
    between = null,
    root = issuing,
    from = "20250101000000Z",
    to = "20450101000000Z",
    settings = ["accuracy = secs:1, millisecs:500, microsecs:100"],
    key = elliptic,
    subject = "/O=memledger test/CN=Test time stamps",
  }: Shape = {},
): TestAuthority {
  mkdirSync(folder, { recursive: true });
  const at = (name: string) => join(folder, name);
  writeFileSync(at("database"), "");
  writeFileSync(at("serial"), "1001\n");
  writeFileSync(
    at("ca.cnf"),
    `[ca]\ndefault_ca = own\n[own]\ndatabase = ${at("database")}\nserial = ${at("serial")}\nnew_certs_dir = ${folder}\ndefault_md = sha256\nunique_subject = no\npolicy = any\n[any]\ncommonName = supplied\norganizationName = optional\n`,
  );
  const issue = (
    name: string,
    subjectName: string,
    lines: string,
    issuer: string | null,
    keyWords = elliptic,
  ) => {
    writeFileSync(at(`${name}.cnf`), lines);
    const request = ["-nodes", "-keyout", at(`${name}.key`), "-out", at(`${name}.csr`), "-subj", subjectName];
    openssl(["req", ...keyWords, ...request]);
    const signer =
      issuer === null
        ? ["-selfsign", "-keyfile", at(`${name}.key`)]
        : ["-cert", at(`${issuer}.pem`), "-keyfile", at(`${issuer}.key`)];
    const output = ["-in", at(`${name}.csr`), "-out", at(`${name}.pem`), "-extfile", at(`${name}.cnf`)];
    const life = ["-startdate", from, "-enddate", to];
    openssl(["ca", "-batch", "-notext", "-config", at("ca.cnf"), ...signer, ...output, ...life]);
  };
  issue("root", "/CN=memledger test root", root, null);
  if (between !== null) issue("between", "/CN=memledger test between", between, "root");
  issue("authority", subject, extensions, between === null ? "root" : "between", [...key]);
  const certificates = between === null ? "" : readFileSync(at("between.pem"), "utf8");
  writeFileSync(at("chain.pem"), certificates + readFileSync(at("root.pem"), "utf8"));
  const lines = [
    `serial = ${at("stamps")}`,
    `signer_cert = ${at("authority.pem")}`,
    `certs = ${at("chain.pem")}`,
    `signer_key = ${at("authority.key")}`,
    "signer_digest = sha256",
    "default_policy = 1.3.6.1.4.1.32473.1",
    "digests = sha256, sha512",
    "ordering = no",
    "tsa_name = yes",
    ...settings,
  ];
  writeFileSync(at("stamps"), "01\n");
  writeFileSync(at("tsa.cnf"), `[tsa]\ndefault_tsa = own\n[own]\n${lines.join("\n")}\n`);
  return {
    folder,
    root: at("root.pem"),
    answer(request) {
      writeFileSync(at("request.tsq"), request);
      const files = ["-queryfile", at("request.tsq"), "-out", at("answer.tsr")];
      openssl(["ts", "-reply", "-config", at("tsa.cnf"), ...files]);
      return new Uint8Array(readFileSync(at("answer.tsr")));
    },
    sign(info, words = ["-cades"], type = "1.2.840.113549.1.9.16.1.4") {
      writeFileSync(at("info"), info);
      const files = ["-in", at("info"), "-out", at("token"), "-certfile", at("chain.pem")];
      const signer = ["-signer", at("authority.pem"), "-inkey", at("authority.key"), "-md", "sha256"];
      const form = ["-binary", "-nodetach", "-outform", "DER", "-econtent_type", type];
      openssl(["cms", "-sign", ...files, ...signer, ...form, ...words]);
      return new Uint8Array(readFileSync(at("token")));
    },
  };
}

/** The TSTInfo in a token. */
export function infoIn(token: Uint8Array, folder: string): Uint8Array {
  const [file, info] = [join(folder, "signed"), join(folder, "content")];
  writeFileSync(file, token);
  openssl(["cms", "-verify", "-noverify", "-inform", "DER", "-in", file, "-binary", "-out", info]);
  return new Uint8Array(readFileSync(info));
}

/** What `openssl ts -verify` says about a token over a text. */
export function opensslAccepts(token: Uint8Array, text: string, { folder, root }: TestAuthority): boolean {
  const [file, data] = [join(folder, "given"), join(folder, "text")];
  writeFileSync(file, token);
  writeFileSync(data, text);
  const words = ["ts", "-verify", "-token_in", "-in", file, "-data", data, "-CAfile", root];
  return Bun.spawnSync(["openssl", ...words]).exitCode === 0;
}
