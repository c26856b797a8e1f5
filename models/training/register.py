"""Makes the memory register: dated chat turns, and questions that find them.

Turns come from the dialogue and persona sources; a question is made from a statement by rule (who, what, when, where, does).
Writes dialogue.tsv (source, text: units to distil) and questions.tsv (question, memory, source: pairs to fine-tune on).
Consecutive questions are about one conversation of two speakers, so that a batch cannot be told apart by names alone.
"""
import argparse
import random
import re
from pathlib import Path

from contrast import DAY, FIRST, MONTH
from corpus import eval_texts
from select_text import Overlap

SOURCES = {"persona_spc", "xpersona", "taskmaster", "chitchat", "sgd", "persona_third_person", "dialog_windows"}
PAST = """went:go bought:buy got:get saw:see made:make took:take had:have found:find met:meet gave:give started:start visited:visit moved:move lost:lose won:win joined:join
adopted:adopt finished:finish tried:try watched:watch played:play read:read wrote:write learned:learn painted:paint planned:plan decided:decide spent:spend grew:grow left:leave
broke:break sold:sell ran:run ate:eat cooked:cook baked:bake studied:study worked:work lived:live married:marry graduated:graduate traveled:travel drove:drive flew:fly built:build
received:receive quit:quit came:come stayed:stay helped:help called:call loved:love enjoyed:enjoy wanted:want used:use taught:teach attended:attend signed:sign ordered:order hiked:hike
volunteered:volunteer performed:perform celebrated:celebrate organized:organize created:create opened:open launched:launch opened:open recorded:record competed:compete caught:catch""".split()
PRESENT = """like love enjoy have want need own work live play study teach hate prefer collect write read run drive cook speak eat drink watch listen go practice grow raise make paint
volunteer think plan hope dream wish know sing dance travel swim ride train own spend""".split()
BASE = dict(word.split(":") for word in PAST)
WHEN_WORDS = r"\b(yesterday|today|tonight|last \w+|this \w+|next \w+|tomorrow|recently|ago|on \w+day|in (?:January|February|March|April|May|June|July|August|September|October|November|December)|weekend)\b"
PLACE_WORDS = r"\b(?:to|in|at|from) ([A-Z][a-z]+|the \w+|a \w+)"


def date(rng: random.Random) -> str:
    """A date as chat exports and note systems write it."""
    year, month, day = rng.randint(2015, 2026), rng.randrange(12), rng.randint(1, 28)
    hour, minute = rng.randint(0, 23), rng.randint(0, 59)
    clock = f"{hour % 12 or 12}:{minute:02d} {'am' if hour < 12 else 'pm'}"
    name = MONTH[month]
    return rng.choice([
        f"{clock} on {day} {name}, {year}", f"{clock} on {day} {name}, {year}", f"{day} {name} {year}", f"{name} {day}, {year}", f"{year}-{month + 1:02d}-{day:02d}",
        f"{year}-{month + 1:02d}-{day:02d} {hour:02d}:{minute:02d}", f"{rng.choice(DAY)}, {day} {name} {year}, {clock}", f"{day}/{month + 1}/{year}",
    ])


