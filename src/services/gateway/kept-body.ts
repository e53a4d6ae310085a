// What is kept of a body that was refused: which fields of a signal it had, and the values of those that say what was to be
// traded, each only in a form that leaves no room for a key. Everything else may hold a secret in a spelling nobody thought
// of (spaced out, percent-encoded, in two halves) and is not kept at all.
//
// The body is searched for `name: value` as a text, JSON or not: a body that is broken is what people look for most.

/** Behind this nothing is looked for: a signal is far shorter. */
const MAX_READ_BYTES = 8192;
const MASK = '***';

/** In one case only: hardly ever are twelve characters in a row of a random key, or twenty with digits. */
const WORD = /^(?:[A-Z_]{1,12}|[a-z_]{1,12})$/;
const MARKET = /^(?:[A-Z0-9._:/-]{1,20}|[a-z0-9._:/-]{1,20})$/;
const NUMBER = /^-?(?:\d{1,15}(?:\.\d{0,18})?|\.\d{1,18})(?:e[+-]?\d{1,2})?$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A market and a time, as `{{ticker}}-{{timenow}}` renders them. */
const ALERT = /^[A-Z0-9._:/-]{1,20}-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const SIZE = /^[a-z_]{1,16}$/;
const NEVER = /^(?!)/;

const FORMS: Readonly<Record<string, RegExp>> = {
  apiKey: NEVER,
  exchange: WORD,
  account: WORD,
  strategy: WORD,
  action: WORD,
  symbol: MARKET,
  ticker: MARKET,
  quantity: NUMBER,
  contracts: NUMBER,
  quantityType: SIZE,
  ownQuantity: WORD,
  price: NUMBER,
  timeInForce: WORD,
  postOnly: WORD,
  cancelAfterSeconds: NUMBER,
  leverage: NUMBER,
  stopLoss: NUMBER,
  takeProfit: NUMBER,
  trailPercent: NUMBER,
  trail: NEVER,
  activationPrice: NUMBER,
  targets: NEVER,
  breakEvenAfter: NUMBER,
  maxHoldSeconds: NUMBER,
  marketPosition: WORD,
  prevMarketPosition: WORD,
  marketPositionSize: NUMBER,
  prevMarketPositionSize: NUMBER,
  idempotencyKey: UUID,
  alertId: ALERT,
};

/** In a text inside JSON a line end is two characters, of which the second would be taken for the beginning of a name. */
const ESCAPED_BLANK = /\\[nrt]/g;
const NAME = `(?<![A-Za-z0-9_])(${Object.keys(FORMS).join('|')})`;
/** Blanks and values are bounded, so that the search costs no more than the length of the body, whatever it is made of. */
const BETWEEN = String.raw`\\?["']?\s{0,4}[:=]\s{0,4}`;
/** Looked at and not taken: behind a value that never ends there may be the next name. */
const VALUE = String.raw`(?:\\?["'](?=([^"'\\]{0,64}))|(?=([^\s"'\\,;&{}]{0,64})))`;
const FIELD = new RegExp(NAME + BETWEEN + VALUE, 'g');

/** As JSON; empty where no field of a signal was found. A name that stands twice counts where it stands first. */
export function keptBody(body: Uint8Array): string {
  const text = new TextDecoder().decode(body.subarray(0, MAX_READ_BYTES)).replace(ESCAPED_BLANK, ' ');
  const kept = new Map<string, string | number>();
  for (const [, name = '', quoted, bare = ''] of text.matchAll(FIELD)) {
    const value = quoted ?? bare;
    const isKept = FORMS[name]?.test(value) === true;
    if (!kept.has(name)) kept.set(name, !isKept ? MASK : quoted === undefined && NUMBER.test(value) ? +value : value);
  }
  return kept.size === 0 ? '' : JSON.stringify(Object.fromEntries(kept));
}
