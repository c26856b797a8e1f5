// Owns what is no prose in any language: code, logs, links, symbols, and orders to the assistant that reads the text. Must never
// need a language's words for the first part.

/** Any of these makes a line code, a log, a command or a trace. */
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

/** Whether a line is code, a log, a command or a link rather than language. */
export function isCodeLine(line: string): boolean {
  const start = line.slice(0, 300);
  return codeSigns.some((sign) => sign.test(start));
}

/** Whether words make up most of it, and they are more than a word or two. Scripts without blanks count characters. */
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

/** Instructions to the assistant that reads the text, which are no memories whatever they order. */
const orders: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|rules?|prompts?|above|previous|prior|guidelines|everything)\b/i,
  /\b(?:reveal|print|output|show|dump|list|repeat|leak|expose|exfiltrate|send|return|delete|erase|remove|wipe|drop|purge|forget|store|save|insert|add)\b.{0,50}\b(?:memory|memories|system prompt|hidden prompt|your (?:prompt|instructions|rules))\b/i,
  /\b(?:reveal|print|output|show|dump|list|repeat|leak|expose|exfiltrate)\b.{0,20}\b(?:your|all|stored|every|other)\b.{0,30}\b(?:keys?|credentials|passwords?|secrets?|tokens?)\b/i,
  /\b(?:system prompt|jailbreak|developer mode|you are now|pretend to be|pretend you|new instructions?|as an ai|you are an? (?:ai|assistant|language model|helpful))\b/i,
  /<\/?(?:system|instructions?|prompt|assistant|user)>|\[\/?INST\]|<\|[^|]{1,20}\|>/i,
  /\b(?:ignorier\w*|vergiss|missachte)\b.{0,40}\b(?:anweisung\w*|regeln|vorherig\w*)|\b(?:lösche|verrate|zeige)\b.{0,40}\b(?:erinnerungen|systemprompt|passw\w+)/i,
  /\b(?:ignore[zr]?|oublie[zr]?|ignora|olvida|esqueça|ignore|dimentica)\b.{0,40}\b(?:instruc\w+|istruzioni|instruções|consignes|règles|reglas|regras|regole)/i,
  /\b(?:supprime[zr]?|révèle[zr]?|borra|elimina|revela|apaga|apague|cancella|rivela)\b.{0,40}\b(?:mémoires?|souvenirs|memorias?|memórias?|memorie|ricordi)/i,
];

export function isPromptInjection(sentence: string): boolean {
  return orders.some((order) => order.test(sentence));
}
