// Owns recognising prompt injection: instructions to the assistant that reads the text. Covers the supported languages only.

/** Instructions to the assistant that reads the text. They are never memories. */
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

/** Whether the text contains an instruction to the assistant that reads it. */
export function isPromptInjection(sentence: string): boolean {
  return orders.some((order) => order.test(sentence));
}
