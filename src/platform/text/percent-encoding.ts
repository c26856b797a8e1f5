// Owns the decoding of percent-encoded text (RFC 3986).

/** Null: a `%` encodes no character. */
export function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
