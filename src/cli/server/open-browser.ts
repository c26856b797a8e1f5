// Owns opening a secret address in the browser of the user. Other users of the machine see the words of every process, so the browser is
// given the path of a page that only this user can read, which leads it to the address. Must never run a shell.

import { rmSync, writeFileSync } from "node:fs";
import { platform } from "node:process";

/** Time in which a browser has read the page, also one that must start first. */
const readMs = 10_000;

type Variables = Readonly<Record<string, string | undefined>>;

/** The words of the program of this desktop that opens files; null: there is no desktop. */
export function findOpener(variables: Variables, system: string = platform): readonly string[] | null {
  if ((variables.SSH_CONNECTION ?? "") !== "") return null;
  if (system === "darwin") return ["/usr/bin/open"];
  if (system === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  const hasDesktop = (variables.DISPLAY ?? "") !== "" || (variables.WAYLAND_DISPLAY ?? "") !== "";
  return hasDesktop ? ["xdg-open"] : null;
}

/**
 * Resolves when the page is removed again.
 * @param page path of the page, which is replaced
 * @returns whether a browser was started
 */
export async function openBrowser(
  opener: readonly string[],
  page: string,
  address: string,
  waitMs = readMs,
): Promise<boolean> {
  rmSync(page, { force: true });
  const remove = () => rmSync(page, { force: true });
  process.once("exit", remove);
  try {
    writeFileSync(page, pageFor(address), { mode: 0o600, flag: "wx" });
    const child = Bun.spawn([...opener, page], { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
    child.unref();
    const failed = child.exited.then((code) => code !== 0);
    if (await Promise.race([failed, Bun.sleep(waitMs).then(() => false)])) return false;
    await Bun.sleep(waitMs);
    return true;
  } catch {
    return false;
  } finally {
    remove();
    process.off("exit", remove);
  }
}

function pageFor(address: string): string {
  const text = address.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${text}">
<title>memledger</title>
<a href="${text}">Sign in to the console</a>
`;
}
