"""Makes pairs that differ in one thing: real sentences edited by rule, and templates where the corpus is thin.

Each line of the result is label, kind, a, b. Label `same` keeps the meaning; `changed` and `different` must stay apart.
No text of the pair set or of the evaluation files may appear here; without_tests() drops it.
"""
import argparse
import csv
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from corpus import eval_texts
from select_text import Overlap

FIRST = """Alice Bob Carol David Emma Frank Grace Henry Ivy Jack Kate Liam Mia Noah Olivia Peter Quinn Rachel Sam Tina Uma Victor Wendy Xavier
Yara Zoe Ahmed Fatima Noor Kenji Yuki Priya Ravi Marco Elena Lucas Nina Omar Leila Jonas Hannah Chloe Sofia Mateo Diego Lucia Ingrid Lars Anna Ben
Clara Daniel Eva Felix Greta Hugo Iris Julia Karl Laura Max Nora Oscar Paula Rosa Simon Tom Vera Walter Anton Melinda Judith Nadia Astrid Jasper Till
Dora Elias Conrad Doris Mara Johan Jost Amy Brian Cathy Derek Ellen George Helen Ian Jane Kevin Linda Mike Nancy Oliver Paul Ruth Steve Theresa""".split()
PLACE = """Paris London Berlin Madrid Rome Vienna Zurich Dublin Oslo Stockholm Lisbon Athens Prague Warsaw Cairo Nairobi Accra Lagos Tokyo Osaka Seoul
Hanoi Mumbai Delhi Sydney Toronto Denver Austin Chicago Boston Seattle Portland Dallas Miami Canada France Germany Spain Italy Japan Brazil Mexico
India China Kenya Egypt Norway Sweden Poland Turkey Greece Texas California Florida Ohio Nevada""".split()
TOOL = """Python Rust Java Kotlin Ruby PHP Swift Elixir Scala Haskell TypeScript JavaScript PostgreSQL MySQL SQLite MongoDB Redis Kafka RabbitMQ Docker
Podman Kubernetes Nomad Terraform Ansible React Vue Svelte Angular Django Flask FastAPI Rails Express Nginx Apache Caddy Jest Vitest Mocha Pytest
webpack Vite esbuild npm yarn pnpm pip poetry Grafana Datadog Prometheus Sentry Slack Teams Zoom Notion Jira Linear GitHub GitLab Bitbucket Vim Emacs
AWS Azure GCP Linux Windows macOS Chrome Firefox Safari""".split()
MONTH = "January February March April May June July August September October November December".split()
DAY = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
COLOUR = "red blue green yellow black white brown pink purple orange grey".split()
NUMBER = "one two three four five six seven eight nine ten eleven twelve".split()
ANIMAL = "dog cat horse rabbit parrot hamster cow sheep goat bird".split()
KIN = "mother father sister brother wife husband son daughter uncle aunt grandmother grandfather boss neighbour friend cousin colleague".split()
GROUPS = {"name": FIRST, "place": PLACE, "tool": TOOL, "month": MONTH, "weekday": DAY, "colour": COLOUR, "number word": NUMBER, "animal": ANIMAL, "kin": KIN}
OPPOSITES = """always/never with/without before/after more/less increase/decrease increases/decreases increased/decreased enable/disable enabled/disabled
allow/forbid allowed/forbidden open/close opened/closed first/last left/right minimum/maximum true/false love/hate loves/hates loved/hated
likes/dislikes accept/reject accepted/rejected buy/sell bought/sold start/stop started/stopped starts/stops import/export encrypt/decrypt above/below
won/lost everyone/nobody all/no remember/forget agree/disagree must/cannot should/shouldn't can/cannot will/won't is/isn't was/wasn't are/aren't
were/weren't has/hasn't have/haven't did/didn't does/doesn't do/don't could/couldn't would/wouldn't morning/evening day/night public/private
internal/external required/optional old/new big/small hot/cold good/bad happy/sad early/late fast/slow high/low long/short safe/dangerous man/woman
boy/girl men/women he/she his/her him/her husband/wife mother/father son/daughter brother/sister indoors/outdoors inside/outside up/down in/out
push/pull add/remove added/removed create/delete read/write upload/download success/failure succeeded/failed passes/fails manual/automatic
everything/nothing often/rarely usually/seldom hired/fired joined/left married/divorced vegetarian/carnivore single/married city/village
summer/winter spring/autumn north/south east/west lend/borrow teach/learn arrive/depart arrived/departed upstream/downstream client/server
parent/child input/output sender/receiver ascending/descending synchronous/asynchronous local/remote staging/production frontend/backend
likes/hates prefers/avoids prefer/avoid enjoys/dislikes enjoy/dislike want/refuse wants/refuses keep/discard include/exclude cheap/expensive
hard/easy rich/poor strong/weak young/old tall/short empty/full light/dark clean/dirty asleep/awake alive/dead win/lose borrow/lend
standing/sitting walking/running smiling/crying playing/watching eating/cooking holding/dropping riding/washing jumping/sleeping""".split()
OPPOSITE: dict[str, list[str]] = {}
for pair in OPPOSITES:
    one, two = pair.split("/")
    OPPOSITE.setdefault(one, []).append(two)
    OPPOSITE.setdefault(two, []).append(one)
