// Where a venue serves its public market data: the one for real money, its testnet, or an address in the place of its own.

export interface FeedUrls {
  readonly restUrl: string;
  readonly wsUrl: string;
}

export interface FeedAddresses {
  readonly live: FeedUrls;
  /** Absent where the venue has none. */
  readonly testnet?: FeedUrls;
  /** Of the streams, below an address that takes the place of the venue's own. */
  readonly streamPath: string;
}

/** Undefined where the venue has no testnet. */
export function feedUrls(
  addresses: FeedAddresses,
  { mode, baseUrl }: { readonly mode: 'testnet' | 'live'; readonly baseUrl?: string | undefined },
): FeedUrls | undefined {
  if (baseUrl === undefined) return addresses[mode];
  const restUrl = baseUrl.replace(/\/+$/, '');
  return { restUrl, wsUrl: `${restUrl.replace(/^http/, 'ws')}${addresses.streamPath}` };
}
