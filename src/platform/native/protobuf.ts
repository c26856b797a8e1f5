// Writes the subset of the protobuf wire format that small ONNX models need. Must never become a general library.

/** A field of wire type 0; `value` is a non-negative integer below 2^31. */
export function varint(field: number, value: number): number[] {
  return [field << 3, ...base128(value)];
}

/** A field of wire type 2: its length and its bytes; for nested messages and strings. */
export function bytes(field: number, content: Iterable<number>): number[] {
  const payload = [...content];
  return [(field << 3) | 2, ...base128(payload.length), ...payload];
}

export function text(field: number, content: string): number[] {
  return bytes(field, new TextEncoder().encode(content));
}

/** Base-128 varint: seven bits per byte, lowest first; the top bit is set in all bytes but the last. */
function base128(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...base128(value >>> 7)];
}