RARE = {kind: re.compile(r"\b(" + "|".join(group) + r")\b") for kind, group in GROUPS.items()}
EMPTY = set("that this with from have been were they them then than what when will would could should there their about into over also some very just more most".split())
UNITS = [["ms", "seconds", "minutes", "hours", "days", "weeks", "months", "years"], ["KB", "MB", "GB", "TB"], ["km", "miles", "meters", "feet"],
         ["kg", "pounds", "grams", "mg"], ["dollars", "euros", "pounds", "yen"], ["%", "points"]]
NEGATABLE = r"\b(is|are|was|were|can|will|should|must|could|would|has|have|had|may|does|do|did)\b(?! not|n't)"


def other(value: str, group: list[str]) -> str:
    return random.choice([item for item in group if item != value])


def change_member(text: str) -> tuple[str, str] | None:
    """One member of a known group becomes another: a name, a place, a tool, a month, a colour."""
    found = [(match, kind) for match in re.finditer(r"\b[A-Za-z]+\b", text) for kind, group in GROUPS.items() if match[0] in group]
    if not found:
        return None
    match, kind = random.choice(found)
    return text[: match.start()] + other(match[0], GROUPS[kind]) + text[match.end() :], kind


def change_number(text: str) -> tuple[str, str] | None:
    found = [match for match in re.finditer(r"\d+(?:[.,:]\d+)*", text) if len(match[0]) < 12]
    if not found:
        return None
    match = random.choice(found)
    digits = list(match[0])
    places = [index for index, digit in enumerate(digits) if digit.isdigit()]
    for index in random.sample(places, 1 if random.random() < 0.8 else min(2, len(places))):
        lowest = 1 if index == 0 else 0
        digits[index] = random.choice([digit for digit in "0123456789"[lowest:] if digit != digits[index]])
    return text[: match.start()] + "".join(digits) + text[match.end() :], "number"


def change_unit(text: str) -> tuple[str, str] | None:
    for group in random.sample(UNITS, len(UNITS)):
        match = re.search(r"(?<=\d )(" + "|".join(group) + r")(?!\w)", text)
        if match:
            return text[: match.start()] + other(match[0], group) + text[match.end() :], "unit"
    return None


def turn_opposite(text: str) -> tuple[str, str] | None:
    found = [match for match in re.finditer(r"\b[a-z]+(?:n't)?\b", text) if match[0] in OPPOSITE]
    if not found:
        return None
    match = random.choice(found)
    return text[: match.start()] + random.choice(OPPOSITE[match[0]]) + text[match.end() :], "opposite"


def negate(text: str) -> tuple[str, str] | None:
    match = re.search(NEGATABLE, text)
    if match:
        if match[0] in ("do", "does", "did", "has", "have", "had") and re.match(r" (a|an|the|my|his|her|to|some|two|\w+ed)\b", text[match.end() :]):
            return None
        word = random.choice([" not", " never"] if match[0] not in ("do", "does", "did") else [" not"])
        return text[: match.end()] + word + text[match.end() :], "negation"
    match = re.match(r"(I|We|They|You) (like|love|want|need|know|use|work|live|eat|drink|play|have|speak|enjoy|own|think|read|write|watch|go|prefer|keep|take|drive|run)\b", text)
    if match:
        return f"{match[1]} {random.choice(['do not', chr(100) + 'on' + chr(39) + 't', 'never'])} {match[2]}" + text[match.end() :], "negation"
    match = re.match(r"([A-Z][a-z]+) (like|love|want|need|know|use|work|live|eat|drink|play|speak|enjoy|own|think|read|write|prefer|keep|drive|run)s\b", text)
    if match:
        return f"{match[1]} {random.choice(['does not', 'never'])} {match[2]}" + text[match.end() :], "negation"
    match = re.match(r"(Use|Run|Add|Set|Keep|Write|Create|Avoid|Check|Return|Store|Call|Test|Include|Make|Allow|Commit|Deploy|Log|Prefer|Install|Enable) ", text)
    if match:
        return random.choice(["Do not ", "Never ", "Don't "]) + text[0].lower() + text[1:], "negation"
    return None


