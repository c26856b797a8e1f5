// A program of a user: saves one memory through a channel that starts a server, and prints the status. Arguments: data directory, content.

import { openChannel } from "../../../src/assistants/local-access/open-channel.ts";

const [dataDir = "", content = ""] = process.argv.slice(2);
const channel = openChannel({ dataDir, project: "default", start: true });
const response = await channel.fetch("/v1/memories", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ content, memory_type: "fact" }),
});
process.stdout.write(`${response.status}\n`);
