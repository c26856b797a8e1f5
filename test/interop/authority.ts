// A time stamp authority as a program of its own: `bun authority.ts FOLDER ADDRESS`. Prints its URL and the file of its root.

import { createTestAuthority } from "../audit/timestamp/authority.ts";
import { startAuthority } from "../audit/timestamp/authority-server.ts";

const [folder = "", address = ""] = process.argv.slice(2);
const made = createTestAuthority(folder);
const { url } = startAuthority(made, address);
process.stdout.write(`${JSON.stringify({ url, root: made.root })}\n`);