def swap_two(text: str) -> tuple[str, str] | None:
    """Two names of one group, or two nouns behind articles, change places: who does it to whom."""
    words = [(match, kind) for match in re.finditer(r"\b[A-Za-z]+\b", text) for kind, group in GROUPS.items() if match[0] in group]
    couples = [(a, b) for i, (a, kind) in enumerate(words) for b, other_kind in words[i + 1 :] if kind == other_kind and a[0] != b[0]]
    kind = "names swapped"
    if not couples:
        nouns = list(re.finditer(r"(?<=\b(?:the|The|his|her|our) )([a-z]{3,})\b", text)) + list(re.finditer(r"(?<=\b[aA] )([a-z]{3,})\b", text)) + list(re.finditer(r"(?<=\b[mM]y )([a-z]{3,})\b", text))
        nouns.sort(key=lambda match: match.start())
        couples = [(a, b) for i, a in enumerate(nouns) for b in nouns[i + 1 :] if a[0] != b[0]]
        kind = "nouns swapped"
    if not couples:
        return None
    a, b = random.choice(couples)
    return text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :], kind


def swap_around(text: str) -> tuple[str, str] | None:
    """What stands left and right of a relation changes places: "from A to B", "A instead of B", "A before B"."""
    match = re.search(r"\bfrom ([\w./-]+) to ([\w./-]+\w)", text)
    if match and match[1] != match[2]:
        return text[: match.start()] + f"from {match[2]} to {match[1]}" + text[match.end() :], "relation turned"
    match = re.search(r"\b([\w./-]+) (instead of|rather than|before|after|over|than|replaces|into|not|above|below|beats|and not|depends on|calls|owns|follows) ([\w./-]+\w)", text)
    if match and match[1].lower() != match[3].lower():
        return text[: match.start()] + f"{match[3]} {match[2]} {match[1]}" + text[match.end() :], "relation turned"
    return None


def swap_words(text: str) -> tuple[str, str] | None:
    """Any two content words change places: whatever comes out, it is not the same statement."""
    words = [match for match in re.finditer(r"[\w'-]+", text) if (len(match[0]) > 3 or match[0][0].isupper() or match[0].isdigit()) and match[0].lower() not in EMPTY]
    couples = [(a, b) for i, a in enumerate(words) for b in words[i + 1 : i + 7] if a[0].lower() != b[0].lower()]
    if not couples:
        return None
    a, b = random.choice(couples)
    return text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :], "words swapped"


def permute_digits(text: str) -> tuple[str, str] | None:
    """3.2.1 becomes 3.1.2, 4417 becomes 4471, 14:20 becomes 12:40."""
    found = [match for match in re.finditer(r"\d[\d.,:/-]*\d", text) if len(set(re.findall(r"\d", match[0]))) > 1]
    if not found:
        return None
    match = random.choice(found)
    digits = list(match[0])
    places = [index for index, digit in enumerate(digits) if digit.isdigit()]
    a, b = random.choice([(a, b) for i, a in enumerate(places) for b in places[i + 1 :] if digits[a] != digits[b]])
    digits[a], digits[b] = digits[b], digits[a]
    return text[: match.start()] + "".join(digits) + text[match.end() :], "digits permuted"


def change_person(text: str) -> tuple[str, str] | None:
    table = {"I": ["He", "She", "They"], "my": ["his", "her", "their"], "My": ["His", "Her"], "me": ["him", "her", "them"], "He": ["She", "I"], "She": ["He", "I"], "we": ["they"], "We": ["They"], "our": ["their"]}
    found = [match for match in re.finditer(r"\b[A-Za-z]+\b(?!')", text) if match[0] in table]
    if not found:
        return None
    match = random.choice(found)
    return text[: match.start()] + random.choice(table[match[0]]) + text[match.end() :], "person"


