// Owns the patterns in which a secret follows its name. Each has the name in the group "name", where it matters, and the value in one
// of the other groups. Matches are candidates: named-values.ts decides.

import {
  adverbs,
  complement,
  keyWords,
  passwordWords,
  pinWords,
  shortPasswordWords,
  useVerbs,
  verbs,
} from "./secret-words.ts";

/** A value in quotation marks, or up to the next blank; trailing punctuation is removed later. */
const value = String.raw`(?:"(?<double>[^"\n]{1,300})"|'(?<single>[^'\n]{1,300})'|\x60(?<code>[^\x60\n]{1,300})\x60|[“„«‹‘](?<typographic>[^”“»›’\n]{1,300})[”“»›’]|(?<bare>(?:[^\s"'\x60,;&<>“”„«»]|&(?!\w{1,40}=)){1,2000}))`;
/** Between a name and a value in code, configuration and headers; in JSON the name has a closing quotation mark. */
const assignment = String.raw`["'\x60*_]{0,3}(?:[ \t]?[([][^)\]\n]{0,20}[)\]])?\s{0,3}(?::=|=>|->|→|==?|:)[*_]{0,2}\s{0,3}`;
const flags = "dgiu";

export const assignedPassword = new RegExp(`(?<name>${passwordWords})${assignment}${value}`, flags);
export const assignedShort = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?<name>${shortPasswordWords})${assignment}${value}`,
  flags,
);
/** "Password for the router: x" */
export const labelledPassword = new RegExp(
  String.raw`(?<![\p{L}\p{N}_-])(?<name>${passwordWords})${complement}[ \t]?:[ \t]+${value}`,
  flags,
);
/** In XML. */
export const taggedPassword = new RegExp(
  String.raw`<(?:[\w:-]{0,30})(?<name>pass(?:word|wd|phrase)|secret|token|api-?key)(?:\s[^<>]{0,80})?>(?<bare>[^<>\s]{4,200})<`,
  flags,
);
/** "x is my password", "x as the admin password" */
export const namedAfter = new RegExp(
  String.raw`(?<![^\s"'\x60(])(?<bare>[^\s"'\x60,;:()<>]{4,100})["'\x60]?[ \t]+(?:as|is|was|als|ist|war|comme|est|como|es|é|come|è)[ \t]+(?:the|my|our|your|his|her|das|mein|unser|dein|le|mon|notre|ton|la|mi|nuestra|tu|a|minha|nossa|mia|nostra|una?|ein)[ \t]+(?:\p{L}{1,20}[ \t]+){0,2}(?<name>${passwordWords})(?![\p{L}\p{N}_-])`,
  flags,
);
export const assignedKey = new RegExp(`(?<name>${keyWords})${assignment}${value}`, flags);
const spoken = String.raw`(?:[ \t]*["“”„»«'][^"“”„»«'\n]{1,40}["“”„»«'])?${complement}[ \t]*(?:(?<=['’\w])['’]s|[ \t](?<verb>${verbs}))(?:[ \t]+${adverbs})?(?:[ \t]*:\s{1,3}|[ \t]+)`;
export const spokenPassword = new RegExp(
  String.raw`(?<![\p{L}\p{N}_-])(?<name>${passwordWords})${spoken}${value}`,
  flags,
);
export const spokenKey = new RegExp(
  String.raw`(?<![\p{L}\p{N}_-])(?<name>${keyWords})${spoken}${value}`,
  flags,
);
export const suppliedPassword = new RegExp(
  String.raw`(?:(?<![\p{L}])(?:with|using|and|by|as|mit|und|avec|et|con|y|com|e|usando|/)[ \t]+|[,(][ \t]*)(?:(?:the|das|dem|le|la|el|o|a|il)[ \t]+)?(?<name>${passwordWords})[ \t]+${value}`,
  flags,
);
/** "use the password x" */
export const usedPassword = new RegExp(
  String.raw`(?<![\p{L}])(?:${useVerbs})[ \t]+(?:(?:the|this|my|our|das|dein|mein|unser|le|mon|notre|la|mi|nuestra|a|minha|nossa|mia|nostra)[ \t]+)?(?:\p{L}{1,20}[ \t]+)?(?<name>${passwordWords})[ \t]+${value}`,
  flags,
);
export const spokenPin = new RegExp(
  String.raw`(?<![\p{L}\p{N}_])(?<name>${pinWords})${complement}[ \t]*(?:[:=]|['’]s|[ \t](?:is|was|ist|lautet|est|es|é|è))(?:[ \t]+${adverbs})?[ \t]*:?[ \t]*(?<bare>\d{4,8}|\d{2}(?:-\d{2}){2,3})(?![\p{L}\d-])(?![ \t]*(?:digits?|characters?|stellen|stellig|chiffres|dígitos|cifre))`,
  flags,
);
export const option = new RegExp(
  String.raw`(?<=[\s(\x60])--?(?:[\w-]{0,40}[-_])?(?<name>pass(?:word|wd|phrase)?|pw|token|secret|api-?key|access-?key)[ =]${value}`,
  flags,
);
export const userOption = new RegExp(
  String.raw`\bcurl\b[^\n]{0,300}?\s(?:-u|--user)[ =]?["']?[^\s:"']{1,100}:(?<bare>[^\s"']{3,200})`,
  flags,
);
export const sshpass = new RegExp(String.raw`\bsshpass\s+-p\s*${value}`, flags);
export const authorization = new RegExp(
  String.raw`\b(?:authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:bearer|basic|token|digest|apikey)|bearer)\s+(?<bare>[A-Za-z0-9._~+/-]{12,4000}={0,2})`,
  flags,
);
export const pair = new RegExp(
  String.raw`(?<![\p{L}])(?:credentials?|log[- ]?in|zugangsdaten|anmeldedaten|identifiants?|credenciales|credenciais|credenziali)(?:${complement}[ \t]*(?:[:=]|[ \t](?:are|is|sind|lauten|sont|son|são|sono)))[ \t]*["'\x60]?[^\s:/|"'\x60]{1,60}["'\x60]?[ \t]*[/:|][ \t]*["'\x60]?(?<bare>[^\s"'\x60/]{4,100})`,
  flags,
);
export const seedPhrase =
  /(?:seed|recovery|mnemonic|backup)[- ](?:phrase|words?)(?:[ \t]+(?:is|are|for[ \t]+[^\n:]{1,40}))?[ \t]*[:=]?\s{1,3}["']?(?<bare>[a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})(?![a-z])/dgi;
