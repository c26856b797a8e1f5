// Binds `memledger audit timestamp-request` and `timestamp-add`: time stamps of checkpoints for machines without a network. A person takes the
// request to an authority, and the answer back.

import { resolve } from "node:path";
import type { Command } from "commander";
import { parseTreeCheckpoint } from "../../audit/checkpoint.ts";
import { textOfNote } from "../../audit/verify/note.ts";
import { parseSuppliedNotes } from "../../audit/verify/supplied-notes.ts";
import { signCheckpoints } from "../../calls/operations/ledger/checkpoint-operations.ts";
import { addTimeStamp } from "../../calls/operations/ledger/time-stamp.ts";
import { readRegularBytes, readRegularText } from "../../platform/files/regular-file.ts";
import { explainedAs } from "../../platform/files/system-error.ts";
import { isObject, objectsIn } from "../../platform/json/json.ts";
import { evidenceFileMaxBytes } from "../../platform/limits.ts";
import { counted } from "../../platform/text/plural.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import { administer } from "../access/administer.ts";
import { bindWork, type Invocation, type Session } from "../command.ts";
import { createOutputFile } from "../output-text.ts";
import { list } from "../terminal.ts";

export function addTimeStampCommands(audit: Command, session: Session): void {
  addRequestCommand(audit, session);
  addAnswerCommand(audit, session);
}

function addRequestCommand(audit: Command, session: Session): void {
  const command = audit
    .command("timestamp-request")
    .description(
      "Write the request for a time stamp (RFC 3161) of a checkpoint, to take to an authority from a machine without a network.",
    )
    .requiredOption("--out <file>", "path of the request, such as checkpoint.tsq")
    .option("--project <id|name>", "project whose newest checkpoint is stamped (default: the installation)")
    .option("--checkpoint <file>", "the checkpoint to stamp instead, one signed note")
    .option("--force", "overwrite the file if it exists");
  bindWork(command, session, async (invocation) => {
    const { config, options } = invocation;
    const file = resolve(String(options.out));
    const output = createOutputFile(file, { mayReplace: options.force === true, dataDir: config.dataDir });
    try {
      const note = await checkpointOf(invocation);
      const { createRequest } = await import("../../audit/timestamp/request.ts");
      await output.write(await createRequest(textOfNote(note)));
      await output.finish();
      const data = { file, note };
      return { data, text: `${textOfNote(note)}\nThe request is in ${file}. ${nextStep(file)}` };
    } catch (error) {
      output.discard();
      throw error;
    }
  });
}

/** The note of the checkpoint that the options name. @throws Error that says what to do */
async function checkpointOf({ config, options }: Invocation): Promise<string> {
  const { project = null, checkpoint } = options;
  const [notes, source] =
    typeof checkpoint === "string"
      ? [parseSuppliedNotes(readRegularText(checkpoint, evidenceFileMaxBytes)).notes, checkpoint]
      : [await signed(config, project === null ? null : String(project)), "The answer"];
  const roots = notes.filter((note) => parseTreeCheckpoint(textOfNote(note)) !== null);
  const [note] = roots;
  if (note !== undefined && roots.length === 1) return note;
  throw new Error(
    `${source} has ${counted(roots.length, "checkpoint")} of version 2, and exactly one can be stamped. ${
      typeof checkpoint === "string"
        ? "Give a file with one note, or --project in place of --checkpoint."
        : "The ledger is being moved to version 2. Run the command again in a few minutes."
    }`,
  );
}

async function signed(config: Invocation["config"], project: string | null): Promise<readonly string[]> {
  const data = await administer(config, signCheckpoints, { project }, { project: "--project" });
  return (isObject(data) ? objectsIn(data.checkpoints) : []).map(({ note }) => String(note));
}

function nextStep(file: string): string {
  const answer = `${file.replace(/\.tsq$/, "")}.tsr`;
  return `Send it to a time stamp authority, from any machine:\n\n  curl -H 'Content-Type: application/timestamp-query' --data-binary @${quoteWord(file)} -o ${quoteWord(answer)} URL\n\nThen store the answer: memledger audit timestamp-add ${quoteWord(answer)} --request ${quoteWord(file)}`;
}

function addAnswerCommand(audit: Command, session: Session): void {
  const command = audit
    .command("timestamp-add")
    .description(addTimeStamp.description)
    .argument("<file>", "the answer of the authority, such as checkpoint.tsr")
    .option("--request <file>", "the request, to check that the answer has its nonce");
  bindWork(command, session, async ({ config, options, operands: [answer = ""] }) => {
    const request = typeof options.request === "string" ? { request: encoded(options.request) } : {};
    const names = { answer: "<file>", request: "--request" };
    const data = await administer(config, addTimeStamp, { answer: encoded(answer), ...request }, names);
    return { data, text: isObject(data) ? list(data) : "" };
  });
}

/** The Base64 of a file. @throws Error that says what to do */
function encoded(path: string): string {
  try {
    return readRegularBytes(path, answerMaxBytes).toString("base64");
  } catch (error) {
    throw explainedAs(`${path} cannot be read`, error);
  }
}

const answerMaxBytes = 1024 * 1024;
