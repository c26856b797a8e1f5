// Owns saving an answer as a file. A link cannot name the project of an administrator's session, so the file is read first; browsers keep
// large ones on the disk.

/** The link must be there until the browser has begun to save. */
const keptMs = 60_000;

/** @throws TypeError when the connection ends before the file does */
export async function saveFile(response: Response, name: string): Promise<void> {
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), keptMs);
}
