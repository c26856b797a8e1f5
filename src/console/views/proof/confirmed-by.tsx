// Who has confirmed a checkpoint, as its note says: the server has verified it when it stored it, and the verification checks it again.

import { Time } from "../../parts/text/time.tsx";

interface ConfirmedByProps {
  readonly note: string;
  /** Whether it has a time stamp. */
  readonly isStamped: boolean;
}

export function ConfirmedBy({ note, isStamped }: ConfirmedByProps) {
  const witnesses = cosignersOf(note);
  return (
    <span class="confirmed-by quiet">
      {witnesses.map(({ name, at }) => (
        <span key={name}>
          Confirmed by <bdi>{name}</bdi> at <Time at={at} />
        </span>
      ))}
      {isStamped && <span>Has a time stamp</span>}
      {witnesses.length === 0 && !isStamped && <span>Confirmed by nobody outside</span>}
    </span>
  );
}

const keyIdBytes = 4;
const timeBytes = 8;
/** A line of the ledger has a key id and a signature, without a time. */
const ownLineBytes = 68;

/** Names and times of the cosignatures of a note (C2SP tlog-cosignature). Verifies nothing. */
export function cosignersOf(note: string): readonly { readonly name: string; readonly at: string }[] {
  return [...note.matchAll(/^\u2014 (\S+) ([A-Za-z0-9+/]+=*)$/gmu)].flatMap(([, name = "", encoded = ""]) => {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    if (bytes.length < ownLineBytes + timeBytes) return [];
    const seconds = Number(new DataView(bytes.buffer).getBigUint64(keyIdBytes));
    const at = new Date(seconds * 1_000);
    return Number.isNaN(at.getTime()) ? [] : [{ name, at: at.toISOString() }];
  });
}
