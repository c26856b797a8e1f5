// Shows long work: how much is done, and a way to cancel it.

interface ProgressProps {
  /** What is done, such as "Verifying records". */
  readonly label: string;
  readonly done: number;
  /** Null: unknown. */
  readonly total: number | null;
  /** Such as "12,000 of 100,000 records". */
  readonly detail?: string;
  readonly onCancel?: () => void;
}

export function Progress({ label, done, total, detail, onCancel }: ProgressProps) {
  return (
    <div class="progress">
      <span class="label">{label}</span>
      {detail !== undefined && <span class="quiet count">{detail}</span>}
      {onCancel !== undefined && (
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      )}
      {total === null ? (
        <progress aria-label={label} />
      ) : (
        <progress aria-label={label} value={Math.min(done, total)} max={Math.max(total, 1)} />
      )}
    </div>
  );
}

/** A row of light bars while something short is loaded. */
export function Loading({ label = "Loading" }: { readonly label?: string }) {
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">{label}</span>
    </div>
  );
}
