// Owns the layout of generated text: wrapped comments and names. Knows no programming language.

/** Lines of at most `width` characters. Line breaks of the text stay; words are never split. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    return [...lines, line];
  });
}

export function indent(lines: readonly string[], by: string): string[] {
  return lines.map((line) => (line === "" ? "" : by + line));
}

/** `delete`, `all` becomes deleteAll. */
export function camelCase(words: readonly string[]): string {
  return words.map((word, index) => (index === 0 ? word : capitalised(word))).join("");
}

/** `delete`, `all` becomes DeleteAll. */
export function pascalCase(words: readonly string[]): string {
  return words.map(capitalised).join("");
}

export function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** memory_id becomes memoryId. */
export function camelCaseOf(snake: string): string {
  return camelCase(snake.split("_"));
}
