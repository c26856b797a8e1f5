// Starts the saved page, and its worker: a file without others has one script for both.

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { fromHex, toBase64 } from "../../platform/text/byte-text.ts";
import { browserCryptography } from "./browser-cryptography.ts";
import { CheckedFiles } from "./checked-files.tsx";
import { savedPage } from "./saved-page-document.ts";
import { answerMessages } from "./worker.ts";

if (typeof document === "undefined") answerMessages(globalThis);
else start(document);

function start(page: Document): void {
  const script = page.currentScript?.textContent ?? "";
  const style = page.querySelector("style")?.textContent ?? "";
  const version = page.querySelector<HTMLMetaElement>("meta[name=version]")?.content ?? "";
  const place = page.getElementById("verifier");
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const startWorker = () => new Worker(address);
  if (place !== null) render(<SavedPage {...{ version, script, style, startWorker }} />, place);
}

interface SavedPageProps {
  readonly version: string;
  readonly script: string;
  readonly style: string;
  readonly startWorker: () => Worker;
}

function SavedPage({ version, script, style, startWorker }: SavedPageProps) {
  const [sha256, setSha256] = useState("");
  useEffect(() => setSha256(ownHash({ version, script, style })), [version, script, style]);
  return (
    <main class="saved-page">
      <header>
        <h1>memledger verifier</h1>
        <p class="quiet">
          Version {version}. Verifies exports of the audit ledger, and receipts of its records, on this
          machine. It needs no network, and its policy forbids every connection.
        </p>
      </header>
      <CheckedFiles startWorker={startWorker} />
      <footer>
        <h2>Is this page genuine?</h2>
        <p>
          A forged page could show any result. Compare the SHA-256 of this file with one from a source that
          you trust: <code>SHA256SUMS</code> of the release {version}, or what{" "}
          <code>memledger audit verifier</code> prints. Compute it with a program of this machine, such as{" "}
          <code>sha256sum FILE</code>, <code>shasum -a 256 FILE</code> or{" "}
          <code>certutil -hashfile FILE SHA256</code>.
        </p>
        <p>
          This page computes for itself: <code id="own-sha256">{sha256}</code>
        </p>
      </footer>
    </main>
  );
}

/** SHA-256 of the file that the browser has read. */
function ownHash({ version, script, style }: Pick<SavedPageProps, "version" | "script" | "style">): string {
  const hashOf = (text: string) => browserCryptography.createSha256().update(text).digest();
  const base64Of = (text: string) => toBase64(fromHex(hashOf(text)) ?? new Uint8Array());
  return hashOf(
    savedPage({ version, script, style, scriptHash: base64Of(script), styleHash: base64Of(style) }),
  );
}
