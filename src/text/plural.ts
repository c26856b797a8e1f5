// Owns how a message counts something in English. Every message with a number of things uses it.

/** "1 character", "2 characters"; `plural` where an "s" is not enough: counted(2, "memory", "memories"). */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}
