// Owns the search for network and telemetry functions in native libraries. The build refuses a library that contains one.
// Must never be used as a defence against malicious files: it searches for names and does not detect obfuscation.

/** System functions. In ELF, Mach-O and PE files the name of an imported function ends with a zero byte. */
const networkFunctions = ["getaddrinfo", "gethostbyname", "socket", "wsastartup", "popen"] as const;

/** System libraries and frameworks for network access, whether linked or loaded at run time. */
const networkLibraries = [
  "winhttp",
  "wininet",
  "ws2_32",
  "wsock32",
  "dnsapi",
  "urlmon",
  "iphlpapi",
  "nsurlsession",
  "cfnetwork",
  "network.framework",
  "libcurl",
] as const;

/** Contained in ONNX Runtime 1.29 and 1.30 for Linux and macOS, but not in 1.27 and older. */
const telemetry = [
  "events.data.microsoft.com",
  "onecollector",
  "mat-debug",
  "ort_disable_telemetry",
] as const;

const marks: readonly string[] = [
  ...networkFunctions.map((name) => `${name}\0`),
  ...networkLibraries,
  ...telemetry,
];

/** @returns the names of network and telemetry functions in the bytes of a native library; [] if there are none */
export function networkMarks(library: Uint8Array): string[] {
  const text = lowerCase(library);
  return marks.filter((mark) => text.includes(mark)).map((mark) => mark.replace("\0", ""));
}

/** A loop over bytes is ten times faster than a string of 40 MB. */
function lowerCase(bytes: Uint8Array): Buffer {
  const lower = Buffer.from(bytes);
  for (let index = 0; index < lower.length; index++) {
    const byte = lower[index] ?? 0;
    if (byte >= 65 && byte <= 90) lower[index] = byte + 32;
  }
  return lower;
}

/** @throws Error when the library contains such a name */
export function requireOffline(name: string, library: Uint8Array): void {
  const found = networkMarks(library);
  if (found.length > 0) {
    const names = found.join(", ");
    throw new Error(
      `${name} contains network or telemetry functions (${names}). Install a version of its package without them.`,
    );
  }
}
