// Tests what a release is made of, without executables: notices, bill of materials, archives, the Debian package and its service.
// `.ci/run` makes a release of Linux twice and drives it.

import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import manifest from "../../package.json";
import { ar, file, programMode, tarGz, withFolders, zip } from "../../release/archive.ts";
import { type Component, componentsOf } from "../../release/components.ts";
import { debianPackage } from "../../release/deb.ts";
import { embeddedComponents } from "../../release/embedded-components.ts";
import { bundledModules } from "../../release/executable.ts";
import { requireAccepted } from "../../release/licences.ts";
import { lockedHash } from "../../release/lock-file.ts";
import { noticesText } from "../../release/notices.ts";
import { packagesOf } from "../../release/packages.ts";
import { billOfMaterials } from "../../release/sbom.ts";
import { root } from "../../release/source.ts";
import { type Target, targetNamed, targets } from "../../release/targets.ts";
import { builtInModels } from "../../src/models/embedding/model-directory.ts";
import { currentPlatform } from "../../src/platform/native/platform.ts";
import { generalSettings, variableOf } from "../../src/server/config/settings.ts";
import { notWindows, program, testWith } from "../needs.ts";

const seconds = 1_790_000_000;
const { os, cpu } = currentPlatform();
const here = targetNamed(`${os === "win32" ? "windows" : os}-${cpu}`);

let collected: readonly Component[] | null = null;

async function componentsHere(): Promise<readonly Component[]> {
  collected ??= await collect(here);
  return collected;
}

async function collect(target: Target): Promise<Component[]> {
  const modules = await bundledModules();
  return componentsOf(target, builtInModels(), embeddedComponents(target, modules), packagesOf(modules));
}

test("every package that is bundled is a component, and so is all that the manifest names", async () => {
  const components = await componentsHere();
  const names = components.map(({ name }) => name);
  for (const name of Object.keys(manifest.dependencies).filter((each) => each !== "sqlite-vec"))
    expect(names).toContain(name);
  for (const name of [
    "SQLite",
    "Bun",
    "BoringSSL",
    "memledger-embed-v1",
    "memledger-embed-v2",
    "memledger-embed-v3",
    "@scalar/api-reference",
    "zod",
  ])
    expect(names).toContain(name);
  expect(names.some((name) => name.startsWith("sqlite-vec-"))).toBe(true);
  expect(new Set(components.map(({ purl }) => purl)).size).toBe(components.length);
  const development = ["typescript", "@biomejs/biome", "fast-check"];
  expect(names.filter((name) => development.includes(name))).toEqual([]);
});

test("the notices have every component, its texts, and the standard text of each licence", async () => {
  const components = await componentsHere();
  const text = noticesText(components);
  for (const component of components) {
    expect(text).toContain(`- ${component.name} ${component.version}: ${component.licence}`);
    for (const each of component.texts) expect(text.includes(each)).toBe(true);
  }
  for (const title of [
    "Standard text of MIT",
    "Standard text of Apache-2.0",
    "Standard text of LGPL-2.0-or-later",
  ])
    expect(text).toContain(title);
  expect(text).toContain("THIRD PARTY SOFTWARE NOTICES AND INFORMATION");
});

test("libraries are those of the target: libuv is a part of Bun on Windows only", async () => {
  const names = (await componentsHere()).map(({ name }) => name);
  expect(names.some((name) => name.startsWith("libuv"))).toBe(os === "win32");
});

test("a licence that nobody has read stops the release", () => {
  for (const licence of ["GPL-3.0-only", "", "UNLICENSED", "MIT AND SSPL-1.0"])
    expect(() => requireAccepted("a package", licence)).toThrow(/Read the licence/);
  requireAccepted("a package", "MIT OR Apache-2.0");
  expect(() => lockedHash("bun.lock", "elysia", "0.0.1")).toThrow(/no hash of elysia@0.0.1/);
});

