"""Uses the store for LangGraph against a server, and prints one line for each claim that holds.

  langgraph_store.py URL           with the key in MEMLEDGER_API_KEY

Ends with an exception at the first claim that does not hold. Each claim has a subject of its own.
"""
import asyncio, sys, time
from uuid import uuid4

from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from memledger import BadRequestError, Memledger
from memledger.langgraph import MemledgerStore

client = Memledger(base_url=sys.argv[1])
store = MemledgerStore(client)
claims = []


def claim(text):
    def keep(use):
        claims.append((text, use))
        return use

    return keep


def fill(*items):
    """Stores items of (labels below the subject, key, value). Returns the subject."""
    subject = uuid4().hex
    for labels, key, value in items:
        store.put((subject, *labels), key, value)
    return subject


def equal(found, expected):
    if found != expected:
        raise AssertionError(f"{found!r} is not {expected!r}")


def refuses(kind, use):
    try:
        use()
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


def keys(items):
    return [item.key for item in items]


@claim("an item is stored, read, replaced and deleted")
def _():
    subject = fill((["docs"], "a", {"title": "One", "parts": [{"n": 1.5}, None, True], "text": "ä 日本 🚀 \" \\ \n"}))
    first = store.get((subject, "docs"), "a")
    equal((first.namespace, first.key), ((subject, "docs"), "a"))
    equal(first.value, {"title": "One", "parts": [{"n": 1.5}, None, True], "text": "ä 日本 🚀 \" \\ \n"})
    equal(first.created_at.tzinfo is not None, True)
    time.sleep(0.01)
    store.put((subject, "docs"), "a", {"title": "Two"})
    second = store.get((subject, "docs"), "a")
    equal((second.value, second.created_at, second.updated_at > first.updated_at), ({"title": "Two"}, first.created_at, True))
    equal(keys(store.search((subject,), filter={"title": "One"})), [])
    equal(store.get((subject, "other"), "a"), None)
    equal(store.get((subject,), "a"), None)
    store.delete((subject, "docs"), "a")
    store.delete((subject, "docs"), "a")
    equal(store.get((subject, "docs"), "a"), None)


@claim("a deleted item can be stored again")
def _():
    subject = fill(([], "a", {"n": 1}))
    store.delete((subject,), "a")
    store.put((subject,), "a", {"n": 1})
    equal(store.get((subject,), "a").value, {"n": 1})


@claim("items with equal values are apart, also after changes")
def _():
    same = {"data": "dummy"}
    subject = fill(([], "a", same), ([], "b", same), (["x"], "a", same))
    equal(sorted((item.namespace[1:], item.key) for item in store.search((subject,))), [((), "a"), ((), "b"), (("x",), "a")])
    equal([store.get((subject,), key).value for key in "ab"], [same, same])
    store.put((subject,), "b", {"data": "other"})
    store.delete((subject,), "a")
    store.put((subject,), "b", same)
    equal((store.get((subject,), "b").value, store.get((subject, "x"), "a").value), (same, same))


@claim("labels and keys may have any characters, and no two are confused")
def _():
    odd = ["a/b", "a%2Fb", "a", "%", "ü_*", "0", "a%b"]
    subject = fill(*[([label], key, {"label": label, "key": key}) for label in odd for key in ("/", "a/b", "k")])
    equal(len(store.search((subject,), limit=100)), 21)
    for label in odd:
        equal(sorted(keys(store.search((subject, label)))), ["/", "a/b", "k"])
        equal(store.get((subject, label), "a/b").value, {"label": label, "key": "a/b"})
    equal(store.list_namespaces(prefix=(subject,)), sorted((subject, label) for label in odd))


@claim("a search ends at the boundaries of labels")
def _():
    subject = fill(*[(labels, "k", {"v": 1}) for labels in ([], ["foo"], ["foo", "child"], ["foo", "child", "deep"], ["foobar"], ["foo2", "x"])])
    within = lambda *prefix: sorted(item.namespace[1:] for item in store.search((subject, *prefix), limit=50))
    equal(within("foo"), [("foo",), ("foo", "child"), ("foo", "child", "deep")])
    equal(within("foo", "child"), [("foo", "child"), ("foo", "child", "deep")])
    equal((within("foobar"), within("fo"), within("foo2")), ([("foobar",)], [], [("foo2", "x")]))
    equal(len(within()), 6)


