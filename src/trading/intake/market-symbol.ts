// One market has many spellings; this turns every one that charts and venues use into the same plain name.

/** Lets through exactly the characters the contract names, 1 to 20 of them. */
export const SYMBOL_PATTERN = /^[A-Za-z0-9._:/-]{1,20}$/;

/** The longest spelling that any door takes, `BINANCE:1000PEPEUSDT.P` and longer. */
export const MAX_SPELLING_CHARS = 64;

const PERPETUAL_SUFFIX = /(?:\.P|[-_/.]PERP|[-_]SWAP)+$/;
/** `VENUE:` in front, `:SETTLEMENT` behind a pair with a slash; both may stand there. */
const SHAPE = /^(?:[A-Z0-9._-]+:)?([^:/]+\/[^:/]+):[A-Z0-9]+$|^(?:[^:]+:)?([^:]+)$/;
/** Runs of letters and digits, one separator between two of them. */
const NAME = /^[A-Z0-9]+(?:[-_/.][A-Z0-9]+)*$/;

/** Nothing to take off: most signals name their market like this. */
const PLAIN = /^[A-Z0-9]+$/;

/** `BINANCE:BTCUSDT.P`, `BTC/USDT`, `BTC/USDT:USDT`, `BTC_USDT` and `btcusdt` are all `BTCUSDT`; undefined for what is no market's name. */
export function marketOf(symbol: string): string | undefined {
  // Whoever sends a megabyte as a symbol must not have it searched again and again.
  if (symbol.length > MAX_SPELLING_CHARS) return undefined;
  if (PLAIN.test(symbol)) return symbol;
  const parts = SHAPE.exec(symbol.toUpperCase());
  const name = parts?.[1] ?? parts?.[2];
  if (name === undefined || !NAME.test(name)) return undefined;
  // Twice: what stood before a separator may end in a suffix once the separator is gone.
  return name.replace(PERPETUAL_SUFFIX, '').replace(/[-_/]/g, '').replace(PERPETUAL_SUFFIX, '');
}
