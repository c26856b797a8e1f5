// Makes the Debian package of an executable: the program, its service, its manual page and its completions.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ar, type Entry, file, gzip, programMode, tarGz, withFolders } from "./archive.ts";
import type { Documents } from "./documents.ts";
import { root } from "./source.ts";
import type { Target } from "./targets.ts";

const architectures: Readonly<Record<string, string>> = { "linux-x64": "amd64", "linux-arm64": "arm64" };

/** The architecture of the target in Debian; null if there is no Debian package for it. */
export function debianArchitecture({ name }: Target): string | null {
  return architectures[name] ?? null;
}

export type DebContent = Readonly<{
  version: string;
  architecture: string;
  executable: Uint8Array;
  documents: Documents;
  /** Time of every file, since 1970. */
  seconds: number;
}>;

const rootFolder: Entry = { path: "", mode: programMode, bytes: null };

/** @returns the package */
export async function debianPackage(content: DebContent): Promise<Uint8Array> {
  const { seconds } = content;
  const data = packageFiles(content);
  const folders = [rootFolder, ...withFolders(data)];
  const control: Entry[] = [
    rootFolder,
    file("conffiles", "/etc/default/memledger\n"),
    file("control", controlText(content, data)),
    file(
      "md5sums",
      data
        .filter(({ path }) => !path.startsWith("etc/"))
        .map(checksumLine)
        .join(""),
    ),
    ...["postinst", "postrm", "prerm"].map((name) => file(name, read(`release/debian/${name}`), programMode)),
  ];
  return ar(
    [
      { name: "debian-binary", bytes: Buffer.from("2.0\n") },
      { name: "control.tar.gz", bytes: await tarGz(control, seconds, "./") },
      { name: "data.tar.gz", bytes: await tarGz(folders, seconds, "./") },
    ],
    seconds,
  );
}

function packageFiles({ executable, documents, version, seconds }: DebContent): Entry[] {
  const compressed = (text: string) => gzip(new TextEncoder().encode(text), 9);
  const documentation = "usr/share/doc/memledger";
  return [
    file("etc/default/memledger", read("release/debian/default")),
    file("usr/bin/memledger", executable, programMode),
    file("usr/lib/systemd/system/memledger.service", read("deploy/systemd/memledger.service")),
    file("usr/share/bash-completion/completions/memledger", documents.bash),
    file(`${documentation}/NOTICES.gz`, compressed(documents.notices)),
    file(`${documentation}/changelog.gz`, compressed(changelog(version, seconds))),
    file(`${documentation}/copyright`, copyright()),
    file(`${documentation}/memledger.cdx.json.gz`, compressed(documents.sbom)),
    file("usr/share/fish/vendor_completions.d/memledger.fish", documents.fish),
    file("usr/share/lintian/overrides/memledger", read("release/debian/lintian-overrides")),
    file("usr/share/man/man1/memledger.1.gz", compressed(documents.manual)),
    file("usr/share/zsh/vendor-completions/_memledger", documents.zsh),
  ];
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function checksumLine({ path, bytes }: Entry): string {
  return `${new Bun.CryptoHasher("md5").update(bytes ?? "").digest("hex")}  ${path}\n`;
}

/** The newest symbols that the native libraries need: GLIBC_2.34 and GLIBCXX_3.4.29. */
function controlText({ version, architecture }: DebContent, files: readonly Entry[]): string {
  const bytes = files.reduce((sum, each) => sum + (each.bytes?.length ?? 0), 0);
  return `Package: memledger
Version: ${version}
Architecture: ${architecture}
Maintainer: The memledger authors <memledger@localhost>
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libc6 (>= 2.34), libgcc-s1, libstdc++6 (>= 11), adduser
Section: database
Priority: optional
Description: AI memory with a tamper-evident audit ledger
 memledger stores what AI assistants, agents and scripts should remember, finds
 it by meaning and by keywords, and appends every call to a hash-chained audit
 ledger. The package contains one executable with the database, the embedding
 model and all libraries. It needs no other service and no internet access.
`;
}

function changelog(version: string, seconds: number): string {
  const date = new Date(seconds * 1000).toUTCString().replace("GMT", "+0000");
  return `memledger (${version}) unstable; urgency=medium

  * Release ${version}.

 -- The memledger authors <memledger@localhost>  ${date}
`;
}

function copyright(): string {
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: memledger
Comment: The executable contains third-party software under other licences. NOTICES.gz in this folder has
 every component with its licence, and memledger.cdx.json.gz is the bill of materials.

Files: *
Copyright: 2026 The memledger authors
License: Apache-2.0
 On Debian systems, the complete text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
`;
}
