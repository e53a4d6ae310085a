// Said before something is sent that was sent already without a certain answer: what sending it again means.

import { useMemo } from 'preact/hooks';
import { inDoubt, nameOf } from '../../server/in-doubt.ts';
import { dayAndTime } from '../../ui/times.ts';
import './sent-before.css';

export interface SentBeforeProps {
  readonly path: string;
  readonly body: object;
}

/** As it stood when this was first asked about: what is sent from here on is answered here. */
export function SentBefore({ path, body }: SentBeforeProps) {
  const name = nameOf(path, body);
  const sentAtMs = useMemo(() => inDoubt(name)?.sentAtMs, [name]);
  if (sentAtMs === undefined) return null;
  return (
    <p class="sent-before" role="note">
      <strong>Sent at {dayAndTime(sentAtMs, Date.now())}, and no certain answer came.</strong> Sent again it is done
      once at most: where it was done already you are told so, and nothing new happens.
    </p>
  );
}
