# Proves the client against a real server: every operation of the API, the types of its refusals, and what it sends. The server is given
# by MEMLEDGER_TEST_URL, and a key of an empty project with every permission by MEMLEDGER_TEST_KEY,
# and an administration key by MEMLEDGER_TEST_ADMIN_KEY.

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import httpx
import memledger
from both import Call, run
from memledger._generated.operations import OPERATIONS

URL = os.environ["MEMLEDGER_TEST_URL"]
KEY = os.environ["MEMLEDGER_TEST_KEY"]
ADMIN_KEY = os.environ["MEMLEDGER_TEST_ADMIN_KEY"]
DOCUMENT = json.loads((Path(__file__).parents[2] / "openapi.json").read_text("utf-8"))


def call(is_async: bool, use: Call, **options: Any) -> Any:
    return run(is_async, use, **{"api_key": KEY, "base_url": URL, **options})


class Surface(unittest.TestCase):
    def test_it_is_every_operation_of_the_api(self) -> None:
        described = [
            (operation["operationId"], method.upper(), path, operation["x-effects"]["idempotent"])
            for path, methods in DOCUMENT["paths"].items()
            for method, operation in methods.items()
            # The paths of the gateway are for the clients of other APIs.
            if not operation.get("x-exchange", False)
        ]
        self.assertGreater(len(described), 18)
        known = [(each.operation_id, each.method, each.path, each.is_idempotent) for each in OPERATIONS]
        self.assertEqual(sorted(known), sorted(described))

    def test_every_operation_is_reached(self) -> None:
        called: set[str] = set()

        def record(request: httpx.Request) -> None:
            called.add(operation_of(request.method, request.url.raw_path.decode().split("?")[0]))

        with httpx.Client(event_hooks={"request": [record]}) as http:
            client = memledger.Memledger(api_key=KEY, base_url=URL, http_client=http)
            self.use_memories(client)
            self.use_subjects(client)
            self.use_conversations(client)
            self.use_suggestions(client)
            self.use_ledger(client)
            self.use_administration(memledger.Memledger(api_key=ADMIN_KEY, base_url=URL, http_client=http))
        self.assertEqual([each.operation_id for each in OPERATIONS if each.operation_id not in called], [])

    def use_memories(self, client: memledger.Memledger) -> None:
        memories = client.memories
        memories.delete_all()
        created = memories.create(content="Releases go out on Tuesdays.", memory_type="fact", importance=0.7)
        self.assertEqual((created.memory_type, created.importance, created.expires_at), ("fact", 0.7, None))
        self.assertEqual(created.raw["content"], "Releases go out on Tuesdays.")
        self.assertEqual(memories.read(created.id), created)
        updated = memories.update(created.id, content="Releases go out on Wednesdays.")
        self.assertEqual(updated.content, "Releases go out on Wednesdays.")
        tagged = memories.update(created.id, tags=["team:web", "a&b = c"])
        self.assertEqual(tagged.tags, ["a&b = c", "team:web"])
        self.assertEqual([each.tag for each in memories.tags().tags], ["a&b = c", "team:web"])
        source = "wiki:a/b ü?"
        metadata = {"user": "a&b = c", "year": 2026}
        put = memories.put(source, content="The pantry is full.", memory_type="fact", metadata=metadata)
        again = memories.put(source, content="The pantry is empty.", memory_type="fact", metadata=metadata)
        self.assertEqual((again.id, again.metadata), (put.id, metadata))
        wanted = {"user": "a&b = c", "year": {"gte": 2026}}
        self.assertEqual([each.id for each in memories.list(metadata=wanted).memories], [put.id])
        memories.delete(put.id)
        self.assertEqual(memories.statistics().total, memories.list().pagination.total)
        self.assertEqual(memories.list(tag=["team:web", "a&b = c"]).pagination.total, 1)
        self.assertEqual(memories.list(tag=["a", "b = c"]).pagination.total, 0)
        found = memories.search(query="When do we ship?", mode="hybrid", top_k=3)
        self.assertEqual([result.memory.id for result in found.results], [created.id])
        self.assertIsInstance(found.results[0].score_details, memledger.models.ScoreDetails)
        injected = memories.inject(query="When do we release?")
        self.assertIn("Releases go out on Wednesdays.", injected.prompt)
        extracted = memories.extract(text="Ana: Never deploy on Fridays, please.")
        self.assertEqual([item.action for item in extracted.extracted], ["created"])
        self.assertEqual([memory.id for memory in memories.list(memory_type="fact").memories], [created.id])
        exported = memories.export(include_vectors=True, page_size=1)
        self.assertEqual([memory.id for memory in exported.memories], [created.id])
        self.assertEqual((len(exported.vectors or []), exported.next_cursor is None), (1, False))
        self.assertEqual(len(list(memories.iterate_export(page_size=1))), 2)
        rule = {"content": "Use tabs.", "memory_type": "rule", "source_id": "style:1"}
        batch = memories.create_batch(memories=[rule, {"content": ""}])
        self.assertEqual([result.status for result in batch.results], ["created", "refused"])
        self.assertEqual((batch.results[0].code, batch.results[1].code), (None, 1400))
        self.assertEqual(memories.create_batch(memories=[rule]).existing, 1)
        change = memories.update_batch(memories=[{"memory_id": created.id, "importance": 0.1}])
        self.assertEqual((change.updated, change.results[0].former), (1, {"importance": created.importance}))
        check = client.checks.create(query="What is it?", expected_memory_id=created.id)
        self.assertEqual([each.id for each in client.checks.list().checks], [check.id])
        self.assertEqual(client.checks.run().passed, 1)
        client.checks.delete(check.id)
        self.assertEqual(memories.history(created.id).events[0].former, {"importance": created.importance})
        self.assertEqual(
            [each.seq for each in memories.iterate_history(created.id, page_size=1)],
            [each.seq for each in memories.history(created.id).events],
        )
        self.assertEqual(memories.delete_batch(memory_ids=["none"]).refused, 1)
        memories.delete(str(batch.results[0].id))
        memories.delete(created.id)
        self.assertEqual(memories.delete_all(memory_type="context").deleted_count, 0)
        self.assertEqual(memories.delete_all().deleted_count, 1)

    def use_administration(self, client: memledger.Memledger) -> None:
        projects, keys = client.projects, client.keys
        project = projects.create(name="tenant 2", plan="pro")
        self.assertEqual(projects.update(project.id, credits=5).credits, 5)
        self.assertEqual(projects.show("tenant 2").credits, 5)
        with self.assertRaises(memledger.BadRequestError) as refused:
            projects.create(name="tenant 2")
        self.assertEqual(refused.exception.data["project_id"], project.id)
        created = keys.create(project=project.id, permissions=["memory.read", "gateway.use"])
        with memledger.Memledger(api_key=created.key, base_url=URL) as own:
            self.assertEqual(own.memories.list().memories, [])
        changed = keys.update(created.id, gateway={"memory": False})
        self.assertEqual(changed.gateway.memory if changed.gateway else None, False)
        self.assertEqual([each.id for each in keys.list(project=project.id).keys], [created.id])
        self.assertIsNotNone(keys.revoke(created.id).revoked_at)
        self.assertEqual([each.id for each in projects.list(text="tenant 2").projects], [project.id])
        self.assertIn(project.plan, [each.name for each in client.plans.list().plans])
        self.assertEqual(projects.delete(project.id, name="tenant 2").id, project.id)
        [deletion, *_] = client.audit.list_chain(action="project.delete").logs
        self.assertEqual(client.audit.show_record(deletion.id).request_body, {"name": "tenant 2"})

    def use_conversations(self, client: memledger.Memledger) -> None:
        said = {"role": "user", "content": "We meet at the mill."}
        client.memories.extract(messages=[said], conversation="chat-1", detail="verbatim")
        self.assertEqual([each.conversation for each in client.conversations.list().conversations], ["chat-1"])
        self.assertEqual([each.content for each in client.conversations.read("chat-1").said], ["We meet at the mill."])
        self.assertTrue(client.conversations.erase("chat-1").erased)
        self.assertEqual(client.conversations.list().conversations, [])

    def use_suggestions(self, client: memledger.Memledger) -> None:
        ids = [
            client.suggestions.create(kind="create", content=f"Room {number} is free.", memory_type="fact").id
            for number in range(4)
        ]
        self.assertEqual(client.suggestions.read(ids[0]).kind, "create")
        self.assertEqual(client.suggestions.accept(ids[0]).changes[0].change, "created")
        with self.assertRaises(memledger.ApiError):
            client.suggestions.merge(ids[1])
        self.assertEqual(client.suggestions.refuse(ids[1]).id, ids[1])
        self.assertEqual(client.suggestions.accept_batch(suggestion_ids=[ids[2]]).decided, 1)
        self.assertEqual(client.suggestions.refuse_batch(suggestion_ids=[ids[3]]).decided, 1)
        self.assertEqual(client.suggestions.list().suggestions, [])

    def use_subjects(self, client: memledger.Memledger) -> None:
        for subject in ("ada", "bo"):
            client.memories.create(content="The user is vegetarian.", memory_type="fact", subject=subject)
        self.assertEqual([(each.subject, each.memories) for each in client.subjects.list().subjects], [("ada", 1), ("bo", 1)])
        self.assertEqual([each.subject for each in client.subjects.iterate(page_size=1)], ["ada", "bo"])
        issued = client.keys.issue(subject="ada", permissions=["memory.read"])
        with memledger.Memledger(api_key=issued.token, base_url=URL) as own:
            self.assertEqual(len(own.memories.list().memories), 1)
        client.keys.revoke_issued()
        self.assertEqual(len(client.subjects.export("ada").memories), 1)
        self.assertTrue(client.subjects.erase("ada").erased)
        acting = memledger.Memledger(api_key=KEY, base_url=URL, on_behalf_of="Zoë")
        acting.memories.list()
        [record] = client.audit.list(on_behalf_of="Zoë").logs
        self.assertEqual(client.audit.read(record.id).on_behalf_of, "Zoë")
        acting.close()
        with self.assertRaisesRegex(memledger.MemledgerError, "on_behalf_of"):
            memledger.Memledger(api_key=KEY, base_url=URL, on_behalf_of="a\nb")
        self.assertEqual([each.subject for each in client.subjects.list().subjects], ["bo"])

    def use_ledger(self, client: memledger.Memledger) -> None:
        audit = client.audit
        tokens = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
        appended = audit.append(action="gateway.reached", http_status=200, duration=812.5, tokens=tokens)
        read = audit.read(appended.id)
        self.assertEqual(read.duration, 812.5)
        self.assertEqual(read.tokens.total_tokens if read.tokens else None, 3)
        self.assertEqual(audit.list(action="gateway.reached").total, 1)
        self.assertIn("\n", audit.checkpoint().note)
        self.assertTrue(audit.checkpoint_list(page_size=5).checkpoints[0].signed_by.startswith("memledger+"))
        self.assertTrue(audit.receipt(appended.id, payload=False).receipt.startswith("c2sp.org/tlog-proof@v1\n"))
        proof = audit.proof(appended.id)
        self.assertEqual(proof.hash, read.hash)
        self.assertEqual(audit.consistency(from_=proof.tree_size, to=proof.tree_size).consistency, [])
        counted = audit.statistics()
        self.assertEqual(counted.records, counted.head_seq)
        self.assertTrue(audit.verify().complete)
        task = audit.export(start_time="2020-01-01", end_time="2099-01-01", format="json")
        done = audit.wait_for_export(task.export_id)
        self.assertIn(task.export_id, [each.export_id for each in audit.export_list().exports])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "audit.json"
            with audit.export_download(task.export_id) as file:
                self.assertTrue(file.name and file.name.endswith(".json"), file.name)
                self.assertEqual(file.media_type, "application/json")
                file.save(path)
            self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), done.sha256)
            self.assertEqual(os.listdir(folder), ["audit.json"])
        with audit.export_manifest(task.export_id) as file:
            self.assertIn((done.sha256 or "no digest").encode(), file.read())


