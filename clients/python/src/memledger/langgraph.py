# Owns the store for LangGraph: it keeps items as memories, so that they are found by meaning, and in the ledger. It needs the package langgraph.

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import islice, takewhile
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from ._client import Memledger
from ._errors import ConflictError
from .models import AgentMemory

# The member of the metadata that has the rest of the namespace and the key.
PATH = "langgraph"
# Members of a value with longer names or strings are not part of the metadata, so no filter sees them.
NAME_MAX_CHARACTERS = 64
STRING_MAX_CHARACTERS = 200


class MemledgerStore(BaseStore):
    """Long-term memory of LangGraph. The first label of a namespace is the subject of the memories: a user, an agent or
    a team. A search therefore needs a prefix with at least this label.

    A value is stored as JSON of at most 10,000 characters. The whole value is searched by meaning; `index=False` excludes
    an item from such searches, and a list of fields has no effect. Filters see strings of up to 200 characters, numbers
    and booleans at the top level of a value. There is no `ttl`, and `$ne` is refused.
    """

    def __init__(self, client: Memledger) -> None:
        self._memories, self._subjects = client.memories, client.subjects

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return [self._perform(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _perform(self, op: Op) -> Result:
        if isinstance(op, PutOp):
            self._put(op)
            return None
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        subject, path = _place(op)
        return next((_item(subject, memory) for memory in self._list(subject, {PATH: path})), None)

    def _put(self, op: PutOp) -> None:
        subject, path = _place(op)
        if op.value is None:
            self._memories.delete_all(subject=subject, metadata={PATH: path})
            return
        members = {name: value for name, value in op.value.items() if _can_be_filtered(name, value)}

        def put(content: str) -> None:
            self._memories.put(
                path,
                content=content,
                memory_type="fact",
                metadata={**members, PATH: path},
                is_active=op.index is not False,
                subject=subject,
            )

        content = json.dumps(op.value, ensure_ascii=False, allow_nan=False)
        try:
            put(content)
        except ConflictError:  # code 2104: another item of the subject has this value
            put(f"{content}\n{path}")

    def _search(self, op: SearchOp) -> list[SearchItem]:
        subject, conditions = _within(op.namespace_prefix)
        filters = {name: _condition(value) for name, value in (op.filter or {}).items()}
        if PATH in filters:
            raise ValueError(f"No filter can be by {PATH!r}, because the store has the namespace there.")
        conditions |= filters
        end = op.offset + op.limit
        if not op.query:
            found = islice(self._list(subject, conditions, min(end, 100)), op.offset, end)
            return [_item(subject, memory) for memory in found]
        results = self._memories.search(
            query=op.query, subject=subject, include_project=False, metadata=conditions, top_k=end
        ).results
        return [_item(subject, each.memory, each.similarity) for each in results[op.offset :]]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        wanted = op.match_conditions or ()
        prefix = next((each.path for each in wanted if each.match_type == "prefix"), ())
        labels = tuple(takewhile(lambda label: label != "*", prefix))
        subjects = labels[:1] or (each.subject for each in self._subjects.iterate())
        found = (each for subject in subjects for each in self._below((subject, *labels[1:]), op))
        return list(islice(found, op.offset, op.offset + op.limit))

    def _below(self, prefix: tuple[str, ...], op: ListNamespacesOp) -> list[tuple[str, ...]]:
        subject, conditions = _within(prefix)
        found = {_item(subject, memory).namespace for memory in self._list(subject, conditions)}
        matching = (each for each in found if all(_matches(each, wanted) for wanted in op.match_conditions or ()))
        return sorted({each[: op.max_depth] for each in matching})

    def _list(self, subject: str, conditions: Mapping[str, Any], page_size: int = 100) -> Iterable[AgentMemory]:
        return self._memories.iterate(
            subject=subject, metadata=conditions, sort_by="updated_at", page_size=page_size
        )


def _path(labels: Iterable[str]) -> str:
    """The labels behind slashes. No two tuples have the same path, and a path is before another one that continues it."""
    return "".join(f"/{label.replace('%', '%25').replace('/', '%2F')}" for label in labels)


def _place(op: GetOp | PutOp) -> tuple[str, str]:
    """The subject of an item, and its path."""
    return _subject(op.namespace), _path((*op.namespace[1:], op.key))


def _subject(namespace: tuple[str, ...]) -> str:
    if not namespace:
        raise ValueError("The namespace is empty. Its first label is needed: the subject of the memories.")
    return namespace[0]


def _within(prefix: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    """The subject of a namespace, and the condition of what is in the namespace and in those below."""
    path = _path(prefix[1:])
    return _subject(prefix), {PATH: {"gte": f"{path}/", "lt": f"{path}0"}}  # "0" follows "/"


def _item(subject: str, memory: AgentMemory, score: float | None = None) -> SearchItem:
    path = (memory.metadata or {})[PATH]
    *labels, key = (each.replace("%2F", "/").replace("%25", "%") for each in path[1:].split("/"))
    created_at, updated_at = (
        datetime.fromisoformat(time.replace("Z", "+00:00")) for time in (memory.created_at, memory.updated_at)
    )
    return SearchItem((subject, *labels), key, _value(memory.content), created_at, updated_at, score)


def _value(content: str) -> dict[str, Any]:
    """Of an item whose content somebody else has replaced, such as an extraction, it has that content as `text`."""
    try:
        value, _ = json.JSONDecoder().raw_decode(content)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"text": content}


def _can_be_filtered(name: str, value: object) -> bool:
    is_short = not isinstance(value, str) or len(value) <= STRING_MAX_CHARACTERS
    return len(name) <= NAME_MAX_CHARACTERS and is_short and isinstance(value, (bool, int, float, str))


def _condition(wanted: Any) -> Any:
    """As the API writes it."""
    if not isinstance(wanted, Mapping):
        return wanted
    if "$ne" in wanted:
        raise NotImplementedError("The operator $ne is not supported.")
    names = {operator: operator.removeprefix("$") for operator in wanted if operator != "$eq"}
    equal = {"in": [wanted["$eq"]]} if "$eq" in wanted else {}
    return {name: wanted[operator] for operator, name in names.items()} | equal


def _matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return len(part) == len(path) and all(wanted in ("*", label) for label, wanted in zip(part, path))
