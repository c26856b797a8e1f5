// Owns the check whether a double represents a JSON number exactly as it is written. The number must be well-formed.

const point = 0x2e;
const zero = 0x30;
const nine = 0x39;

/** A double represents any number with this many decimal digits. */
const safeDigits = 15;
/** This many decimal digits identify every double. */
const sufficientDigits = 17;
/** The maximum of toPrecision. */
const writableDigits = 100;
/** Smaller doubles have fewer digits. */
const smallestNormal = 2 ** -1022;

/** A number this short cannot underflow. */
const shortCharacters = 24;

/** A fast check that accepts nearly all numbers without a copy: no exponent and few digits. */
function isPlain(text: string, start: number, end: number): boolean {
  if (end - start > shortCharacters) return false;
  let digits = 0;
  let hasFraction = false;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === point) hasFraction = true;
    else if (code > nine) return false;
    else if (code > zero || (code === zero && digits > 0)) digits += 1;
  }
  return digits <= (hasFraction ? sufficientDigits : safeDigits);
}

/**
 * Whether JSON.parse returns exactly the number that is written between `start` and `end`. An integer must be the same integer. A
 * number with a fraction or an exponent represents a double (RFC 8259, section 6): it has at most the 17 digits that identify a double,
 * or more digits that are exactly those of a double. Overflow and underflow are not exact.
 */
export function isExact(text: string, start: number, end: number): boolean {
  if (isPlain(text, start, end)) return true;
  const token = text.slice(start, end);
  const written = decimalOf(token);
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  if (/^-?[0-9]+$/.test(token)) return isSame(written, decimalOf(String(value)));
  const digits = written.digits.length;
  if (digits <= sufficientDigits && (digits === 0 || Math.abs(value) >= smallestNormal)) return true;
  return digits <= writableDigits && isSame(written, decimalOf(value.toPrecision(digits)));
}

/** A number without its sign: `digits`, without zeros at either end, followed by `exponent` zeros. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

function decimalOf(token: string): Decimal {
  const [, whole = "", fraction = "", power = "0"] =
    /^-?([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/.exec(token) ?? [];
  const padded = whole + fraction;
  const end = lengthWithoutZeros(padded);
  const digits = padded.slice(0, end).replace(/^0+/, "");
  const exponent = Number(power) - fraction.length + (padded.length - end);
  return digits === "" ? { digits, exponent: 0 } : { digits, exponent };
}

/** Not /0+$/, which needs quadratic time when another character follows the zeros. */
function lengthWithoutZeros(text: string): number {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x30) end -= 1;
  return end;
}

function isSame(one: Decimal, other: Decimal): boolean {
  return one.digits === other.digits && one.exponent === other.exponent;
}
