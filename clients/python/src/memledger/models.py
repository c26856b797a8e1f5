"""The types of answers, such as models.AgentMemory."""

from ._generated.models import *  # noqa: F403
from ._generated.models import __all__ as __all__
