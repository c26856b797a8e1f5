// Tests which statements are about one attribute: by examples, and on pairs of statements that somebody else has labelled.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { attributesOf } from "../../../src/memory/superseding/attribute.ts";
import { supersedes } from "../../../src/memory/superseding/superseding.ts";
import { isFound, judge, loadPairs } from "./labelled-pairs.ts";

const isSuperseded = (older: string, newer: string): boolean => isFound({ older, newer });

describe("the older statement is superseded", () => {
  test.each([
    ["Ana lives in Oslo.", "Ana moved to Bergen."],
    [
      "The user lives in Oslo.",
      "The user moved to Bergen in March because of a new job. (said on 2026-03-04)",
    ],
    ["The user lives in Oslo.", "The user moved to Bergen in the week before 23 November 2026."],
    ["The user lives in Oslo.", "The user moved to Bergen two weeks before 23 November 2026."],
    ["The user lives in Oslo.", "The user moved to Bergen on the weekend of 21 November 2026."],
    ["The user lives in Oslo.", "The user moved to Bergen on 22 November 2026."],
    ["The user lives in Oslo.", "The user moved to Bergen in October 2026."],
    ["Ana works at Acme.", "Ana joined Globex as an engineer."],
    ["Ana works at Acme.", "Ana no longer works at Acme."],
    ["Ana is single.", "Ana got engaged to Piotr."],
    ["Ana is a vegetarian.", "Ana eats meat again."],
    ["The user drinks coffee every morning.", "The user no longer drinks coffee."],
    ["Ana's favourite colour is blue.", "Ana's favourite colour is now green."],
    ["The user's manager is Priya.", "Tom is the user's new manager since March."],
    ["The team uses Jest for unit tests.", "The team switched from Jest to Vitest for unit tests."],
    ["The API listens on port 8080.", "The API now listens on port 9090."],
    ["The default branch is main.", "The default branch was renamed to trunk."],
    ["The deadline for the beta is 3 May.", "The deadline for the beta was moved to 10 May."],
    ["Releases go out on Tuesdays.", "Releases go out on Thursdays."],
    ["The standup is at 9:30.", "The standup was moved to 10:00."],
    ["Ana is looking for a job.", "Ana was hired by Initech."],
    ["Ana works at Globex.", "Ana was laid off in May."],
    ["Ana is a student at the university.", "Ana graduated in June."],
    ["Ana has no children.", "Ana gave birth to a girl."],
    ["Ana has a dog called Rex.", "Ana's dog Rex died."],
    ["Ana is allergic to nuts.", "Ana is no longer allergic to nuts."],
    ["Ana does not have a car.", "Ana bought a used Mazda."],
    ["The visa application of Ana is pending.", "The visa application of Ana was approved."],
    ["Bug 41 in the parser is open.", "Bug 41 was fixed."],
    ["The printer in the hall is broken.", "The printer in the hall was repaired."],
    ["Ana is the captain of the team.", "Ana stepped down and Ben is the captain now."],
    ["The feature flag new-search is enabled.", "The feature flag new-search was disabled."],
    ["The repository of the client is private.", "The repository of the client is public now."],
    ["Ana trains at FitHaus.", "Ana now trains at Ironworks."],
    ["The build of the client runs on Jenkins.", "The build of the client now runs on Buildkite."],
    ["Access logs are kept for 90 days.", "The retention period of access logs was shortened to 30 days."],
    ["The Pro plan costs 12 dollars.", "The price of the Pro plan went up to 15 dollars."],
    ["The review is held every two weeks.", "The team switched to a weekly review."],
    ["Ana reports to Levan.", "Ana's manager is Tamar."],
    ["Ana pays 800 euros rent.", "Ana's rent was raised to 900 euros."],
    ["The user pays 800 euros rent.", "The rent was raised from 800 to 900 euros."],
    ["Ana works from home.", "Ana now works in the office."],
    ["Ana's phone number is 555-0142.", "Ana changed her number."],
    ["The company is on the free plan of Jira.", "The company upgraded Jira to the paid plan."],
  ])("%s %s", (older, newer) => expect(isSuperseded(older, newer)).toBe(true));
});

