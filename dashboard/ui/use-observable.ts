// An object that changes by itself, for a component: made once, and shown again whenever it says that it has changed.

import { useState } from 'preact/hooks';

export function useObservable<Observable>(make: (onChange: () => void) => Observable): Observable {
  const [, setTurn] = useState(0);
  const [observable] = useState(() => make(() => setTurn((turn) => turn + 1)));
  return observable;
}
