// Owns memories about a subject whose text does not name it, such as an observation about an entity: a memory is read alone.

export function aboutSubject(subject: string, text: string): string {
  const isNamed = text.toLowerCase().includes(subject.trim().toLowerCase());
  return isNamed || subject.trim() === "" ? text : `${subject}: ${text}`;
}
