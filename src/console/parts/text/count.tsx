// Shows numbers: grouped, and with digits of one width.

const grouped = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** `1,234,567` */
export function countText(value: number): string {
  return grouped.format(value);
}

/** `1,234 memories`, `1 memory`. @param plural default: `one` with an s */
export function countOf(value: number, one: string, plural = `${one}s`): string {
  return `${countText(value)} ${value === 1 ? one : plural}`;
}

const byteUnits = ["bytes", "kB", "MB", "GB", "TB"];

/** `12.3 MB`; a kilobyte has 1,000 bytes. */
export function bytesText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), byteUnits.length - 1);
  return `${short.format(bytes / 1_000 ** power)} ${byteUnits[power]}`;
}

/** `12.3 ms`, `4.56 s` */
export function durationText(ms: number): string {
  return ms < 1_000 ? `${short.format(ms)} ms` : `${short.format(ms / 1_000)} s`;
}

const dollars = new Intl.NumberFormat("en", {
  style: "currency",
  currency: "USD",
  maximumSignificantDigits: 3,
});

/** `$0.00123` */
export function dollarsText(amount: number): string {
  return dollars.format(amount);
}

interface CountProps {
  /** Null: unknown, or without a limit; `none` is shown. */
  readonly value: number | null;
  /** Default: – */
  readonly none?: string;
}

export function Count({ value, none = "–" }: CountProps) {
  if (value === null) return <span class="quiet">{none}</span>;
  return <span class="count">{countText(value)}</span>;
}
