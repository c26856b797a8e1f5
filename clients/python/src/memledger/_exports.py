# Owns waiting for an export, which the server writes in the background.

from __future__ import annotations

from ._errors import MemledgerError
from ._generated.async_resources import AsyncAudit
from ._generated.models import ExportDetail
from ._generated.resources import Audit

FIRST_PAUSE_SECONDS = 0.2
PAUSE_MAX_SECONDS = 5.0


class AuditLedger(Audit):
    """The calls of the ledger, and waiting for an export."""

    def wait_for_export(self, export_id: str) -> ExportDetail:
        """Reads the status of an export until it is completed. Raises MemledgerError if it has failed."""
        pause = FIRST_PAUSE_SECONDS
        while True:
            task = self.export_status(export_id)
            if _is_completed(task):
                return task
            self._calls.sleep(pause)
            pause = min(2 * pause, PAUSE_MAX_SECONDS)


class AsyncAuditLedger(AsyncAudit):
    """The calls of the ledger, and waiting for an export."""

    async def wait_for_export(self, export_id: str) -> ExportDetail:
        """Reads the status of an export until it is completed. Raises MemledgerError if it has failed."""
        pause = FIRST_PAUSE_SECONDS
        while True:
            task = await self.export_status(export_id)
            if _is_completed(task):
                return task
            await self._calls.sleep(pause)
            pause = min(2 * pause, PAUSE_MAX_SECONDS)


def _is_completed(task: ExportDetail) -> bool:
    if task.status == "failed":
        raise MemledgerError(f"The export {task.export_id} failed: {task.error}. Create a new one.")
    return task.status == "completed"
