// A person who signs in to the console with a key, lists memories and signs out: three calls, each with its record on the chain of the key.

import { sessionPath } from "../transports/http/console/signed-in.ts";
import { type ModelKey, type ModelProject, statusOf } from "./model.ts";
import { equal, note, type Run } from "./model-call.ts";

export async function useSession(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const { server } = run;
  // Sign-ins that fail are sampled, as all calls without a valid key are.
  if (project.refuses(key, "memory.read", "memory", server.now()) === 1401) return;
  const append = (action: string, status: number, code: number, text: string) =>
    project.chain.append({ action, status, code, key: key.id, memory: null, at: server.now(), text });
  const opened = await server.send("POST", sessionPath, {}, { key: key.secret });
  equal(opened.status, 201, `signing in: ${opened.text}`);
  append("session.open", 201, 1000, opened.text);
  const [cookie = ""] = (opened.headers.getSetCookie()[0] ?? "").split(";");
  const sent = {
    Cookie: cookie,
    "Sec-Fetch-Site": "same-origin",
    "Memledger-Request-Token": String(opened.data.request_token),
  };
  const due = project.refuses(key, "memory.read", "memory", server.now()) ?? 1000;
  const listed = await server.send("GET", "/v1/memories", sent);
  equal(
    [listed.status, listed.code],
    [due === 1000 ? 200 : statusOf[due], due],
    `as a session: ${listed.text}`,
  );
  append("memory.list", listed.status, due, listed.text);
  note(run, `session ${due}`);
  const closed = await server.send("DELETE", sessionPath, sent);
  equal(closed.status, 204, `signing out: ${closed.text}`);
  append("session.close", 204, 1000, "");
}
