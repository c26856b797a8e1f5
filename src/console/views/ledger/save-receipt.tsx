// Saves the receipt of a record, which proves it to others. Signing it adds a record.

import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { useProject } from "../../project.ts";
import { saveFile } from "../../save-file.ts";

interface SaveReceiptProps {
  /** Of the record. */
  readonly id: string;
  /** Before the receipt is read, which adds a record. */
  readonly onRead: () => void;
}

export function SaveReceipt({ id, onRead }: SaveReceiptProps) {
  const { client } = useProject();
  const [error, setError] = useState<unknown>(null);
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    setError(null);
    try {
      onRead();
      const { receipt } = await client.audit.receipt(id);
      await saveFile(new Response(receipt), `record-${id}.tlog-proof`);
    } catch (failure) {
      setError(failure);
    }
    setSaving(false);
  };
  return (
    <>
      <p class="actions">
        <Button type="button" isOff={isSaving} onClick={() => void save()}>
          Save the receipt
        </Button>
      </p>
      {error !== null && <Failure error={error} onRetry={() => void save()} />}
    </>
  );
}
