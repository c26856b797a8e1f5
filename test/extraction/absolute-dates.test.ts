// Tests absolute dates: what each phrase becomes, what is ambiguous and stays, and that nothing is changed twice.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { withAbsoluteDates } from "../../src/extraction/rules/absolute-dates.ts";

/** A Thursday. */
const said = Date.parse("2027-03-11T15:00:00Z");
const dated = (sentence: string) => withAbsoluteDates(sentence, said);

describe("a relative date becomes an absolute one", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["Yesterday I sold the boat.", "On 10 March 2027 I sold the boat."],
    ["I saw him just yesterday.", "I saw him on 10 March 2027."],
    ["We met the day before yesterday.", "We met on 9 March 2027."],
    ["I cooked last night.", "I cooked on the night of 10 March 2027."],
    ["I ran this morning.", "I ran on the morning of 11 March 2027."],
    ["The exam is tomorrow.", "The exam is on 12 March 2027."],
    ["I fly the day after tomorrow.", "I fly on 13 March 2027."],
    ["I bought a piano last Saturday.", "I bought a piano on Saturday 6 March 2027."],
    ["I bought a piano last Sat.", "I bought a piano on Saturday 6 March 2027."],
    ["We met on Monday and talked.", "We met on Monday 8 March 2027 and talked."],
    ["I will see her on Monday.", "I will see her on Monday 15 March 2027."],
    ["I painted last weekend.", "I painted on the weekend of 6 March 2027."],
    ["We will hike this weekend.", "We will hike on the weekend of 13 March 2027."],
    ["I was ill last week.", "I was ill in the week before 11 March 2027."],
    ["The course starts next week.", "The course starts in the week after 11 March 2027."],
    ["They married last month.", "They married in February 2027."],
    ["I am moving next month.", "I am moving in April 2027."],
    ["I quit last year.", "I quit in 2026."],
    ["I went to Rome last summer.", "I went to Rome in the summer of 2026."],
    ["I started two days ago.", "I started on 9 March 2027."],
    ["I left three weeks ago.", "I left three weeks before 11 March 2027."],
    ["I left a few weeks ago.", "I left a few weeks before 11 March 2027."],
    ["She was born four months ago.", "She was born in November 2026."],
    ["I moved here 10 years ago.", "I moved here in 2017."],
    ["I graduated in June.", "I graduated in June 2026."],
    ["My dog died in June.", "My dog died in June 2026."],
    ["I will graduate in June.", "I will graduate in June 2027."],
    ["It was opened on March 3rd.", "It was opened on 3 March 2027."],
    ["The fair was on the 5th of December.", "The fair was on 5 December 2026."],
    ["I am away from 18 to 26 June.", "I am away from 18 to 26 June 2027."],
    ["The party is on Saturday 13 March at six.", "The party is on Saturday 13 March 2027 at six."],
    ["I have had it since last year.", "I have had it since 2026."],
  ];
  for (const [before, after] of cases)
    test(before, () => expect(dated(before)).toEqual({ text: after, isDated: true, isRelative: false }));
});

describe("what may mean two days stays", () => {
  for (const sentence of [
    "I start next Friday.",
    "We met on Thursday.",
    "We go there in winter.",
    "I may march with them.",
    "It was born in a storm on Mars.",
    "I learned it in five days.",
    "Yesterday's soup was good.",
    "It feels like yesterday.",
    "I booked the hut for 20 June.",
    "I bought a ticket for the fair in June.",
    "It feels like just yesterday.",
  ])
    test(sentence, () => expect(dated(sentence).text).toBe(sentence));
});

test("an absolute date stays", () => {
  for (const sentence of ["I was born on 7 May 2001.", "We met on 3 March 2020.", "I came in June 2019."])
    expect(dated(sentence)).toEqual({ text: sentence, isDated: true, isRelative: false });
});

test("a sentence without a date stays, and is not dated", () => {
  expect(dated("I like tea.")).toEqual({ text: "I like tea.", isDated: false, isRelative: false });
});

test("what was made absolute is never changed again", () => {
  const words = fc.constantFrom(
    ..."yesterday|last Friday|on Monday|in June|last week|this weekend|two years ago|next month|tonight|I went|to Rome|and|on May 4".split(
      "|",
    ),
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 8 }), (parts) => {
      const once = dated(parts.join(" ")).text;
      expect(dated(once).text).toBe(once);
    }),
  );
});