def rare(text: str) -> list[tuple[str, str]]:
    """Edits of what the corpus seldom offers, so that each kind gets its quota: weekdays, months, units, names, places, colours."""
    made = []
    for kind in ("weekday", "month", "place", "colour", "kin", "number word", "name"):
        match = RARE[kind].search(text)
        if match and match[0] in GROUPS[kind]:
            made.append((text[: match.start()] + other(match[0], GROUPS[kind]) + text[match.end() :], kind))
    if unit := change_unit(text):
        made.append(unit)
    names = {match[0]: match for match in re.finditer(r"(?<!^)(?<![.!?] )\b[A-Z][a-z]{2,}\b", text)}
    if len(names) > 1:
        a, b = sorted(random.sample(list(names.values()), 2), key=lambda match: match.start())
        made.append((text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :], "names swapped"))
    return made


CHANGES: list[tuple[Callable[[str], tuple[str, str] | None], float]] = [
    (change_member, 3), (change_number, 3), (turn_opposite, 2.5), (negate, 2.5), (swap_two, 3), (swap_words, 3), (permute_digits, 3), (swap_around, 2), (change_unit, 1), (change_person, 0.7),
]
CONTRACTIONS = [("do not", "don't"), ("does not", "doesn't"), ("did not", "didn't"), ("is not", "isn't"), ("are not", "aren't"), ("cannot", "can't"), ("will not", "won't"),
                ("I am", "I'm"), ("I have", "I've"), ("it is", "it's"), ("It is", "It's"), ("that is", "that's"), ("They are", "They're"), ("We are", "We're"), ("should not", "shouldn't")]
SYNONYMS = [("big", "large"), ("begin", "start"), ("begins", "starts"), ("buy", "purchase"), ("quick", "fast"), ("photo", "picture"), ("car", "automobile"), ("kid", "child"), ("kids", "children"),
            ("movie", "film"), ("sofa", "couch"), ("doctor", "physician"), ("close to", "near"), ("maybe", "perhaps"), ("shop", "store"), ("also", "too"), ("nearly", "almost"), ("wants to", "would like to"),
            ("people", "persons"), ("street", "road"), ("job", "work"), ("enjoys", "likes"), ("huge", "enormous"), ("must", "has to"), ("need to", "have to"), ("talk", "speak"), ("bike", "bicycle"), ("mom", "mother"), ("dad", "father"), ("TV", "television"), ("because", "since"),
            ("use", "utilise"), ("folder", "directory"), ("repo", "repository"), ("delete", "remove"), ("error", "failure"), ("help", "assist"), ("choose", "pick"), ("finish", "complete"), ("make sure", "ensure")]


def reword(text: str) -> tuple[str, str] | None:
    """The same statement with other words of the same meaning, another date format, a contraction, a filler."""
    choice = random.random()
    match = re.search(r"\b(\d{1,2}) (" + "|".join(MONTH) + r"),? (\d{4})", text) or re.search(r"\b(" + "|".join(MONTH) + r") (\d{1,2}),? (\d{4})", text)
    if match:
        day, month, year = (match[1], match[2], match[3]) if match[1].isdigit() else (match[2], match[1], match[3])
        forms = [f"{day} {month} {year}", f"{month} {day}, {year}", f"{year}-{MONTH.index(month) + 1:02d}-{int(day):02d}", f"{day} {month[:3]} {year}"]
        return text[: match.start()] + random.choice([form for form in forms if form != match[0]]) + text[match.end() :], "date format"
    options = [(a, b) for a, b in CONTRACTIONS + SYNONYMS for a, b in ((a, b), (b, a)) if re.search(rf"\b{re.escape(a)}\b", text)]
    if options and choice < 0.75:
        a, b = random.choice(options)
        return re.sub(rf"\b{re.escape(a)}\b", b, text, count=1), "reworded"
    words = [index for index, word in enumerate(NUMBER) if re.search(rf"\b{word}\b", text)]
    if words and choice < 0.85:
        index = random.choice(words)
        return re.sub(rf"\b{NUMBER[index]}\b", str(index + 1), text, count=1), "reworded"
    if choice < 0.4:
        return None
    lowered = text[0].lower() + text[1:] if not text.startswith(("I ", "I'")) else text
    return random.choice([
        lambda: (text.rstrip(".!"), "trivial"), lambda: (text.rstrip(".") + "!", "trivial"), lambda: (text.lower(), "trivial"), lambda: ("Note that " + lowered, "filler"),
        lambda: ("Remember: " + text, "filler"), lambda: ("Please note: " + text, "filler"), lambda: ("FYI, " + lowered, "filler"), lambda: (text.replace(", ", " ", 1), "trivial"), lambda: ("  " + text.replace(" ", "  ", 1), "trivial"),
        lambda: ("Just so you know, " + lowered, "filler"), lambda: (text.upper(), "trivial"), lambda: ("- " + text, "trivial"),
    ])()


