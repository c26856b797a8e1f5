// Owns the form of a tar archive (POSIX ustar) as backups use it: regular files with short names. Pure. Its reader refuses every other
// kind of member, because an archive may come from an attacker: links, folders, devices, and headers that rename or extend members.

export const blockBytes = 512;
/** An archive ends with two blocks of zeros. */
export const endBytes = 2 * blockBytes;

export interface TarMember {
  readonly name: string;
  readonly bytes: number;
}

/** The bytes after a member's content, up to the next block. */
export function paddingOf(bytes: number): number {
  return (blockBytes - (bytes % blockBytes)) % blockBytes;
}

const nameBytes = 100;
/** A long path is divided at a slash: the folder is in a field of its own. */
const folderAt = 345;
const folderBytes = 155;
const magic = "ustar\u000000";
const regularFile = "0";
/** Larger sizes are written in base 256, as GNU tar and bsdtar do. */
const octalMax = 0o77777777777;

/** @param mtimeMs milliseconds since 1970 */
export function tarHeader({ name, bytes }: TarMember, mtimeMs: number): Uint8Array {
  const header = Buffer.alloc(blockBytes);
  const { folder, rest } = splitName(name);
  header.write(rest, 0);
  header.write(folder, folderAt);
  header.write("0000600\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  writeSize(header, bytes);
  header.write(`${octal(Math.floor(mtimeMs / 1000), 11)}\0`, 136);
  header.write(regularFile, 156);
  header.write(magic, 257);
  header.write(`${octal(checksumOf(header), 6)}\0 `, 148);
  return header;
}

/**
 * @returns the member; null for the zeros at the end of the archive
 * @throws Error, with a clause as its message, when the block is not the header of a regular file
 */
export function readTarHeader(block: Uint8Array): TarMember | null {
  const header = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  if (header.every((byte) => byte === 0)) return null;
  if (octalAt(header, 148, 8) !== checksumOf(header)) throw new Error("a header of the archive is damaged");
  const type = header.toString("latin1", 156, 157);
  const folder = textAt(header, folderAt, folderBytes);
  const name = `${folder === "" ? "" : `${folder}/`}${textAt(header, 0, nameBytes)}`;
  if (type !== regularFile && type !== "\0") {
    throw new Error(`the archive contains ${JSON.stringify(name)}, which is not a regular file of a backup`);
  }
  const bytes = readSize(header);
  if (!Number.isSafeInteger(bytes)) throw new Error("a header of the archive is damaged");
  return { name, bytes };
}

function splitName(name: string): { folder: string; rest: string } {
  if (Buffer.byteLength(name) < nameBytes) return { folder: "", rest: name };
  const at = name.lastIndexOf("/");
  const [folder, rest] = [name.slice(0, Math.max(0, at)), name.slice(at + 1)];
  if (at < 0 || Buffer.byteLength(folder) >= folderBytes || Buffer.byteLength(rest) >= nameBytes)
    throw new Error(`the name ${name} is too long for an archive`);
  return { folder, rest };
}

function writeSize(header: Buffer, bytes: number): void {
  if (bytes <= octalMax) return void header.write(`${octal(bytes, 11)}\0`, 124);
  header.writeUInt8(0x80, 124);
  header.writeBigUInt64BE(BigInt(bytes), 128);
}

function readSize(header: Buffer): number {
  if (header.readUInt8(124) !== 0x80) return octalAt(header, 124, 12);
  return header.readUInt32BE(124) === 0x80000000 ? Number(header.readBigUInt64BE(128)) : Number.NaN;
}

/** The sum of all bytes, with spaces instead of the checksum itself. */
function checksumOf(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

function octalAt(header: Buffer, from: number, length: number): number {
  const text = textAt(header, from, length).trim();
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
}

function textAt(header: Buffer, from: number, length: number): string {
  const text = header.toString("utf8", from, from + length);
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}
