// Writes rows as the file of an export, as the format describes it. Must never share code with what reads or verifies one.

import type { Json, JsonObject } from "../../src/platform/json/json.ts";

export function toJson(rows: readonly JsonObject[], columns: readonly string[]): string {
  const lines = rows.map((row) =>
    JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column] ?? null]))),
  );
  return `[\n${lines.join(",\n")}\n]\n`;
}

export function toCsv(rows: readonly JsonObject[], columns: readonly string[]): string {
  const lines = rows.map((row) => columns.map((column) => toCell(row[column] ?? null)).join(","));
  return [columns.join(","), ...lines].map((line) => `${line}\r\n`).join("");
}

function toCell(value: Json): string {
  if (value === null) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const cell = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