VERBS = """manages/managed/is managed by|hired/hired/was hired by|taught/taught/was taught by|called/called/was called by|sued/sued/was sued by|visited/visited/was visited by|invited/invited/was invited by
follows/followed/is followed by|paid/paid/was paid by|mentors/mentored/is mentored by|replaced/replaced/was replaced by|beat/beat/was beaten by|introduced/introduced/was introduced by
trusts/trusted/is trusted by|reviewed/reviewed/was reviewed by|emailed/emailed/was emailed by|adopted/adopted/was adopted by|drove/drove/was driven by|helped/helped/was helped by|married/married/was married by
owes/owed/is owed by|supervises/supervised/is supervised by|blocked/blocked/was blocked by|recommended/recommended/was recommended by|interviewed/interviewed/was interviewed by|nominated/nominated/was nominated by
photographed/photographed/was photographed by|hugged/hugged/was hugged by|forgave/forgave/was forgiven by|thanked/thanked/was thanked by|admires/admired/is admired by|assists/assisted/is assisted by""".replace("\n", "|").split("|")
TAILS = ["", "", " at work", " last year", " in {place}", " on {day}", " in {month}", " at the {event}", " during the project", " for {number} months", " yesterday"]
EVENT = ["conference", "party", "office", "meeting", "wedding", "concert", "gym"]
THINGS = ["budget", "contract", "release", "invoice", "report", "thesis", "rent", "visa", "review", "audit", "proposal", "homework", "renewal", "backup"]
# Each row: base, ways to say the same, what may change. Slots: {a} {b} names, {place} {place2}, {tool} {tool2}, {day}, {month}, {d}, {n}, {v}, {thing}, {food}, {colour}.
FRAMES = [
    ("{a} lives in {place}.", ["{a}'s home is in {place}.", "{place} is where {a} lives."]),
    ("The {thing} is due on {d} {month}.", ["The {thing} must be handed in by {d} {month}.", "The deadline for the {thing} is {month} {d}.", "{month} {d} is the due date of the {thing}."]),
    ("Never use {tool}.", ["Do not use {tool}.", "Don't ever use {tool}.", "{tool} must not be used."]),
    ("Always use {tool} for {n} services.", ["Use {tool} at all times for {n} services.", "For {n} services, always use {tool}."]),
    ("Use {tool} instead of {tool2}.", ["Use {tool} rather than {tool2}.", "Do not use {tool2}, use {tool}.", "{tool} should be used in place of {tool2}."]),
    ("We moved from {tool} to {tool2} in {month}.", ["In {month} we replaced {tool} with {tool2}.", "We switched to {tool2} from {tool} in {month}."]),
    ("{a} moved from {place} to {place2}.", ["{a} left {place} and moved to {place2}.", "{a} relocated to {place2} from {place}."]),
    ("{tool} is pinned to version {v}.", ["We pin {tool} at version {v}.", "The pinned version of {tool} is {v}."]),
    ("{a}'s birthday is on {d} {month}.", ["{a} was born on {month} {d}.", "{a} has a birthday on {d} {month}."]),
    ("{a} is allergic to {food}.", ["{a} has an allergy to {food}.", "{a} has a {food} allergy."]),
    ("I prefer {food} to {food2}.", ["I like {food} more than {food2}.", "I'd rather have {food} than {food2}."]),
    ("My favourite colour is {colour}.", ["The colour I like best is {colour}.", "{colour} is my favourite colour."]),
    ("{a} is older than {b}.", ["{b} is younger than {a}.", "{a} is the elder of {a} and {b}."]),
    ("{a} lent {n} dollars to {b}.", ["{b} borrowed {n} dollars from {a}.", "{b} got a loan of {n} dollars from {a}."]),
    ("{a} gave {b} a {colour} bicycle.", ["{b} received a {colour} bicycle from {a}.", "{a} gave a {colour} bicycle to {b}."]),
    ("{a} reports to {b}.", ["{b} is the manager of {a}.", "{a}'s boss is {b}."]),
    ("{a} sold the car to {b}.", ["{b} bought the car from {a}.", "The car was sold by {a} to {b}."]),
    ("{a} is taller than {b}.", ["{b} is shorter than {a}."]),
    ("The meeting with {a} is on {day} at {h}.", ["I meet {a} on {day} at {h}.", "{day} at {h} is when the meeting with {a} takes place."]),
    ("The timeout is {n} seconds.", ["It times out after {n} seconds.", "Timeout: {n} seconds."]),
    ("The limit is {n} requests per minute.", ["At most {n} requests a minute are allowed.", "Rate limit: {n} requests per minute."]),
    ("{tool} depends on {tool2}.", ["{tool2} is a dependency of {tool}.", "{tool} needs {tool2}."]),
    ("Port {n} is used by {tool}.", ["{tool} listens on port {n}.", "{tool} uses port {n}."]),
    ("{a} works as a {job} in {place}.", ["{a} is a {job} in {place}.", "In {place}, {a} has a job as a {job}."]),
    ("{a} has {k} children.", ["{a} is a parent of {k}.", "{a} has {k} kids."]),
    ("I weigh {n} kg.", ["My weight is {n} kg.", "My body weight is {n} kilograms."]),
    ("{a} starts the new job on {d} {month}.", ["{a}'s first day at the new job is {month} {d}.", "On {d} {month} {a} begins the new job."]),
    ("The flight to {place} leaves at {h}.", ["The departure of the flight to {place} is at {h}.", "We fly to {place} at {h}."]),
    ("{a} paid {n} euros for the {thing}.", ["The {thing} cost {a} {n} euros.", "For the {thing}, {a} paid {n} euros."]),
    ("Deploy to {place} before {place2}.", ["{place} is deployed first, then {place2}.", "Deploy {place2} only after {place}."]),
    ("I don't drink {food}.", ["I never drink {food}.", "I do not drink {food}."]),
    ("The {kin} of {a} is a {job}.", ["{a}'s {kin} works as a {job}.", "{a} has a {kin} who is a {job}."]),
    ("{a} plays tennis every {day}.", ["Every {day}, {a} plays tennis.", "{a} has tennis on {day}s."]),
    ("User prefers answers in {n} words or fewer.", ["Answers should have at most {n} words for the user.", "The user wants replies of no more than {n} words."]),
    ("The API key rotates every {n} days.", ["We rotate the API key each {n} days.", "API key rotation happens every {n} days."]),
    ("{a} went from {food} to {food2}.", ["{a} gave up {food} for {food2}.", "{a} changed from {food} to {food2}."]),
    ("{tool} goes into {place}, {tool2} into {place2}.", ["{tool2} belongs in {place2} and {tool} in {place}."]),
    ("{a} works in {place} and {b} in {place2}.", ["{b} has a job in {place2}, {a} one in {place}."]),
    ("The password of {tool} is {code}.", ["{code} is the {tool} password.", "{tool} password: {code}"]),
    ("Ticket {code} blocks ticket {code2}.", ["Ticket {code2} is blocked by ticket {code}."]),
    ("{a} got {n} votes, {b} got {n2}.", ["{b} received {n2} votes and {a} received {n}."]),
    ("Room {n} is upstairs, room {n2} is downstairs.", ["Room {n2} is downstairs and room {n} is upstairs."]),
    ("We went from {v} to {v2} of {tool}.", ["{tool} was upgraded from {v} to {v2}.", "{tool}: version {v} became {v2}."]),
    ("The {animal} bit the {animal2}.", ["The {animal2} was bitten by the {animal}."]),
    ("The {animal} is bigger than the {animal2}.", ["The {animal2} is smaller than the {animal}."]),
    ("The {job} sued the {job2}.", ["The {job2} was sued by the {job}."]),
    ("My {kin} called my {kin2} on {day}.", ["My {kin2} got a call from my {kin} on {day}."]),
    ("My {kin} drinks {food} but not {food2}.", ["My {kin} has {food}, never {food2}."]),
    ("{a} is the {kin} of {b}.", ["{b} has {a} as {kin}.", "{a} is {b}'s {kin}."]),
    ("The shift starts at {h} and ends at {h2}.", ["The shift is from {h} to {h2}.", "The shift ends at {h2} and starts at {h}."]),
    ("{place} is {n} km north of {place2}.", ["{place2} is {n} km south of {place}."]),
    ("{a} walked {n} {unit} on {day}.", ["On {day} {a} walked {n} {unit}."]),
    ("The file is {n} {size} large.", ["The file has a size of {n} {size}.", "File size: {n} {size}."]),
    ("It takes {n} {time}.", ["It lasts {n} {time}.", "The duration is {n} {time}."]),
    ("Sessions expire after {n} {time}.", ["A session ends after {n} {time}.", "After {n} {time} a session is no longer valid."]),
    ("{a} wore a {colour} shirt and a {colour2} hat.", ["{a} had a {colour2} hat and a {colour} shirt on.", "{a}'s hat was {colour2} and the shirt {colour}."]),
    ("The office is closed on {day} and open on {day2}.", ["On {day2} the office is open, on {day} it is closed."]),
    ("The holiday was moved from {month} to {month2}.", ["The holiday is in {month2} now, not in {month}."]),
    ("{a} speaks {language} but not {language2}.", ["{a} knows {language}, but no {language2}."]),
    ("{a} is learning {language}.", ["{a} studies {language}.", "{a} takes lessons in {language}."]),
    ("{a} voted for {b}, not for {c}.", ["{a} gave the vote to {b} rather than to {c}."]),
    ("{a} sits next to {b}, and {c} behind them.", ["{c} sits behind {a} and {b}, who are neighbours."]),
    ("{a} told {b} about {c}.", ["{b} heard about {c} from {a}."]),
    ("{a} likes {food}.", ["{a} enjoys {food}.", "{a} is fond of {food}."]),
]
LANGUAGE = "English German French Spanish Italian Dutch Polish Russian Turkish Greek Arabic Hindi Chinese Japanese Korean Swedish Danish".split()
FOOD = "peanuts coffee tea milk shellfish wine beer sushi pizza rice cheese honey chocolate strawberries tofu eggs oranges whiskey juice bread".split()
JOB = "nurse teacher plumber lawyer chef pilot farmer dentist electrician designer programmer writer painter driver baker".split()