def operation_of(method: str, path: str) -> str:
    """Fixed segments win over parameters, as in the server."""
    candidates = sorted((each for each in OPERATIONS if each.method == method), key=lambda each: each.path.count("{"))
    for operation in candidates:
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", operation.path), path):
            return operation.operation_id
    return f"{method} {path}"


class Lists(unittest.TestCase):
    def test_memories_are_read_page_by_page(self) -> None:
        for is_async in (False, True):
            contents = [f"Room {index} is on floor {index}." for index in range(7)]
            call(is_async, lambda client: client.memories.delete_all())
            for content in contents:
                call(is_async, lambda client: client.memories.create(content=content, memory_type="fact"))
            found = call(is_async, lambda client: client.memories.iterate(page_size=3, sort_dir="asc"))
            self.assertEqual([memory.content for memory in found], contents)
            none = call(is_async, lambda client: client.memories.iterate(memory_type="rule"))
            self.assertEqual(none, [])

    def test_tags_are_read_page_by_page(self) -> None:
        tags = ["a", "b", "c", "d", "e"]
        for is_async in (False, True):
            call(is_async, lambda client: client.memories.delete_all())
            tagged = {"content": "A room with tags.", "memory_type": "fact", "tags": tags}
            created = call(is_async, lambda client: client.memories.create(**tagged))
            self.assertEqual(created.tags, tags)
            found = call(is_async, lambda client: client.memories.iterate_tags(page_size=2))
            self.assertEqual([each.tag for each in found], tags)

    def test_records_are_read_once_although_every_page_adds_one(self) -> None:
        for is_async in (False, True):
            action = f"gateway.{'awaited' if is_async else 'blocking'}"
            for _ in range(5):
                call(is_async, lambda client: client.audit.append(action=action, http_status=200))
            found = call(is_async, lambda client: client.audit.iterate(action=action, page_size=2))
            self.assertEqual(len({record.id for record in found}), 5)
            everything = call(is_async, lambda client: client.audit.iterate(page_size=50))
            numbers = [record.seq for record in everything]
            self.assertEqual(numbers, sorted(set(numbers), reverse=True))

    def test_a_download_is_awaited(self) -> None:
        async def download(client: memledger.AsyncMemledger) -> bytes:
            task = await client.audit.export(start_time="2020-01-01", end_time="2099-01-01", format="csv")
            await client.audit.wait_for_export(task.export_id)
            async with await client.audit.export_download(task.export_id) as file:
                whole = await file.read()
            with tempfile.TemporaryDirectory() as folder:
                async with await client.audit.export_download(task.export_id) as file:
                    await file.save(f"{folder}/audit.csv")
                self.assertEqual(Path(folder, "audit.csv").read_bytes(), whole)
            return whole

        self.assertIn(b",action,", call(True, download).splitlines()[0])


