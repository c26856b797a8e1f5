// Owns the singular and plural of counted things in messages.

/** "1 character", "2 characters". Irregular plurals are given: counted(2, "memory", "memories"). */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}
