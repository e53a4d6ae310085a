// The address allowlist: addresses, CIDR ranges, and the word that stands for a charting platform's published senders.

/** As TradingView publishes them for its webhooks. */
export const TRADINGVIEW_ADDRESSES = ['52.89.214.238', '34.212.75.30', '54.218.53.128', '52.32.178.7'] as const;

/** More entries than this are a mistake, not a policy. */
export const MAX_ALLOWLIST_ENTRIES = 256;

/** Replaces the word `tradingview` by its addresses. */
export const expandAllowlist = (entries: readonly string[]): readonly string[] =>
  entries.flatMap((entry) => (entry.toLowerCase() === 'tradingview' ? TRADINGVIEW_ADDRESSES : [entry]));
