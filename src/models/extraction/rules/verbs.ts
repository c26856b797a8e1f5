// Owns which English words are base forms and past tenses of verbs. Must never determine a tense from anything but the word itself.

import { words } from "./lexicon/lexicon.ts";

/** Forms that are the same after "I" and after a name: past tenses and auxiliary verbs. */
const unchanged = words(
  `is was has does had did will would can could should must may might shall cannot won't wouldn't can't couldn't shouldn't mustn't
   didn't hadn't wasn't isn't hasn't doesn't used
   went got made took saw came knew thought told felt left kept held brought bought began found gave met ran said sat sent
   spoke spent stood swam taught understood wrote won became broke built caught chose drew drank drove ate fell flew forgot grew
   heard led lost paid rode rose sang slept sold stole threw woke wore dreamt learnt fought hung meant shot hid blew bit
   bred dealt dug fed froze laid lent lit overcame rang sank shook shone stuck struck swore tore withdrew cut set put quit hit let`,
);
/** Verbs that end in "-ed" in the present tense. */
const presentInEd = words("need feed breed exceed proceed succeed speed bleed heed embed seed weed");

/** Base forms of verbs that are rarely nouns. */
const onlyVerbs = words(
  `accept achieve adopt agree allow apply appreciate arrange ask attend avoid bake be become begin believe belong borrow bring build
   buy carry choose collect come commit commute complain compose connect consider consist contain continue create deal decide
   defend deliver depend deploy describe develop discuss do donate draw earn eat edit encourage enjoy enter exercise expect explain
   explore feed find finish follow forget forgive get give go grow handle happen have hear hire imagine improve include
   inform install introduce invent invite join keep know learn leave listen live lose maintain make manage marry meet merge miss
   mix organise organize own pay perform practise prefer prepare prevent print produce publish pull push quit read receive
   recommend record recycle relax remain remember remind renovate rent repair replace restore retire return run save say see seem sell
   send serve sew sing sit skip sleep speak specialise specialize spend stand start stay stop store suffer supervise suppose swim
   take teach tell think translate travel trust try understand update upload use visit volunteer wait wake walk wash watch wear win
   wish wonder write am have put set cut shut don't haven't ain't wanna gonna gotta`,
);
/** Base forms of verbs that are often nouns or adjectives too. */
const alsoNouns = words(
  `answer book call camp care change check claim clean climb close coach comment cook cost cover crave cycle dance date design dislike
   dream dress drink drive end exit face fear feel fight file fill fix fly foster function garden guess guide hand hate head help hike
   hope host hunt hurt jog joke judge juggle laugh lead lie lift light like limit live log look love mail mark mean mind model move
   name need notice number offer open order pack paint park pass phone photograph pick place plan plant play point post practice
   present program promise question race raise reach reply report request research rest ride row sail score search share ship shop
   show sign sketch ski smell smoke snack sort stream struggle study support surf swap talk tend test thank tidy tour track trade
   train treat turn tutor value view vote want watch water weigh welcome work worry wrap`,
);

export function isPastTense(verb: string): boolean {
  const lower = verb.toLowerCase();
  return (
    (/ed$/.test(lower) && !presentInEd.has(lower)) ||
    (unchanged.has(lower) && !/^(?:is|has|does)$/.test(lower))
  );
}

/** Whether the word is an infinitive: "love", "don't". */
export function isBaseForm(word: string): boolean {
  const lower = word.toLowerCase();
  return onlyVerbs.has(lower) || alsoNouns.has(lower) || presentInEd.has(lower);
}
