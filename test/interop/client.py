"""Uses memledger through the package mcp, as a program in Python would, and prints one line for each claim that holds.

  client.py http URL               with the key in MEMLEDGER_API_KEY
  client.py stdio COMMAND...       starts the command, and talks to it over its standard streams

Ends with an exception at the first claim that does not hold. Does everything twice: with the handshake of 2025-11-25, and with 2026-07-28.
"""
import asyncio, contextlib, os, sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation, TextContent

TOOLS = ["memory_search", "memory_save", "memory_update", "memory_delete", "memory_list", "memory_context", "memory_extract"]
# The key over HTTP has all permissions; a local key may write, so it proposes nothing.
REVIEW_TOOLS = ["memory_propose", "suggestion_list", "suggestion_accept", "suggestion_refuse"]


def claim(text, holds, details=""):
    if not holds:
        raise AssertionError(f"{text}: {details}")
    print(f"ok: {text}", flush=True)


def text_of(result):
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


@contextlib.asynccontextmanager
async def connect(kind, words, mode):
    info = Implementation(name="python-interop", version="1.0")
    if kind == "http":
        headers = {"Authorization": f"Bearer {os.environ['MEMLEDGER_API_KEY']}"}
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http_client:
            transport = streamable_http_client(words[0], http_client=http_client)
            async with Client(transport, mode=mode, client_info=info) as client:
                yield client
    else:
        command = StdioServerParameters(command=words[0], args=list(words[1:]))
        async with Client(command, mode=mode, client_info=info, read_timeout_seconds=30) as client:
            yield client


async def use(client, mode, kind):
    async def call(tool, arguments, **options):
        return await client.call_tool(tool, arguments, **options)

    async def succeed(tool, arguments, **options):
        result = await call(tool, arguments, **options)
        if result.is_error:
            raise AssertionError(f"{tool} ({mode}): {text_of(result)}")
        return result.structured_content

    claim(f"the server says who it is ({mode})", client.server_info.name == "memledger", client.server_info)
    claim(f"it says when to search and what to save ({mode})", "memory_search" in (client.instructions or ""), client.instructions)
    listed = [tool.name for tool in (await client.list_tools()).tools]
    expected = TOOLS + (REVIEW_TOOLS if kind == "http" else [])
    claim(f"the tools are in their order ({mode})", listed == expected, listed)

    content = f"Client {kind} {mode} keeps its documents in Lisbon."
    tag = f"{kind}-{mode}"
    saved = await succeed("memory_save", {"content": content, "type": "fact", "importance": 0.8, "tags": [tag]})
    claim(f"a memory is created ({mode})", saved["status"] == "created", saved)
    again = await succeed("memory_save", {"content": content, "type": "fact"})
    claim(f"a second one is already known ({mode})", again == {"status": "already known", "id": saved["id"]}, again)

    found = await succeed("memory_search", {"query": f"Where does client {kind} {mode} keep its documents?", "top_k": 5})
    claim(f"it is found by its meaning ({mode})", content in [each["content"] for each in found["results"]], found)
    page = await succeed("memory_list", {"type": "fact", "tags": [tag]})
    claim(f"it is listed by its tag ({mode})", [saved["id"]] == [each["id"] for each in page["memories"]], page)

    changed = content.replace("Lisbon", "Porto")
    updated = await succeed("memory_update", {"id": saved["id"], "content": changed})
    claim(f"it is updated ({mode})", updated == {"status": "updated", "id": saved["id"]}, updated)
    context = await succeed("memory_context", {"query": f"Where does client {kind} {mode} keep its documents?"})
    claim(f"the context has the new content ({mode})", changed in context["prompt"], context)

    progress = []

    async def on_progress(value, total, message):
        progress.append((value, total, message))

    text = "Dana: I have moved to Braga. I prefer tea in the morning. " * 30
    await succeed("memory_extract", {"text": text, "dry_run": True}, progress_callback=on_progress)
    values = [value for value, _, _ in progress]
    claim(f"an extraction tells its progress ({mode})", len(values) > 0 and values == sorted(set(values)), progress)

    await succeed("memory_delete", {"id": saved["id"]})
    refused = await call("memory_delete", {"id": saved["id"]})
    claim(f"a refusal is a result that says so ({mode})", refused.is_error and len(text_of(refused)) > 0, refused)
    wrong = await call("memory_save", {"content": ["no text"], "type": "fact"})
    claim(f"a wrong type is refused by its name ({mode})", wrong.is_error and '"content"' in text_of(wrong), wrong)
    try:
        await call("memory_delete_all", {})
        claim(f"an unknown tool is an error ({mode})", False)
    except MCPError as error:
        claim(f"an unknown tool is an error ({mode})", error.error.code == -32602, error)

    rules = await client.read_resource("memledger://rules")
    claim(f"the rules are read ({mode})", rules.contents[0].text.startswith("# Rules"), rules)
    prompt = await client.get_prompt("context", {"query": "documents"})
    claim(f"the prompt is written ({mode})", len(prompt.messages) == 1, prompt)
    return client.protocol_version


async def main():
    kind, *words = sys.argv[1:]
    for mode, expected in (("legacy", "2025-11-25"), ("auto", "2026-07-28")):
        async with connect(kind, words, mode) as client:
            version = await use(client, mode, kind)
            claim(f"the protocol is {expected} ({mode})", version == expected, version)


asyncio.run(main())
