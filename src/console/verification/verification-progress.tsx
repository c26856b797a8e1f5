// Shows how far a verification is, and cancels it.

import type { Progress } from "./verify-export.ts";

interface VerificationProgressProps {
  readonly progress: Progress;
  readonly onCancel: () => void;
}

export function VerificationProgress({ progress, onCancel }: VerificationProgressProps) {
  const { doneBytes, totalBytes } = progress;
  return (
    <div class="progress">
      <span class="label">Verifying</span>
      <span class="quiet count">
        {megabytes(doneBytes)} of {megabytes(totalBytes)} MB
      </span>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
      <progress
        aria-label="Verifying"
        value={Math.min(doneBytes, totalBytes)}
        max={Math.max(totalBytes, 1)}
      />
    </div>
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toLocaleString("en", { maximumFractionDigits: 1 });
}
