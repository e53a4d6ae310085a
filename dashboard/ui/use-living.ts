// An object that changes by itself, for a component: made once, and shown again whenever it says that it has changed.

import { useState } from 'preact/hooks';

export function useLiving<Living>(make: (onChange: () => void) => Living): Living {
  const [, setTurn] = useState(0);
  const [living] = useState(() => make(() => setTurn((turn) => turn + 1)));
  return living;
}