def code() -> str:
    letters = "".join(random.choice("ABCDEFGHKMNPRSTUVWXZ") for _ in range(random.randint(2, 4)))
    return random.choice([f"{letters}-{random.randint(10, 99999)}", str(random.randint(1000, 999_999)), f"{random.choice(THINGS)}-{letters.lower()}-{random.randint(1, 99)}"])


def frames(count: int) -> list[list[str]]:
    rows: list[list[str]] = []
    for _ in range(count):
        def fill() -> dict[str, str]:
            (a, b), (p, q), (s, t), (f, g) = (random.sample(group, 2) for group in (FIRST, PLACE, TOOL, FOOD))
            return {"a": a, "b": b, "place": p, "place2": q, "tool": s, "tool2": t, "food": f, "food2": g, "d": str(random.randint(1, 28)),
                    "n": str(random.choice([random.randint(2, 99), random.randint(100, 9000)])), "k": random.choice(NUMBER[1:5]), "v": ".".join(str(random.randint(0, 20)) for _ in range(random.choice([2, 3]))),
                    "h": random.choice(["{}:{:02d}", "{} am", "{} pm"]).format(random.randint(1, 12), random.choice([0, 15, 30, 45])), "thing": random.choice(THINGS),
                    **dict(zip(("job", "job2"), random.sample(JOB, 2), strict=True)), **dict(zip(("kin", "kin2"), random.sample(KIN, 2), strict=True)),
                    **dict(zip(("animal", "animal2"), random.sample(ANIMAL, 2), strict=True)), **dict(zip(("code", "code2"), (code(), code()), strict=True)),
                    **dict(zip(("day", "day2"), random.sample(DAY, 2), strict=True)), **dict(zip(("month", "month2"), random.sample(MONTH, 2), strict=True)),
                    **dict(zip(("colour", "colour2"), random.sample(COLOUR, 2), strict=True)), **dict(zip(("language", "language2"), random.sample(LANGUAGE, 2), strict=True)),
                    "c": random.choice([name for name in FIRST if name not in (a, b)]), "unit": random.choice(UNITS[2]), "size": random.choice(UNITS[1]), "time": random.choice(UNITS[0][:7]), "n2": str(random.randint(2, 999)), "v2": ".".join(str(random.randint(0, 20)) for _ in range(random.choice([2, 3]))), "h2": f"{random.randint(1, 12)}:{random.choice(['00', '15', '30'])}",
                     "event": random.choice(EVENT), "number": random.choice(NUMBER[1:])}
        slots = fill()
        if random.random() < 0.4:
            active, _, passive = random.choice(VERBS).split("/")
            tail = random.choice(TAILS).format(**slots)
            base, same = "{a} " + active + " {b}" + tail + ".", ["{b} " + passive + " {a}" + tail + "."]
        else:
            base, same = random.choice(FRAMES)
        a, b = base.format(**slots), random.choice(same).format(**slots)
        a, b = a[0].upper() + a[1:], b[0].upper() + b[1:]
        rows.append(["same", "frame", a, b])
        names = [name for name in slots if "{" + name + "}" in base]
        fresh = fill()
        twins = [(x, y) for x, y in (("a", "b"), ("place", "place2"), ("tool", "tool2"), ("food", "food2"), ("job", "job2"), ("kin", "kin2"), ("animal", "animal2"), ("code", "code2"), ("n", "n2"), ("v", "v2"), ("h", "h2"), ("day", "day2"), ("month", "month2"), ("colour", "colour2"), ("language", "language2"), ("b", "c")) if x in names and y in names]
        if twins:
            x, y = random.choice(twins)
            turned = {**slots, x: slots[y], y: slots[x]}
            rows.append(["different", "frame turned", a, base.format(**turned)])
            rows.append(["different", "frame turned", a, random.choice(same).format(**turned)])
        moved = permute_digits(a) if random.random() < 0.5 else None
        if moved:
            rows.append(["changed", moved[1], a, moved[0]])
        if names:
            name = random.choice(names)
            if fresh[name] != slots[name]:
                kind = "different" if name in ("a", "b", "c") else "changed"
                rows.append([kind, "frame slot", a, base.format(**{**slots, name: fresh[name]})])
                if random.random() < 0.5:
                    rows.append([kind, "frame slot", a, random.choice(same).format(**{**slots, name: fresh[name]})])
        flipped = negate(a) or turn_opposite(a)
        if flipped and random.random() < 0.6:
            rows.append(["changed", flipped[1], a, flipped[0]])
    return rows


