// Makes a release: `bun run release`. Must never release what is not committed, and the same commit must always give the same files.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { builtInModels } from "../src/models/embedding/model-directory.ts";
import { version } from "../src/platform/version.ts";
import { buildConsole } from "../src/transports/http/console/console-build.ts";
import { verifierFileName, verifierName } from "../src/transports/http/console/console-files.ts";
import { file, fileMode, programMode, tarGz, zip } from "./archive.ts";
import { checkReproducible } from "./check.ts";
import { componentsOf } from "./components.ts";
import { consoleMinifier } from "./console-minifier.ts";
import { debianArchitecture, debianPackage } from "./deb.ts";
import { archiveReadme, type Documents, printedBy } from "./documents.ts";
import { embeddedComponents } from "./embedded-components.ts";
import { buildExecutable, bundledModules } from "./executable.ts";
import { noticesText } from "./notices.ts";
import { packagesOf } from "./packages.ts";
import { billOfMaterials } from "./sbom.ts";
import { commitName, commitSeconds, root, uncommittedFiles } from "./source.ts";
import { executableName, type Target, targetNamed, targets } from "./targets.ts";

const usage = `bun run release [--target TARGET]... [--out DIR] [--check]
  --target   ${targets.map(({ name }) => name).join(", ")} (default: all)
  --out      default: dist/release; the previous release in it is deleted
  --check    make the release again in a copy of the repository, and compare all files`;

const sumsName = "SHA256SUMS";

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      target: { type: "string", multiple: true, default: targets.map(({ name }) => name) },
      out: { type: "string", default: join(root, "dist/release") },
      check: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${usage}\n`);
  const chosen = values.target.map(targetNamed);
  const out = resolve(values.out);
  requireReplaceable(out);
  requireClean();
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const sums: string[] = [];
  const write = ({ name, bytes }: ReleaseFile): void => {
    writeFileSync(join(out, name), bytes, { mode: fileMode });
    sums.push(`${sha256(bytes)}  ${name}\n`);
    process.stdout.write(`${name}: ${(bytes.length / 1e6).toFixed(1)} MB\n`);
  };
  for (const target of chosen) for (const made of await releaseFiles(target)) write(made);
  // Auditors compare the page that they were given with its checksum.
  write({ name: verifierFileName, bytes: await verifierPage() });
  writeFileSync(join(out, sumsName), sums.toSorted(byName).join(""), { mode: fileMode });
  process.stdout.write(`${out}: ${sums.length} files of ${version}, commit ${commitName()}\n`);
  if (values.check) checkReproducible(out, chosen);
}

/** As it is in the executables. */
async function verifierPage(): Promise<Uint8Array> {
  const { files } = await buildConsole(consoleMinifier);
  const page = files.find(({ name }) => name === verifierName);
  if (page === undefined) throw new Error("The build of the console made no page that verifies exports.");
  return page.bytes;
}

/** A typing error must not delete a folder of something else. */
function requireReplaceable(out: string): void {
  const names = existsSync(out) ? readdirSync(out) : [];
  if (names.length === 0 || names.includes(sumsName)) return;
  throw new Error(
    `${out} has files that are not of a release. Name another folder with --out, or remove them.`,
  );
}

function requireClean(): void {
  const files = uncommittedFiles();
  if (files.length === 0) return;
  throw new Error(
    `A release is made from a commit. Commit these files, or remove them:\n${files.join("\n")}`,
  );
}

type ReleaseFile = Readonly<{ name: string; bytes: Uint8Array }>;

async function releaseFiles(target: Target): Promise<ReleaseFile[]> {
  const seconds = commitSeconds();
  const base = `memledger-${version}-${target.name}`;
  const executable = await executableOf(target);
  const documents = await documentsOf(target, sha256(executable));
  const files = archiveFiles(target, executable, documents).map((each) => ({
    ...each,
    path: `${base}/${each.path}`,
  }));
  const archive: ReleaseFile =
    target.platform.os === "win32"
      ? { name: `${base}.zip`, bytes: await zip(files, seconds) }
      : { name: `${base}.tar.gz`, bytes: await tarGz(files, seconds) };
  const sbom: ReleaseFile = { name: `${base}.cdx.json`, bytes: Buffer.from(documents.sbom) };
  const architecture = debianArchitecture(target);
  if (architecture === null) return [archive, sbom];
  const bytes = await debianPackage({ version, architecture, executable, documents, seconds });
  return [archive, sbom, { name: `memledger_${version}_${architecture}.deb`, bytes }];
}

async function executableOf(target: Target): Promise<Uint8Array> {
  const path = join(root, "dist", `release-${target.name}`, executableName(target));
  await buildExecutable(target, builtInModels(), path);
  return readFileSync(path);
}

async function documentsOf(target: Target, hash: string): Promise<Documents> {
  const modules = await bundledModules();
  const versions = embeddedComponents(target, modules);
  const components = componentsOf(target, builtInModels(), versions, packagesOf(modules));
  const subject = {
    version,
    commit: commitName(),
    target: target.name,
    sha256: hash,
    seconds: commitSeconds(),
  };
  return {
    notices: noticesText(components),
    sbom: await billOfMaterials(subject, components),
    manual: printedBy("man"),
    bash: printedBy("completion", "bash"),
    zsh: printedBy("completion", "zsh"),
    fish: printedBy("completion", "fish"),
  };
}

function archiveFiles(target: Target, executable: Uint8Array, documents: Documents) {
  return [
    file(executableName(target), executable, programMode),
    file("LICENSE", readFileSync(join(root, "LICENSE"))),
    file("NOTICES.txt", documents.notices),
    file("README.txt", archiveReadme(version, commitName(), target.name)),
    file("completions/_memledger", documents.zsh),
    file("completions/memledger.bash", documents.bash),
    file("completions/memledger.fish", documents.fish),
    file("memledger.1", documents.manual),
    file("memledger.cdx.json", documents.sbom),
    ...serviceFiles(target),
  ];
}

function serviceFiles({ platform }: Target) {
  if (platform.os !== "linux") return [];
  return [file("memledger.service", readFileSync(join(root, "deploy/systemd/memledger.service")))];
}

function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

/** By what follows the checksum. */
function byName(left: string, right: string): number {
  return left.slice(66) < right.slice(66) ? -1 : 1;
}