class Refusals(unittest.TestCase):
    def refusal(self, is_async: bool, use: Call, **options: Any) -> memledger.ApiError:
        with self.assertRaises(memledger.ApiError) as raised:
            call(is_async, use, **options)
        return raised.exception

    def test_have_a_class_a_status_a_code_a_message_and_data(self) -> None:
        for is_async in (False, True):
            call(is_async, lambda client: client.memories.delete_all())
            known = call(is_async, lambda client: client.memories.create(content="Known.", memory_type="fact"))
            again = self.refusal(is_async, lambda client: client.memories.create(content="Known.", memory_type="rule"))
            self.assertIs(type(again), memledger.ConflictError)
            self.assertEqual((again.status, again.code, again.data), (409, 2104, {"memory_id": known.id}))
            invalid = self.refusal(is_async, lambda client: client.memories.search(query="x", top_k=0))
            self.assertIs(type(invalid), memledger.BadRequestError)
            self.assertEqual((invalid.code, invalid.data["field"]), (1400, "top_k"))
            self.assertEqual(str(invalid), invalid.message)
            unknown = self.refusal(is_async, lambda client: client.memories.read("0" * 32))
            self.assertIs(type(unknown), memledger.NotFoundError)
            # Hardly above the limit: the server answers before it has read everything, and closes the connection. A client that is still
            # sending then may lose the answer (RFC 9112, section 9.6), so it is asked for several times.
            large = {"action": "gateway.chat", "http_status": 200, "error_msg": "x" * 2**20}
            for _ in range(10):
                try:
                    refused = self.refusal(is_async, lambda client: client.audit.append(**large))
                    break
                except memledger.ConnectionFailedError:
                    continue
            else:
                self.fail("every answer was lost")
            self.assertEqual((type(refused), refused.code), (memledger.BadRequestError, 1413))
            wrong = self.refusal(is_async, lambda client: client.memories.list(), api_key="ml_unknown")
            self.assertEqual((type(wrong), wrong.code), (memledger.AuthenticationError, 1401))
            elsewhere = self.refusal(is_async, lambda client: client.memories.list(), base_url=f"{URL}/elsewhere")
            self.assertEqual(elsewhere.code, 1404)