def without_tests(rows: list[list[str]], file: Path, folder: Path) -> list[list[str]]:
    """`rows` without those that share a text, or a run of five words, with the pair set; of six, with the evaluation files.

    And without edits that only changed the case, which our vocabulary does not see.
    """
    with open(file, newline="") as lines:
        texts = [row[side] for row in csv.DictReader(lines, delimiter="\t") for side in ("a", "b")]
    tests = [Overlap(texts, 5), Overlap(eval_texts(folder), 6)]
    return [row for row in rows if (row[0] == "same" or row[2].lower() != row[3].lower()) and not any(test.hit(text) for test in tests for text in row[2:])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=Path, required=True, help="units.tsv of select_text.py")
    parser.add_argument("--test", type=Path, default=Path(__file__).parent / "pairs-test.tsv", help="pairs to keep out")
    parser.add_argument("--eval", type=Path, required=True, help="evaluation files to keep out")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--real", type=int, default=180_000, help="pairs from edited sentences of the corpus")
    parser.add_argument("--rare", type=int, default=7_000, help="further pairs per rare kind")
    parser.add_argument("--frames", type=int, default=30_000, help="templates to fill, about three pairs each")
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    random.seed(options.seed)
    texts = [line.rstrip("\n").split("\t")[1] for line in open(options.units)]
    random.shuffle(texts)
    rows = frames(options.frames)
    kinds: Counter[str] = Counter()
    rarities: Counter[str] = Counter()
    edits = 0
    for text in texts:
        if not 12 <= len(text) <= random.choice([70, 90, 110, 160]) or "\\" in text:
            continue
        for edited, kind in rare(text):
            if rarities[kind] < options.rare and edited != text:
                rarities[kind] += 1
                rows.append(["different" if kind in ("name", "names swapped") else "changed", kind, text, edited])
        if edits >= options.real:
            continue
        makers, weights = zip(*CHANGES, strict=True)
        made = next((result for maker in random.choices(makers, weights, k=3) if (result := maker(text)) and result[0] != text), None)
        if made and (kinds[made[1]] < options.real // 6):
            kinds[made[1]] += 1
            edits += 1
            who = made[1] in ("names swapped", "nouns swapped", "relation turned", "name", "person")
            rows.append(["different" if who else "changed", made[1], text, made[0]])
            again = reword(text)
            if again and again[0] != text and random.random() < 0.5:
                rows.append(["same", again[1], text, again[0]])
    rows = without_tests(rows, options.test, options.eval)
    random.shuffle(rows)
    options.out.write_text("".join("\t".join(part.replace("\t", " ") for part in row) + "\n" for row in rows))
    print(len(rows), Counter(row[0] for row in rows), Counter(row[1] for row in rows).most_common())


if __name__ == "__main__":
    main()