describe("both stay", () => {
  test.each([
    ["Ana lives in Oslo.", "Ben moved to Bergen."],
    ["Ana lives in Oslo.", "Ana wants to move to Bergen."],
    ["Ana pays 800 euros rent.", "Ben's rent was raised from 800 to 900 euros."],
    ["The user pays 800 euros rent.", "Ben's rent was raised from 800 to 900 euros."],
    ["The user's rent is 800 euros.", "The rent of the user's sister was raised to 900 euros."],
    ["The user's rent is 800 euros.", "The user's sister's rent was raised to 900 euros."],
    ["Ana has moved to Porto in 2043.", "Ana has moved to Porto in 2044."],
    ["Ana lives in Oslo.", "Ana lives in Oslo, Norway."],
    ["Ana lives in Oslo.", "Ana visited Bergen."],
    ["Ana works at Acme.", "Ana volunteers at a shelter."],
    ["Ana works at Acme.", "Ana no longer works at Globex."],
    ["The team uses Jest for unit tests.", "The team uses Playwright for browser tests."],
    ["The deadline for the beta is 3 May.", "The deadline for the release is 10 May."],
    ["The standup is at 9:30.", "The standup is on Mondays."],
    ["Ana lives in Oslo.", "Ana says that Ben lives in Bergen."],
    ["The user has a dog called Biscuit.", "The user's neighbour's dog Rex died."],
    ["The user has a dog called Biscuit.", "The user's cat Luna died."],
    ["Ana works at Globex.", "Ana's brother was laid off in May."],
    ["Ana is looking for a job.", "Ben found a job at Initech."],
    ["Ana is a student.", "Ana's sister graduated in June."],
    ["Bug 41 in the parser is open.", "Bug 42 in the parser was fixed."],
    ["The visa application of Ana is pending.", "The visa application of Ben was approved."],
    ["The invoice for March is unpaid.", "The invoice for February was paid."],
    ["The login page is broken.", "The signup page was fixed."],
    ["Ana does not have a car.", "Ana bought a bicycle."],
    ["Ana does not have a bicycle.", "Ana bought a lock for the bicycle of her son."],
    ["The project has no Windows support.", "The project has good documentation and was released in May."],
    ["The mobile app has no dark mode.", "The web app supports dark mode."],
    ["Ana is the captain of the team.", "Ben stepped down as treasurer, said Ana."],
    ["Ana is the lead of the data team.", "Ana resigned from the tennis club."],
    ["The user is allergic to cats.", "The user can tolerate spicy food."],
    ["The user is allergic to peanuts.", "The user's son is no longer allergic to peanuts."],
    ["The Pro plan costs 12 dollars.", "The Basic plan was raised to 6 dollars."],
    ["The stand-up is at 9:30.", "The planning was moved to 11:00."],
    ["The stand-up takes 15 minutes.", "The retrospective was shortened to 45 minutes."],
    ["The API timeout is 30 seconds.", "The database timeout was raised to 60 seconds."],
    ["Access logs are kept for 90 days.", "Audit logs were shortened to 30 days."],
    ["The user runs 5 kilometres a day.", "The user raised the weekly budget to 50 euros."],
    ["The user has a meeting on Monday.", "The user's dentist appointment was moved from Monday to Tuesday."],
    ["The user pays 800 euros rent.", "The user's salary went up to 4,000 euros."],
    ["The test suite takes 12 minutes.", "The build time was reduced to 3 minutes."],
    ["The server has 16 gigabytes of memory.", "The disk of the server was enlarged to 500 gigabytes."],
    ["The user weighs 80 kilograms.", "The user raised the deadlift to 120 kilograms."],
    ["Version 2.4 of the library is used in the API.", "The frontend was upgraded to 3.1."],
    ["Ana has two children.", "Ana's sister gave birth to her second child."],
    ["Ana has no children.", "Ana's sister became a mother."],
    ["Ana works part-time.", "Ben works full-time now."],
    ["Ana is on parental leave.", "Ana's colleague returned from parental leave."],
    ["Ana is in hospital.", "Ana's mother was discharged from hospital."],
    [
      "The coffee machine on the second floor is broken.",
      "The coffee machine on the third floor was repaired.",
    ],
    ["Ana lives with her parents.", "Ana's brother moved out."],
    ["Ana rents a flat in Oslo.", "Ana bought the house plants for her office."],
    ["Ana has a gym membership.", "Ana cancelled the newspaper subscription."],
    ["The contract with Acme is not signed.", "The contract with Globex was signed."],
    ["The team uses Slack.", "The team upgraded the server to Debian 13."],
    ["The service is in region eu-west.", "The other service was moved to us-east."],
    ["The company is on the free plan of Jira.", "The company moved the Slack workspace to the paid plan."],
    ["Ana works from home.", "Ana works from the office on Tuesdays."],
    ["The report is not finished.", "The budget report of the other team was finished."],
    ["The dishwasher is broken.", "The washing machine was repaired."],
    ["The meeting with Acme is on 3 May.", "The meeting with Globex was moved to 10 May."],
    ["The user reads 24 books a year.", "The user lowered the number of meetings to 3."],
    ["The user studies physics.", "The user graduated from driving school."],
    ["Ana takes vitamin D.", "Ana finished the course on pottery."],
    ["Ana goes to FitHaus gym.", "Ana cancelled the FitHaus yoga class on Friday."],
    ["The user is vegetarian.", "The user moved to Berlin."],
    ["Ben's phone number is 555-0142.", "Ben changed his bank account."],
    ["Ana reports to Levan.", "Levan reports to Tamar."],
    ["Ana's manager is Tamar.", "Ana reports the bug to Levan."],
    ["The team has no designer.", "The team hired two developers and added tests."],
    ["The API has no rate limit.", "The API received three awards."],
    ["Ana has no driving licence.", "Ana got a fishing licence."],
    ["Ana broke her arm.", "Ana repaired her bike."],
    ["The parser is slow.", "The parser was fixed."],
    ["The ticket for the concert is available.", "The ticket for the concert was booked."],
    ["Ana is sick.", "Ana recovered the deleted files."],
    ["The dinner is booked at Sole.", "The dinner for the team is booked at Luna."],
    ["Ana works at Acme.", "Ana now works on the parser."],
    ["The team uses Slack.", "The team now uses Figma."],
    ["Ana lives in Oslo.", "Ana now lives her dream."],
    ["The door of the lab is open.", "The door of the office is closed."],
    ["The feature flag new-search is enabled.", "The feature flag old-search was disabled."],
    ["Comments are optional.", "Tests are mandatory now."],
    ["The beta is free.", "The invoice was paid."],
    ["Ana goes to yoga on Mondays.", "Ana now goes to work by bike."],
    ["The service logs to stdout.", "The service now logs errors to Sentry."],
    ["The library is open.", "The library closed a deal."],
    ["Ana is away.", "The dog is back."],
    ["The build runs on Linux.", "The build now runs on every push."],
    ["The job runs at 2:00.", "The job now runs on a bigger machine."],
    ["The user pays with a credit card.", "The user now pays 20 euros a month."],
    ["Ana prefers tea.", "Ana now prefers short meetings."],
    ["The meeting starts at 9:00.", "The meeting now starts with a short review."],
    ["Ana studies physics.", "Ana now studies at night."],
    ["The team meets on Mondays.", "The team now meets in room Orion."],
  ])("%s %s", (older, newer) => expect(isSuperseded(older, newer)).toBe(false));
});

test("any text is read, its keys are bounded, and no statement supersedes itself", () => {
  const words = fc.constantFrom(
    ..."Ana the user's manager is moved to Oslo from Bergen was lives in works at for no longer uses Jest 8080 port of on".split(
      " ",
    ),
  );
  const text = fc.oneof(
    fc.string({ maxLength: 400 }),
    fc.array(words, { maxLength: 40 }).map((each) => each.join(" ")),
  );
  fc.assert(
    fc.property(text, (content) => {
      for (const { key } of attributesOf(content)) expect(key.length).toBeLessThanOrEqual(200);
      expect(supersedes(content, content)).toBe(false);
    }),
    { numRuns: 5_000 },
  );
});

test("of pairs that somebody else has labelled, nearly all that are found are right", () => {
  const pairs = loadPairs();
  expect(pairs.filter(({ isSuperseded }) => isSuperseded)).toHaveLength(200);
  expect(pairs).toHaveLength(400);
  for (const half of ["seen", "unseen"]) {
    const { found, right, labelled } = judge(pairs.filter((pair) => pair.half === half));
    expect(right / found).toBeGreaterThanOrEqual(0.95);
    expect(right / labelled).toBeGreaterThanOrEqual(0.35);
  }
});
