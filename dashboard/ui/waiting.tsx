// What stands where an answer will be: nothing for a moment, then its outline, and words once it takes long.

import { useEffect, useState } from 'preact/hooks';
import { QUIET_MS } from './use-lasting.ts';
import './waiting.css';

/** An outline says enough until then. */
const LONG_MS = 1_000;

export function Waiting() {
  const [state, setState] = useState<'quiet' | 'slow' | 'long'>('quiet');
  useEffect(() => {
    const timers = [setTimeout(() => setState('slow'), QUIET_MS), setTimeout(() => setState('long'), LONG_MS)];
    return () => timers.forEach(clearTimeout);
  }, []);
  if (state === 'quiet') return null;
  return (
    <div class="waiting">
      <span aria-hidden="true" />
      <span aria-hidden="true" />
      <span aria-hidden="true" />
      {state === 'long' && (
        <p class="quiet" role="status">
          Waiting for Signalbox…
        </p>
      )}
    </div>
  );
}