test("the bill of materials is valid CycloneDX with hashes, licences and package URLs", async () => {
  const components = await componentsHere();
  const subject = {
    version: "1.2.3",
    commit: "0123456789ab",
    target: here.name,
    sha256: "a".repeat(64),
    seconds,
  };
  const text = await billOfMaterials(subject, components);
  expect(await billOfMaterials(subject, components)).toBe(text);
  const bom = JSON.parse(text);
  expect(bom.metadata.component.hashes).toEqual([{ alg: "SHA-256", content: "a".repeat(64) }]);
  expect(bom.components).toHaveLength(components.length);
  const elysia = bom.components.find(({ name }: { name: string }) => name === "elysia");
  expect(elysia).toMatchObject({
    purl: `pkg:npm/elysia@${manifest.dependencies.elysia}`,
    licenses: [{ license: { id: "MIT" } }],
    hashes: [{ alg: "SHA-512" }],
  });
  const unhashed = bom.components.filter(
    ({ hashes = [] }: { hashes?: { content: string }[] }) =>
      !/^(?:[0-9a-f]{64}|[0-9a-f]{128})$/.test(hashes[0]?.content ?? ""),
  );
  expect(unhashed).toEqual([]);
  const linked = (wanted: string) => {
    const { hashes, properties } = bom.components.find(({ name }: { name: string }) => name === wanted);
    return { hash: hashes[0].content, of: properties[0] };
  };
  const bun = bom.components.find(({ name }: { name: string }) => name === "Bun");
  const ofBun = { name: "memledger:hash-of", value: bun.purl };
  expect(linked("BoringSSL")).toEqual({ hash: bun.hashes[0].content, of: ofBun });
  expect(linked("SQLite").of.value).toEndWith(".node");
  await expect(billOfMaterials({ ...subject, sha256: "not a hash" }, components)).rejects.toThrow(
    /not valid CycloneDX/,
  );
});

const entries = withFolders([file("a/b/text", "text\n"), file("a/program", "#!/bin/sh\n", programMode)]);

test("archives are the same on every machine, and programs of others read them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-archive-"));
  const zone = process.env.TZ;
  try {
    const first = [await tarGz(entries, seconds), await zip(entries, seconds)];
    process.env.TZ = "Pacific/Auckland";
    const second = [await tarGz(entries, seconds), await zip(entries, seconds)];
    expect(second.map((bytes) => Bun.hash(bytes))).toEqual(first.map((bytes) => Bun.hash(bytes)));
    writeFileSync(join(folder, "a.tar.gz"), first[0] ?? "");
    const listed = Bun.spawnSync(["tar", "--numeric-owner", "-tvzf", "a.tar.gz"], { cwd: folder });
    expect(listed.stdout.toString()).toMatch(/^-rwxr-xr-x 0\/0 +10 2026-.* a\/program$/m);
    writeFileSync(join(folder, "a.zip"), first[1] ?? "");
    const python = "import zipfile; z = zipfile.ZipFile('a.zip'); print(z.testzip(), z.namelist())";
    const read = Bun.spawnSync(["python3", "-c", python], { cwd: folder });
    expect(read.stdout.toString()).toBe("None ['a/b/text', 'a/program']\n");
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    rmSync(folder, { recursive: true });
  }
});

test("members of an ar archive are padded to an even length", () => {
  const bytes = ar(
    [
      { name: "odd", bytes: Buffer.from("abc") },
      { name: "even", bytes: Buffer.from("ab") },
    ],
    seconds,
  );
  expect(bytes.length).toBe(8 + 60 + 4 + 60 + 2);
});

const documents = { notices: "notices", sbom: "{}", manual: ".TH", bash: "b", zsh: "z", fish: "f" };

