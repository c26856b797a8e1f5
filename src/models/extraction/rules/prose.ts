// Owns recognising text that is not prose in any language: code, logs, links and symbols. Must never depend on the words of a language.

/** Patterns of code, logs, commands and stack traces. */
const codeSigns: readonly RegExp[] = [
  /[;{}]\s*$/,
  /^\s*(?:[$%] |#!|>>> |\.\.\. |sudo |curl |git (?:\w+ )?-|npm (?:install|run|i )|npx |bun (?:install|run|add|x )|yarn |pnpm |pip3? install|docker (?:run|compose|build|pull)|cd [./~]|export \w+=|apt(?:-get)? |brew install|make \w+$|chmod |mkdir |cp |ssh )/,
  /^\s*(?:const|let|var|function|class|def|import|from \S+ import|export (?:default|const|function|class)|return\b.*[;(]|public|private|static|#include|using namespace|package \w+;|fn|func|if \(|for \(|while \(|else\b.*[{:]$|try:|except\b|@\w+\()(?=\s|\(|$).*[=(){};:<>]/,
  /^\s*(?:SELECT\b.+\bFROM\b|INSERT INTO|UPDATE \w+ SET|CREATE (?:TABLE|INDEX)|DELETE FROM|ALTER TABLE)/,
  /=>|===|!==|&&|\|\||::\w|\w\(\)|<\/?[a-z][\w-]*(?:\s[^>]{0,80})?>|\$\{|\w->\w/,
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*\]?\s+|\d\d:\d\d:\d\d[.,]\d+\s+)?\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|NOTICE|CRITICAL)\b\]?[: ]/,
  /^\s*(?:\d{4}-\d\d-\d\d[T ]|[A-Z][a-z]{2}\s+\d{1,2} |\[\w{3} )\d\d:\d\d:\d\d/,
  /^\s*at [\w.$<>/]+ ?\(|^\s*[A-Z]\w*(?:Error|Exception)\b|^\s*File "[^"]+", line \d+|^Traceback |Exception(?: in thread|:)|\bE[A-Z]{4,}:|^\s*\^+\s*$/,
  /^\s*["']?[\w.-]+["']?\s*[:=]\s*["'[{\d].*,?\s*$/,
  /^\s*[A-Z][A-Z0-9_]{2,}=\S/,
  /^\s*\S+\s*=\s*\S+$/,
  /^\s*(?:https?:\/\/|www\.)\S+\s*$/,
];

/** Whether a line is code, a log, a command or a link. */
export function isCodeLine(line: string): boolean {
  const start = line.slice(0, 300);
  return codeSigns.some((sign) => sign.test(start));
}

/** Whether a sentence consists mostly of words and has more than two. In scripts without spaces, characters count. */
export function isProse(sentence: string): boolean {
  const letters = sentence.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
  const symbols = sentence.match(/[^\p{L}\p{M}\p{N}\s.,'’"“”!?:()-]/gu)?.length ?? 0;
  if (letters < 6 || symbols * 3 > letters) return false;
  if (/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(sentence)) return true;
  const all = sentence.match(/[\p{L}\p{M}\p{N}'’.-]+/gu) ?? [];
  const distinct = new Set(all.map((word) => word.toLowerCase())).size;
  return (
    all.join(" ").split(/[ '’-]/).length >= 3 &&
    distinct * 2 > all.length &&
    all.every((word) => word.length <= 60)
  );
}
