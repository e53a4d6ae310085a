// Under which address a charting platform reaches this Signalbox, and why it cannot where it cannot.

import { isLoopback } from '../../server/confidential.ts';

export interface PublicAddress {
  readonly address: string;
  /** Why alerts would not arrive there, with what to do; undefined where nothing speaks against it. */
  readonly doubt: string | undefined;
}

const PRIVATE =
  /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|\[f[cde]|[^.]+$|.*\.(?:local|lan|internal|home)$)/;
const GUIDE = 'Put a proxy or a tunnel with https before it and set BASE_URL to its address.';

/** What BASE_URL says counts; without it the address by which this page was opened. */
export function publicAddress(baseUrl: string | null | undefined, origin: string): PublicAddress {
  const address = baseUrl ?? origin;
  return { address, doubt: doubtOf(new URL(address)) };
}

function doubtOf({ protocol, hostname, port }: URL): string | undefined {
  if (isLoopback(hostname))
    return `TradingView cannot reach ${hostname}: that is this machine alone, and alerts will not arrive. ${GUIDE}`;
  if (PRIVATE.test(hostname))
    return `TradingView cannot reach ${hostname}: that name leads nowhere outside your network. ${GUIDE}`;
  if (port !== '') return `TradingView calls the ports 443 and 80 alone, not ${port}. ${GUIDE}`;
  if (protocol !== 'https:') return 'Without https the key travels in clear. Put TLS before it.';
  return undefined;
}
