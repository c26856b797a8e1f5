// Makes certificates for tests with openssl, in a folder of the test. Must never be used for anything else: the keys are not kept secret.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface TestCertificate {
  /** PEM files. */
  readonly certificate: string;
  readonly key: string;
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

export function openssl(words: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["openssl", ...words]);
  if (exitCode !== 0) throw new Error(`openssl ${words[0]} failed: ${stderr}`);
}

/** A private certificate authority. */
export function createAuthority(folder: string, name = "authority"): TestCertificate {
  const [certificate, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const subject = ["-subj", `/CN=memledger test ${name}`, "-days", "30"];
  openssl(["req", "-x509", ...newKey, "-keyout", key, "-out", certificate, ...subject]);
  return { certificate, key };
}

/** A certificate for this machine. `name` is its subject. */
export function issue(
  folder: string,
  authority: TestCertificate,
  name: string,
  { days = 30, isAuthority = false }: { days?: number; isAuthority?: boolean } = {},
): TestCertificate {
  const path = (ending: string) => join(folder, `${name}.${ending}`);
  const subject = ["-subj", `/CN=${name}`];
  openssl(["req", ...newKey, "-keyout", path("key"), "-out", path("csr"), ...subject]);
  writeFileSync(
    path("extensions"),
    isAuthority ? "basicConstraints=critical,CA:TRUE\n" : "subjectAltName=IP:127.0.0.1,DNS:localhost\n",
  );
  const issuer = ["-CA", authority.certificate, "-CAkey", authority.key, "-CAcreateserial"];
  const output = ["-out", path("pem"), "-days", String(days), "-extfile", path("extensions")];
  openssl(["x509", "-req", "-in", path("csr"), ...issuer, ...output]);
  return { certificate: path("pem"), key: path("key") };
}

/** A certificate that signs itself, began a year ago and ends in `days` days; a negative number: it has ended. */
export function issueEnding(folder: string, name: string, days: number): TestCertificate {
  const path = (ending: string) => join(folder, `${name}.${ending}`);
  const configuration = `[ca]
default_ca = own
[own]
database = ${path("database")}
serial = ${path("serial")}
new_certs_dir = ${folder}
default_md = sha256
policy = any
[any]
commonName = supplied
`;
  writeFileSync(path("configuration"), configuration);
  writeFileSync(path("database"), "");
  writeFileSync(path("serial"), "01\n");
  openssl(["req", ...newKey, "-keyout", path("key"), "-out", path("csr"), "-subj", `/CN=${name}`]);
  const time = (afterDays: number) =>
    `${new Date(Date.now() + afterDays * 86_400_000).toISOString().replaceAll(/\D/g, "").slice(0, 14)}Z`;
  const life = ["-startdate", time(-365), "-enddate", time(days)];
  const own = ["-selfsign", "-keyfile", path("key"), "-in", path("csr"), "-out", path("pem")];
  openssl(["ca", "-batch", "-notext", "-config", path("configuration"), ...own, ...life]);
  return { certificate: path("pem"), key: path("key") };
}
