// Owns the question whether a double holds a JSON number as it is written. Knows no grammar: the number is well-formed.

const point = 0x2e;
const zero = 0x30;
const nine = 0x39;

/** So many decimal digits survive any double. */
const safeDigits = 15;
/** So many tell every double from all others. */
const sufficientDigits = 17;
/** As far as toPrecision goes. */
const writableDigits = 100;
/** Below, doubles have fewer digits. */
const smallestNormal = 2 ** -1022;

/** No underflow in so few characters. */
const shortCharacters = 24;

/** Whether a number is faithful at first sight, as nearly all are: no exponent and few digits. Spares them a slice. */
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
 * Whether the value that JSON.parse makes of the number between `start` and `end` is the one that was written. An integer has to be recorded as the same
 * integer. A number with a fraction or an exponent stands for a double (RFC 8259, section 6): it has at most the 17 digits that tell
 * a double from its neighbours, or is one written with more; overflow and underflow are no values of it.
 */
export function isFaithful(text: string, start: number, end: number): boolean {
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

/** A number without its sign: `digits` begin and end with another digit than 0 and are followed by `exponent` zeros. */
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

/** Not /0+$/, which takes quadratic time on zeros that something follows. */
function lengthWithoutZeros(text: string): number {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x30) end -= 1;
  return end;
}

function isSame(one: Decimal, other: Decimal): boolean {
  return one.digits === other.digits && one.exponent === other.exponent;
}
