// Binds `memledger audit report`: writes the report of a period for an auditor.

import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { makeReport } from "../../calls/operations/report/make-report.ts";
import { isObject, type Json } from "../../platform/json/json.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import { administer } from "../access/administer.ts";
import { addFields, type Field, namesOf, readFields, reasonField } from "../access/administration.ts";
import { bindWork, type Session } from "../command.ts";
import { createOutputFile } from "../output-text.ts";
import { list } from "../terminal.ts";

const fields: readonly Field[] = [
  {
    flags: "--from <time>",
    field: "start_time",
    description: "beginning of the period: an ISO 8601 date or time; UTC without a time zone",
    isRequired: true,
  },
  {
    flags: "--to <time>",
    field: "end_time",
    description: "end of the period, included; a date includes the whole day",
    isRequired: true,
  },
  {
    flags: "--project <id|name>",
    field: "project",
    description: "report about this project only (default: the installation and all projects)",
  },
  {
    flags: "--subject <name>",
    field: "subject",
    description: "only counts and erasures of this subject of the project; its pseudonym after its erasure",
  },
  reasonField,
];

export function addWriteReportCommand(audit: Command, session: Session): void {
  const command = audit.command("report").description(makeReport.description);
  addFields(command, fields);
  command
    .requiredOption("--out <file>", "path of the report")
    .addOption(
      new Option("--format <format>", "html: a page that contains the JSON; json: the JSON alone")
        .choices(["html", "json"])
        .default("html"),
    )
    .option("--force", "overwrite the file if it exists");
  bindWork(command, session, async ({ config, options }) => {
    const out = resolve(String(options.out));
    const input: Record<string, Json> = { format: String(options.format) };
    readFields(fields, options, input);
    const rules = { mayReplace: options.force === true, dataDir: config.dataDir };
    const output = createOutputFile(out, rules);
    try {
      const answer = await administer(config, makeReport, input, namesOf(fields));
      const { file = "", note, findings = [], ...facts } = isObject(answer) ? answer : {};
      await output.write(String(file));
      await output.finish();
      const written = { file: out, ...facts };
      const found = Array.isArray(findings) ? findings.map((finding) => `- ${finding}`) : [];
      const next = `Verify it with: memledger audit verify-report ${quoteWord(out)} --public-key FILE`;
      return {
        data: { ...written, findings, note: note ?? null },
        text: [list(written), ...(found.length === 0 ? [] : [found.join("\n")]), next].join("\n\n"),
      };
    } catch (error) {
      output.discard();
      throw error;
    }
  });
}