@claim("a batch has a result for each operation, in order")
def _():
    subject = fill((["foo"], "1", {"data": "one"}), (["bar"], "2", {"data": "two"}))
    results = store.batch([
        GetOp((subject, "foo"), "1"),
        PutOp((subject, "bar"), "2", {"data": "three"}),
        SearchOp((subject,), filter={"data": "one"}),
        ListNamespacesOp((MatchCondition("prefix", (subject,)),)),
        GetOp((subject,), "missing"),
        PutOp((subject, "foo"), "1", None),
    ])
    equal(results[0].value, {"data": "one"})
    equal((results[1], keys(results[2]), results[3]), (None, ["1"], [(subject, "bar"), (subject, "foo")]))
    equal(results[4:], [None, None])
    equal([store.get((subject, "foo"), "1"), store.get((subject, "bar"), "2").value], [None, {"data": "three"}])


@claim("filters compare the members of values")
def _():
    subject = fill(
        ([], "1", {"color": "red", "score": 4.5, "ok": True, "n": 1}),
        ([], "2", {"color": "red", "score": 3, "ok": False, "n": "1"}),
        ([], "3", {"color": "green", "score": 4.0, "ok": True}),
        ([], "4", {"colour": "red", "langgraph": "red", "text": "x" * 3_000}),
    )
    found = lambda wanted, **more: sorted(keys(store.search((subject,), filter=wanted, **more)))
    equal([found({"color": "red"}), found({"color": {"$eq": "green"}}), found({"ok": True})], [["1", "2"], ["3"], ["1", "3"]])
    equal([found({"score": {"$gt": 3}}), found({"score": {"$gte": 3}})], [["1", "3"], ["1", "2", "3"]])
    equal([found({"score": {"$lt": 4.5}}), found({"score": {"$lte": 4.0, "$gt": 3}})], [["2", "3"], ["3"]])
    equal([found({"n": 1}), found({"n": "1"}), found({"color": "red", "ok": False})], [["1"], ["2"], ["2"]])
    equal([found({"none": 1}), found({"color": {"$gt": "green"}})], [[], ["1", "2"]])
    equal(found({"score": {"$gte": 4}}, query="green things"), ["1", "3"])
    equal(store.get((subject,), "4").value["langgraph"], "red")
    refuses(NotImplementedError, lambda: found({"color": {"$ne": "red"}}))


@claim("lists are read in parts, the newest change first")
def _():
    subject = uuid4().hex
    for number in range(5):
        store.put((subject,), str(number), {"n": number})
        time.sleep(0.01)
    store.put((subject,), "1", {"n": 10})
    parts = [keys(store.search((subject,), limit=2, offset=offset)) for offset in (0, 2, 4, 6)]
    equal(parts, [["1", "4"], ["3", "2"], ["0"], []])
    equal([item.score for item in store.search((subject,))], [None] * 5)


@claim("more than a page of items is read")
def _():
    subject = fill(*[([str(number % 7)], str(number), {"n": number}) for number in range(120)])
    equal(len(store.search((subject,), limit=500)), 120)
    equal(len(store.search((subject,), limit=500, offset=115)), 5)
    equal(len(store.list_namespaces(prefix=(subject,))), 7)


@claim("a query finds by meaning, with scores, in parts, and after a change")
def _():
    subject = fill(
        (["notes"], "dog", {"text": "The dog of the user is called Rex."}),
        (["notes"], "car", {"text": "The user drives an electric car."}),
        (["notes", "old"], "tea", {"text": "The user drinks green tea in the morning."}),
    )
    found = store.search((subject,), query="What is the name of the pet?")
    equal((found[0].key, len(found)), ("dog", 3))
    equal([0 < item.score <= 1 for item in found], [True] * 3)
    equal([item.score for item in found], sorted((item.score for item in found), reverse=True))
    equal(keys(store.search((subject,), query="What is the name of the pet?", limit=1, offset=1)), [found[1].key])
    equal(keys(store.search((subject, "notes", "old"), query="pet")), ["tea"])
    store.put((subject, "notes"), "dog", {"text": "The user works in Bergen."})
    again = {item.key: item.score for item in store.search((subject,), query="What is the name of the pet?")}
    equal(again["dog"] < found[0].score, True)
    equal([len(store.search((subject,), query=query)) for query in ("", None, "tea " * 200, "?!@#$%^&*()")], [3] * 4)


@claim("an item with index=False is found by no query, until it is stored otherwise")
def _():
    subject = fill(([], "a", {"text": "The cat sleeps."}))
    store.put((subject,), "b", {"text": "The cat is asleep."}, index=False)
    equal(keys(store.search((subject,), query="cat")), ["a"])
    equal(sorted(keys(store.search((subject,)))), ["a", "b"])
    equal(store.get((subject,), "b").value, {"text": "The cat is asleep."})
    store.put((subject,), "b", {"text": "The cat is asleep."})
    equal(sorted(keys(store.search((subject,), query="cat"))), ["a", "b"])