class Sending(unittest.TestCase):
    def test_text_of_every_language_arrives_unchanged(self) -> None:
        for is_async in (False, True):
            call(is_async, lambda client: client.memories.delete_all())
            content = "Zoë wohnt in 東京 🗼 — \u202eעברית\u202c, \"quotes\" \\ und\nZeilen\u2028."
            ticket = {"ticket": "Größe 🗼 \x01\x7f"}
            create = {"content": content, "memory_type": "fact", "audit_metadata": ticket}
            created = call(is_async, lambda client: client.memories.create(**create))
            self.assertEqual(call(is_async, lambda client: client.memories.read(created.id)).content, content)
            logs = call(is_async, lambda client: client.audit.list(memory_id=created.id, action="memory.create")).logs
            self.assertEqual(logs[0].metadata, ticket)
            self.assertEqual(logs[0].user_agent, f"memledger-python/{memledger.__version__}")
            with self.assertRaises(memledger.BadRequestError):
                call(is_async, lambda client: client.memories.create(content="\ud800", memory_type="fact"))

    def test_content_may_be_as_large_as_the_api_allows(self) -> None:
        for is_async in (False, True):
            call(is_async, lambda client: client.memories.delete_all())
            content = "漢" * 10_000
            created = call(is_async, lambda client: client.memories.create(content=content, memory_type="fact"))
            self.assertEqual(call(is_async, lambda client: client.memories.read(created.id)).content, content)
            body = {"text": "ü" * 500_000}
            marker = {"action": "gateway.chat", "http_status": 200, "request_body": body}
            appended = call(is_async, lambda client: client.audit.append(**marker))
            self.assertEqual(call(is_async, lambda client: client.audit.read(appended.id)).request_body, body)

    def test_no_identifier_changes_the_path(self) -> None:
        for is_async in (False, True):
            call(is_async, lambda client: client.memories.delete_all())
            call(is_async, lambda client: client.memories.create(content="Stays.", memory_type="fact"))
            for wrong in ("", ".", "..", None, 7):
                with self.assertRaisesRegex(memledger.MemledgerError, "^memoryDelete needs an identifier as memory_id"):
                    call(is_async, lambda client: client.memories.delete(wrong))
            for wrong in ("a/../b", "../../memories", "a?b=c#d", "%2e%2e", "é", "\ud800"):
                with self.assertRaises(memledger.NotFoundError) as raised:
                    call(is_async, lambda client: client.memories.delete(wrong))
                self.assertEqual(raised.exception.code, 2100)
            self.assertEqual(call(is_async, lambda client: client.memories.list()).pagination.total, 1)

    def test_nothing_is_deleted_because_a_variable_is_none(self) -> None:
        for is_async in (False, True):
            call(is_async, lambda client: client.memories.delete_all())
            call(is_async, lambda client: client.memories.create(content="Stays.", memory_type="fact"))
            with self.assertRaises(memledger.BadRequestError):
                call(is_async, lambda client: client.memories.delete_all(memory_type=None))
            with self.assertRaisesRegex(memledger.MemledgerError, "memory_type is None.*Omit it"):
                call(is_async, lambda client: client.memories.list(memory_type=None))
            self.assertEqual(call(is_async, lambda client: client.memories.list()).pagination.total, 1)

    def test_what_is_not_given_is_not_sent_and_none_is_null(self) -> None:
        for is_async in (False, True):
            call(is_async, lambda client: client.memories.delete_all())
            given = {"content": "Expires.", "memory_type": "context", "expires_at": "2099-01-01T00:00:00Z"}
            created = call(is_async, lambda client: client.memories.create(**given))
            changed = call(is_async, lambda client: client.memories.update(created.id, importance=0.9))
            self.assertEqual(changed.expires_at, "2099-01-01T00:00:00.000Z")
            changed = call(is_async, lambda client: client.memories.update(created.id, expires_at=None))
            self.assertIsNone(changed.expires_at)

    def test_what_json_does_not_have_is_refused(self) -> None:
        for is_async in (False, True):
            for wrong in (float("nan"), object(), b"bytes".hex):
                with self.assertRaisesRegex(memledger.MemledgerError, "cannot be sent as JSON"):
                    call(is_async, lambda client: client.memories.search(query="x", min_similarity=wrong))
            with self.assertRaisesRegex(memledger.MemledgerError, "audit_metadata is no mapping"):
                call(is_async, lambda client: client.memories.list(audit_metadata=[1]))


