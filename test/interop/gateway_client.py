"""Uses the official Python clients of OpenAI and Anthropic, and prints one line of JSON for each use: its name and what the client gave.

  gateway_client.py ORIGIN         with the key in GATEWAY_KEY, and headers for each request as JSON in GATEWAY_HEADERS
"""
import asyncio, json, os, sys

import anthropic
import openai

ORIGIN, KEY = sys.argv[1], os.environ["GATEWAY_KEY"]
HEADERS = json.loads(os.environ["GATEWAY_HEADERS"])
OPENAI = dict(base_url=f"{ORIGIN}/v1", api_key=KEY, default_headers=HEADERS)
ANTHROPIC = dict(base_url=ORIGIN, api_key=KEY, default_headers=HEADERS)
MESSAGES = [{"role": "user", "content": "When do we release?"}]
LOOK = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {"day": {"type": "string"}}}}}


def dump(value):
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


def settle(name, work):
    try:
        result = work()
    except (openai.APIError, anthropic.APIError) as error:
        result = {"error": type(error).__name__, "message": error.message, "status": getattr(error, "status_code", None)}
    print(json.dumps([name, dump(result)]), flush=True)


def collect(stream):
    return [dump(event) for event in stream]


client = openai.OpenAI(**OPENAI)
chat = lambda model, **more: client.chat.completions.create(model=model, messages=MESSAGES, **more)
settle("openai: a chat", lambda: chat("plain"))
settle("openai: tools", lambda: chat("tools", tools=[LOOK]))
settle("openai: a stream", lambda: collect(chat("plain", stream=True)))
settle("openai: a stream that is cut at every byte", lambda: collect(chat("chat-bytes", stream=True, stream_options={"include_usage": True})))
settle("openai: a stream that ends with an error", lambda: collect(chat("chat-error", stream=True)))
settle("openai: a response", lambda: client.responses.create(model="responses-whole", input="When?"))
settle("openai: a stream of a response", lambda: collect(client.responses.create(model="responses-bytes", input="When?", stream=True)))
settle("openai: embeddings", lambda: client.embeddings.create(model="other", input=["one"], encoding_format="float"))
for model in ("openai-400", "openai-401", "openai-429", "openai-500"):
    settle(f"openai: {model}", lambda: chat(model))

other = anthropic.Anthropic(**ANTHROPIC)
message = lambda model, **more: other.messages.create(model=model, max_tokens=64, messages=MESSAGES, **more)
settle("anthropic: a message", lambda: message("plain"))
settle("anthropic: thinking and tools", lambda: message("messages-whole"))
settle("anthropic: a stream", lambda: collect(message("messages-bytes", stream=True)))
settle("anthropic: a stream that ends with an error", lambda: collect(message("messages-error", stream=True)))
settle("anthropic: the count of tokens", lambda: other.messages.count_tokens(model="plain", messages=MESSAGES))
for model in ("anthropic-400", "anthropic-429", "anthropic-529"):
    settle(f"anthropic: {model}", lambda: message(model))


async def at_once():
    async with openai.AsyncOpenAI(**OPENAI) as asynchronous:
        async def one(number):
            content = f"This is stream {number}."
            stream = await asynchronous.chat.completions.create(model="plain", messages=[{"role": "user", "content": content}], stream=True)
            text = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
            return content in text
        return await asyncio.gather(*(one(number) for number in range(20)))


settle("openai: twenty streams at once", lambda: asyncio.run(at_once()))