def third(verb: str) -> str:
    if verb == "have":
        return "has"
    if verb.endswith(("s", "sh", "ch", "x", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + "s"


def owned(text: str, name: str) -> str:
    """First person to third: my -> {name}'s or their."""
    text = re.sub(r"\b[Mm]y\b", lambda _: random.choice(["their", "his", "her"]), text)
    text = re.sub(r"\b(me|myself)\b", "them", text)
    text = re.sub(r"\bI'm\b", "they are", text)
    return re.sub(r"\bI\b", "they", text).replace("our ", "their ")


def clause(text: str) -> str:
    """The first clause, without its end: what a question would repeat."""
    part = re.split(r"[.!?;]|, (?:and|but|so|because|which)\b| (?:because|but|so that|which|and I|when I|since I)\b", text, maxsplit=1)[0]
    return part.strip(" ,")


def questions(statement: str, name: str) -> list[str]:
    """Questions about a first-person statement of `name`; none where no rule fits."""
    made: list[str] = []
    text = re.sub(r"^(?:Well|Oh|Yes|Yeah|No|So|And|Wow|Hey|Actually|Haha|Cool|Nice|Great|Sure|Hi|Hello)[,.!]? ", "", statement)
    match = re.search(r"\b(?:I|we|We)(?:'ve| have)?(?: just| also| recently| finally| really)? (" + "|".join(BASE) + r") (.{3,})", text)
    if match:
        base, rest = BASE[match[1]], clause(owned(match[2], name))
        bare = re.sub(WHEN_WORDS + r".*", "", rest).strip(" ,")
        if len(rest.split()) <= 14 and len(bare) > 2:
            if base in ("go", "move", "travel", "fly", "drive", "come"):
                made += [f"Where did {name} {base}?", f"When did {name} {base} {bare}?"]
            elif base in ("meet", "see", "marry", "visit", "call", "help"):
                made += [f"Who did {name} {base}?", f"When did {name} {base} {bare}?"]
            else:
                made += [f"What did {name} {base}?", f"When did {name} {base} {bare}?"]
            made += [f"Did {name} {base} {bare}?", f"Why did {name} {base} {bare}?"]
            where = re.search(r"^(.{3,}?) (?:in|at|from) ", bare)
            if where:
                made.append(f"Where did {name} {base} {where[1]}?")
            if re.search(WHEN_WORDS, rest) or random.random() < 0.3:
                made.append(f"When did {name} {base} {bare}?")
    match = re.search(r"\b(?:I|We|we)(?: really| also| usually| always| do| just)? (" + "|".join(PRESENT) + r") (.{3,})", text)
    if match:
        base, rest = match[1], clause(owned(match[2], name))
        if 1 <= len(rest.split()) <= 12:
            made += [f"Does {name} {base} {rest}?", f"Who {third(base)} {rest}?"]
            if base == "have":
                head = rest.split()
                made += [f"What does {name} have?", f"How many {head[-1]} does {name} have?" if head[0] in ("two", "three", "four", "five", "six") else f"Tell me about {name}'s {head[-1]}"]
            elif base in ("work", "live", "go", "study", "travel"):
                made += [f"Where does {name} {base}?"]
            elif base in ("like", "love", "enjoy", "play", "watch", "read", "cook", "paint", "collect", "dance", "swim", "hate", "prefer", "practice"):
                made += [f"What does {name} {base}?", f"What does {name} {base} {rest.split()[0]}?" if rest.split()[0] in ("to", "about") else f"What are {name}'s hobbies?" if base not in ("hate", "prefer") else f"What does {name} {base}?"]
            else:
                made += [f"What does {name} {base}?"]
    match = re.search(r"\bI(?: am|'m) (?:currently |now |also )?(a|an) (.{3,})", text)
    if match:
        rest = clause(owned(match[2], name))
        if len(rest.split()) <= 10:
            made += [f"What does {name} do?", f"Is {name} {match[1]} {rest}?", f"Who is {match[1]} {rest}?", f"What is {name}'s job?"]
    match = re.search(r"\bI(?: am|'m) (?:currently |now |also |really |so )?(\w+ing) (.{3,})", text)
    if match:
        rest = clause(owned(match[2], name))
        if len(rest.split()) <= 12:
            made += [f"What is {name} {match[1]}?", f"When is {name} {match[1]} {rest}?", f"Is {name} {match[1]} {rest}?", f"Why is {name} {match[1]} {rest}?"]
    match = re.search(r"\b[Mm]y ([a-z]+(?: [a-z]+)?) (is|are|was|were|has|loves|likes|works|lives) (.{3,})", text)
    if match:
        rest = clause(owned(match[3], name))
        if match[2] in ("is", "are", "was", "were"):
            made += [f"What {match[2]} {name}'s {match[1]}?", f"Who {match[2]} {name}'s {match[1]}?" if random.random() < 0.4 else f"{name}'s {match[1]}"]
        else:
            made += [f"What about {name}'s {match[1]}?", f"Whose {match[1]} {match[2]} {rest}?"]
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=Path, required=True, help="units.tsv of select_text.py")
    parser.add_argument("--pairs", type=Path, required=True, help="pairs.tsv of select_text.py")
    parser.add_argument("--eval", type=Path, required=True, help="evaluation files to keep out")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--turns", type=int, default=90_000)
    parser.add_argument("--conversation", type=int, default=48, help="consecutive questions about the turns of two speakers")
    parser.add_argument("--seed", type=int, default=13)
    options = parser.parse_args()
    random.seed(options.seed)
    rng = random.Random(options.seed)
    overlap = Overlap(eval_texts(options.eval), 6)
    texts = [line.rstrip("\n").split("\t") for line in open(options.units)]
    texts = [text for source, text in texts if source in SOURCES and 15 <= len(text) <= 300]
    rng.shuffle(texts)

    def memory(text: str, name: str) -> str:
        said = f"{name}: {text}" if not re.match(r"[A-Z][a-z]+:", text) else text
        return rng.choice([f"[{date(rng)}] {said}"] * 6 + [said] * 2 + [f"{date(rng)} - {said}", f"({date(rng)}) {said}"])

    with open(options.out / "dialogue.tsv", "w") as units, open(options.out / "questions.tsv", "w") as pairs:
        count = 0
        speakers: list[str] = []
        for text in texts[: options.turns]:
            if count % options.conversation < 2 or not speakers:
                speakers = rng.sample(FIRST, 2)
            name = rng.choice(speakers)
            units.write(f"dated\t{memory(text, name)}\n")
            asked = list(dict.fromkeys(questions(text, name)))
            asked = [question for question in asked if len(question.split()) > 4 or rng.random() < 0.2]  # vague ones fit many turns
            for question in rng.sample(asked, min(1, len(asked))):
                if not overlap.hit(question):
                    count += 1
                    pairs.write(f"{question}\t{memory(text, name)}\tregister/question\n")
                    if rng.random() < 0.35:
                        units.write(f"question\t{question}\n")
        for line in open(options.pairs):
            a, b, source = line.rstrip("\n").split("\t")
            name = rng.choice(FIRST)
            if source == "persona-3p/rewrite" and b.split(" ")[0] in FIRST:
                pairs.write(f"{b}\t{memory(a, b.split(' ')[0])}\tregister/third-person\n")
            elif source in ("persona_spc/question-response", "xpersona/question-response", "taskmaster/question-response") and rng.random() < 0.7:
                question = re.findall(r"[^.!?]+\?", a)
                if question and len(b) > 20:
                    asked = re.sub(r"\bare you\b", f"is {name}", question[-1].strip())
                    asked = re.sub(r"\bdo you\b", f"does {name}", re.sub(r"\bdid you\b", f"did {name}", asked))
                    asked = re.sub(r"\byour\b", f"{name}'s", re.sub(r"\bhave you\b", f"has {name}", asked))
                    if name in asked and not re.search(r"\byou\b", asked):
                        pairs.write(f"{asked[0].upper() + asked[1:]}\t{memory(b, name)}\tregister/answer\n")
            elif source in ("synthetic/memory-qa", "xquad/question-sentence", "dstc9/faq") and rng.random() < 0.5:
                pairs.write(f"{a}\t[{date(rng)}] {b}\tregister/{source.split('/')[0]}\n")
    print(count, "questions")


if __name__ == "__main__":
    main()