class Options(unittest.TestCase):
    def test_the_key_comes_from_the_environment(self) -> None:
        with mock.patch.dict(os.environ, {"MEMLEDGER_API_KEY": f" {KEY}\n"}):
            for is_async in (False, True):
                page = run(is_async, lambda client: client.memories.list(page_size=1), base_url=f"{URL}//")
                self.assertEqual(page.pagination.page_size, 1)
        with mock.patch.dict(os.environ, clear=True):
            for kind in (memledger.Memledger, memledger.AsyncMemledger):
                with self.assertRaisesRegex(memledger.MemledgerError, "^No API key. Give api_key, or set"):
                    kind()

    def test_what_is_not_valid_is_refused(self) -> None:
        cases: list[tuple[dict[str, Any], str]] = [
            ({"api_key": " "}, "^No API key"),
            ({"api_key": "ml_secret\nX-Other: 1"}, "character that no key has"),
            ({"api_key": "ml_sécret"}, "character that no key has"),
            ({"base_url": "localhost:8420"}, "^base_url is no address"),
            ({"base_url": "file:///etc/passwd"}, "^base_url is no address"),
            ({"base_url": "http://127.0.0.1:99999"}, "^base_url is no address"),
            ({"base_url": "http://127.0.0.1:8420/?a=b"}, "without a query"),
            ({"base_url": "http://me:secret@127.0.0.1:8420"}, "Give the key as api_key"),
            ({"timeout": 0}, "^timeout is 0"),
            ({"timeout": float("inf")}, "^timeout is inf"),
            ({"max_retries": 0.5}, "^max_retries is 0.5"),
            ({"max_retries": -1}, "^max_retries is -1"),
        ]
        for kind in (memledger.Memledger, memledger.AsyncMemledger):
            for options, message in cases:
                with self.subTest(options=options):
                    with self.assertRaisesRegex(memledger.MemledgerError, message) as raised:
                        kind(**{"api_key": "ml_test", **options})
                    self.assertNotRegex(str(raised.exception), "s.cret")

    def test_no_text_of_a_client_shows_the_key(self) -> None:
        with memledger.Memledger(api_key="ml_secret") as client:
            calls = client.memories._calls
            self.assertNotIn("ml_secret", repr(client) + repr(calls) + repr(calls._settings))


if __name__ == "__main__":
    unittest.main()
