// Owns the table of lexicons. Must never contain words of a language.

import { german } from "./de.ts";
import { english } from "./en.ts";
import { spanish } from "./es.ts";
import { french } from "./fr.ts";
import { italian } from "./it.ts";
import type { Language } from "./language.ts";
import type { Lexicon } from "./lexicon.ts";
import { portuguese } from "./pt.ts";

export const lexicons: Readonly<Record<Language, Lexicon>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  pt: portuguese,
  it: italian,
};
