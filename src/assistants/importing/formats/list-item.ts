// Owns the beginning of a list item in Markdown (CommonMark 0.31, section 5.2), and the box of a task (GitHub Flavored Markdown).

const bullet = /^(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/;

export function isListItem(text: string): boolean {
  return bullet.test(text);
}

export function withoutBullet(text: string): string {
  return text.replace(bullet, "");
}
