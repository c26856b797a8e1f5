// Owns the English words by which a sentence is dropped: questions, small talk, speculation, and what says nothing alone.

import { type DropReason, opening, phrases } from "./lexicon.ts";

const feelings =
  "annoying|boring|grumpy|bumpy|proud|nervous|excited|exciting|happy|tired|lovely|awesome|amazing|chaos|calm|funny|fun|weird|delicious|beautiful|great|good|nice|cool|fast|tough|wild|crazy|insane|perfect|wonderful|fantastic|incredible|inspiring|powerful|terrible|awful|bad|sad|scary|stressful|exhausting|exhausted|mixed|pleased|relieved|busy|swamped|welcome|helpful|interesting|impressive|adorable|cute|gorgeous|stunning|sweet|rough|worried|hungry|sleepy|bored";

export const englishDrops: Readonly<Record<DropReason, readonly RegExp[]>> = {
  question: [
    opening(
      "(?:so |and |but |well |ok |okay |hey )?(?:what|who|whom|whose|which|where|when|why|how)(?:'s|'re|'d)? (?:is|are|was|were|do|does|did|can|could|would|should|will|have|has|about|many|much|long|often|come|else|kind|time)",
      "(?:do|does|did|are|can|could|would|will|shall|should|have|has|is|was|were|isn't|aren't|don't|didn't|won't|wouldn't|couldn't|shouldn't) (?:you|we|i|they|he|she|it|there|that|this|anyone|somebody|someone)(?! always| never)",
      "(?:any (?:idea|chance|thoughts|plans|news|tips|advice)|anyone know|i wonder|wondering (?:if|whether|how))",
    ),
  ],
  smallTalk: [
    phrases(
      `(?:is|was|are|were|am|i'm|it's|that's|looks?|looked|feels?|felt|sounds?|went|been|slept)(?: not)?(?: so| really| very| a bit of a| a bit| a little| pretty| quite| too| just| super| totally| all| such an?)? (?:${feelings})`,
      "(?:must|has to|have to|need to|i) (?:say|admit|confess)",
      "must be (?:kidding|joking|nice|great|fun|hard|tough|so|exciting|amazing|lovely|tired|proud|wonderful|crazy|hilarious)",
      "(?:you'll|you will) (?:do|be) (?:fine|great|ok)",
      "(?:never|always) (?:mind|forget|wanted|thought|knew|dreamed|seen|seems?|happens?|a (?:pleasure|good))",
      "as i type",
      "i (?:hope|bet|know|see|swear|laughed|cried|agree)",
      "hereby granted",
      "sent from my",
      "this message is confidential",
      "(?:before|so|in case) i (?:don't )?forget$",
      "said a few words",
    ),
    opening(
      "(?:hi|hello|hey|good (?:morning|evening|afternoon|night|luck|job|point|question)|greetings|dear|welcome|bye|goodbye|see you|see ya|talk (?:soon|to you)|take care|cheers|thanks|thank you|thx|congrats|congratulations|happy (?:birthday|new year)|sorry|no worries|no problem|you're welcome|sounds (?:good|great|like)|great|nice|cool|awesome|amazing|perfect|wow|haha|lol|ha|yay|aw+|ok|okay|sure|got it|yep|yeah|yes|no|nope|absolutely|exactly|totally|agreed|right|indeed|of course|certainly|definitely|fine)[\\s!.,…👍🙂😊-]*$",
      "(?:thanks|thank you|thx|many thanks|congrats|congratulations|i appreciate|glad|happy to|so glad|so happy|so proud|so excited|can't wait|looking forward|hope (?:you|this|that|all)|i hope|let me know|feel free|have a (?:great|good|nice)|enjoy (?:your|the)|keep (?:it up|me posted|us posted|going)|good (?:to|for)|great (?:to|job|work)|nice (?:to|job|work)|sounds|that's|that is|that sounds|this is (?:so|great|amazing|awesome)|how (?:nice|cool|awesome|lovely|exciting)|what a|no worries|i'm (?:so |really |very )?(?:sorry|glad|happy|proud|excited|grateful|thankful|sure|afraid|tired|fine|good|okay|ok|doing|feeling|in awe|here)|i am (?:so |really |very )?(?:sorry|glad|happy|proud|excited|grateful|sure)|best regards|kind regards|sincerely|yours)",
    ),
    phrases(
      "nice to (?:meet|see|hear)",
      "good to (?:see|hear)",
      "how are you",
      "never mind",
      "just kidding",
      "as an ai",
      "i(?:'d| would) be happy to",
    ),
  ],
  speculation: [
    phrases(
      "maybe",
      "perhaps",
      "possibly",
      "might",
      "not sure",
      "no idea",
      "i guess",
      "i suppose",
      "i wonder",
      "what if",
      "(?:could|would) be (?:nice|great|cool|good|fun|interesting|worth)",
      "(?:we|i|they|you) could",
      "(?:i|we) (?:think|believe|feel like|assume|imagine) (?:we|i|you|it|they|that|this|there|about|of)",
      "thinking (?:about|of)",
      "considering",
      "probably",
      "presumably",
      "apparently",
      "it seems",
      "seems? (?:like|to)",
      "rumou?r",
      "someone (?:said|mentioned|told)",
      "i(?:'ve)? heard",
      "if i (?:were|had|could|ever|win)",
      "i wish",
      "hopefully",
      "undecided",
      "to be (?:decided|determined|confirmed|discussed)",
      "tbd",
      "open question",
      "(?:should|shall) we",
      "don't know",
      "can't remember",
      "unclear",
      "one day",
      "someday",
    ),
  ],
  unclear: [
    opening(
      "(?:it|that|this|these|those|they|he|she|him|her|them|his|their|its|such)(?:'s|'re|'ll|'d|'ve)?",
      "(?:then|also,? (?:it|that|this|they)|and (?:it|that|this|they|he|she)|but (?:it|that|this|they|he|she)|so (?:it|that|this|they))",
      "(?:here|there)(?:'s| is| are| you go)",
      "(?:which|because|since|as (?:well|mentioned|discussed|said)|like (?:i|that|this)|see |e\\.g|i\\.e|for example|for instance)",
    ),
  ],
};