@claim("namespaces are listed by prefix, suffix, wildcard and depth")
def _():
    names = [["docs", "public"], ["docs", "private"], ["images", "public"], ["users", "alice", "docs"], ["users", "malice"]]
    subject = fill(*[(labels, "k", {"content": "dummy"}) for labels in names])
    listed = lambda prefix=(), **more: [each[1:] for each in store.list_namespaces(prefix=(subject, *prefix), **more)]
    equal(listed(), sorted(tuple(labels) for labels in names))
    equal(listed(("docs",)), [("docs", "private"), ("docs", "public")])
    equal(listed(suffix=("public",)), [("docs", "public"), ("images", "public")])
    equal(listed(("*", "public")), [("docs", "public"), ("images", "public")])
    equal(listed(suffix=("alice", "*")), [("users", "alice", "docs")])
    equal(listed(("users",), max_depth=2), [("users",)])
    equal([listed(limit=2), listed(limit=2, offset=4)], [[("docs", "private"), ("docs", "public")], [("users", "malice")]])
    other = fill((["docs"], "k", {"n": 1}))
    named = [each for each in store.list_namespaces(limit=10_000) if each[0] in (subject, other)]
    equal(named, sorted([(subject, *labels) for labels in names] + [(other, "docs")]))
    equal((other, "docs") in store.list_namespaces(prefix=("*", "docs"), limit=10_000), True)
    store.delete((subject, "users", "malice"), "k")
    equal(listed(("users", "malice")), [])


@claim("subjects are apart, and the memories of the project are in none of them")
def _():
    one, two = fill(([], "k", {"text": "I like tea."})), fill(([], "k", {"text": "I like tea."}))
    client.memories.create(content=f"Everybody likes tea, says {one}.", memory_type="fact")
    equal(len(store.search((one,), query="tea")), 1)
    store.put((two,), "k", {"text": "I like coffee."})
    equal(store.get((one,), "k").value, {"text": "I like tea."})
    store.delete((two,), "k")
    equal(len(store.search((one,))), 1)


@claim("what the store has is a memory of the subject, for a prompt too")
def _():
    subject = fill((["notes"], "k", {"text": "The user is allergic to peanuts."}))
    injected = client.memories.inject(subject=subject, query="Which allergies does the user have?")
    equal("allergic to peanuts" in injected.prompt, True)


@claim("memories that the store has not written are not its items")
def _():
    subject = fill(([], "k", {"text": "I like tea."}))
    client.memories.create(content="The user likes cake.", memory_type="fact", subject=subject)
    equal([len(store.search((subject,))), len(store.search((subject,), query="cake"))], [1, 1])


@claim("an item can be read after somebody else has changed its memory")
def _():
    subject = fill((["notes"], "k", {"text": "I like tea."}))
    (memory,) = client.memories.list(subject=subject).memories
    for content in ("The user likes coffee.", "5 teas"):
        client.memories.update(memory.id, content=content, subject=subject)
        equal([item.value for item in store.search((subject,))], [{"text": content}])


@claim("what cannot be kept is refused")
def _():
    subject = uuid4().hex
    refuses(BadRequestError, lambda: store.put((subject,), "k", {"text": "x" * 10_000}))
    refuses(BadRequestError, lambda: store.put((subject,), "k" * 200, {"n": 1}))
    refuses(BadRequestError, lambda: store.put((subject,), "k", {f"{number:060}": 1 for number in range(64)}))
    refuses(NotImplementedError, lambda: store.put((subject,), "k", {"n": 1}, ttl=1))
    refuses(ValueError, lambda: store.search(()))
    refuses(ValueError, lambda: store.put((), "k", {"n": 1}))
    refuses(ValueError, lambda: store.get((), "k"))
    refuses(ValueError, lambda: store.put((subject,), "k", {"n": float("nan")}))
    refuses(ValueError, lambda: store.search((subject,), filter={"langgraph": "/k"}))
    equal(store.search((subject,)), [])


@claim("awaited calls do the same, many at once")
def _():
    async def use():
        subject = uuid4().hex
        await asyncio.gather(*(store.aput((subject, "n"), str(number), {"n": number}) for number in range(20)))
        found = await asyncio.gather(*(store.aget((subject, "n"), str(number)) for number in range(20)))
        equal([item.value["n"] for item in found], list(range(20)))
        equal(keys(await store.asearch((subject,), filter={"n": {"$gte": 19}})), ["19"])
        equal(await store.alist_namespaces(prefix=(subject,)), [(subject, "n")])
        await store.adelete((subject, "n"), "0")
        equal(await store.aget((subject, "n"), "0"), None)

    asyncio.run(use())


for text, use in claims:
    use()
    print(f"ok: {text}", flush=True)