testWith(program("dpkg-deb"))("dpkg reads the Debian package", async () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-deb-"));
  try {
    const content = {
      version: "1.2.3",
      architecture: "arm64",
      executable: Buffer.from("program"),
      documents,
      seconds,
    };
    writeFileSync(join(folder, "memledger.deb"), await debianPackage(content));
    const dpkg = (...words: readonly string[]) =>
      Bun.spawnSync(["dpkg-deb", ...words], {
        cwd: folder,
        env: { ...process.env, TZ: "UTC" },
      }).stdout.toString();
    expect(dpkg("--field", "memledger.deb", "Version", "Architecture")).toBe(
      "Version: 1.2.3\nArchitecture: arm64\n",
    );
    const listed = dpkg("--contents", "memledger.deb");
    expect(listed.split("\n")[0]).toMatch(/^drwxr-xr-x root\/root .* \.\/$/);
    expect(listed).toMatch(/^-rwxr-xr-x root\/root +7 .* \.\/usr\/bin\/memledger$/m);
    dpkg("--raw-extract", "memledger.deb", "content");
    const sums = Bun.spawnSync(["md5sum", "--check", "--quiet", "DEBIAN/md5sums"], {
      cwd: join(folder, "content"),
    });
    expect(sums.exitCode).toBe(0);
    expect(
      gunzipSync(readFileSync(join(folder, "content/usr/share/man/man1/memledger.1.gz"))).toString(),
    ).toBe(".TH");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a folder with other files is not replaced by a release", () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-out-"));
  try {
    writeFileSync(join(folder, "thesis.txt"), "words");
    const command = [process.execPath, "release/main.ts", "--target", "windows-x64", "--out", folder];
    const { exitCode, stderr } = Bun.spawnSync(command, { cwd: root, stderr: "pipe" });
    expect([exitCode, stderr.toString()]).toEqual([1, expect.stringContaining("not of a release")]);
    expect(readFileSync(join(folder, "thesis.txt"), "utf8")).toBe("words");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

testWith(notWindows)("a configuration of the package that failed is repeated", () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-postinst-"));
  try {
    const data = join(folder, "data");
    const script = join(folder, "postinst");
    const postinst = readFileSync(join(root, "release/debian/postinst"), "utf8");
    writeFileSync(script, postinst.replace("data=/var/lib/memledger", `data='${data}'`));
    // Only these programs are found. The first attempt to create the project fails.
    const program = (name: string, body: string) =>
      writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    program("getent", "exit 0");
    program("install", `/bin/mkdir -p '${data}'`);
    program(
      "setpriv",
      `echo call >>'${folder}/calls'; if [ -e '${folder}/works' ]; then : >'${data}/memledger.db'; else exit 1; fi`,
    );
    const configure = () => {
      const { exitCode, stderr } = Bun.spawnSync(["/bin/sh", script, "configure", ""], {
        env: { PATH: folder },
      });
      return [exitCode, stderr.toString().includes("the project default was not created")];
    };
    const calls = () => readFileSync(join(folder, "calls"), "utf8").trim().split("\n").length;
    expect(configure()).toEqual([0, true]);
    writeFileSync(join(folder, "works"), "");
    expect(configure()).toEqual([0, false]);
    expect(calls()).toBe(2);
    // With a database, nothing is created again.
    expect(configure()).toEqual([0, false]);
    expect(calls()).toBe(2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

testWith(program("systemd-analyze"))("the service is hardened", () => {
  const unit = join(root, "deploy/systemd/memledger.service");
  const command = ["systemd-analyze", "security", "--offline=true", "--no-pager", unit];
  const { stdout, exitCode } = Bun.spawnSync(command);
  const [, score] = /Overall exposure level for memledger\.service: ([\d.]+)/.exec(stdout.toString()) ?? [];
  expect(exitCode).toBe(0);
  expect(Number(score)).toBeLessThan(2);
});

test("the service may write scheduled backups to the folder that its settings name", () => {
  const unit = readFileSync(join(root, "deploy/systemd/memledger.service"), "utf8");
  const [, names = ""] = /^StateDirectory=(.+)$/m.exec(unit) ?? [];
  const [, folder] =
    /^#MEMLEDGER_BACKUP_DIR=\/var\/lib\/(.+)$/m.exec(
      readFileSync(join(root, "release/debian/default"), "utf8"),
    ) ?? [];
  expect(names.split(" ")).toEqual(["memledger", String(folder)]);
});

test("each target names a runtime in the lock file, and the list of targets in the refusal is complete", () => {
  for (const target of targets) {
    lockedHash("release/runtimes/bun.lock", target.runtime.package, Bun.version);
    expect(() => targetNamed("plan9-x64")).toThrow(target.name);
  }
});

test("the manifest of Kubernetes has one replica without privileges, and only settings that exist", () => {
  const text = readFileSync(join(root, "deploy/kubernetes/memledger.yaml"), "utf8");
  const documents = [Bun.YAML.parse(text)].flat();
  const of = (kind: string) => documents.find((each) => Reflect.get(Object(each), "kind") === kind);
  expect(of("StatefulSet")).toMatchObject({
    spec: {
      replicas: 1,
      template: {
        spec: {
          securityContext: { runAsNonRoot: true, runAsUser: 65532 },
          containers: [
            { securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false } },
          ],
        },
      },
    },
  });
  const known = generalSettings.map(variableOf);
  const image = readFileSync(join(root, "deploy/docker/Dockerfile"), "utf8");
  const named = [...`${text}${image}`.matchAll(/MEMLEDGER_[A-Z_]+/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !known.includes(name.replace(/_FILE$/, "")))).toEqual([]);
});

test("the daemon of launchd is a property list", () => {
  const file = join(root, "deploy/launchd/memledger.plist");
  const python = "import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], 'rb'))))";
  const { stdout } = Bun.spawnSync(["python3", "-c", python, file]);
  expect(JSON.parse(stdout.toString())).toMatchObject({
    Label: "memledger",
    ProgramArguments: ["/usr/local/bin/memledger", "serve"],
    EnvironmentVariables: { MEMLEDGER_DATA_DIR: "/usr/local/var/memledger" },
  });
});
