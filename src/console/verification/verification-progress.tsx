// Shows how far a verification is, and cancels it.

import { Progress } from "../parts/progress.tsx";
import type { Progress as Verified } from "./verify-export.ts";

interface VerificationProgressProps {
  readonly progress: Verified;
  readonly onCancel: () => void;
}

export function VerificationProgress({ progress, onCancel }: VerificationProgressProps) {
  const { doneBytes: done, totalBytes: total } = progress;
  const detail = `${megabytes(done)} of ${megabytes(total)} MB`;
  return <Progress label="Verifying" done={done} total={total} detail={detail} onCancel={onCancel} />;
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toLocaleString("en", { maximumFractionDigits: 1 });
}
