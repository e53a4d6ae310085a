// What to do about a refusal, beside the server's own words: by its code, with the guide that tells the rest.

export interface Remedy {
  readonly words: string;
  /** A file of docs/guides. */
  readonly guide?: string;
}

const ALERT: Remedy = {
  words: 'Mend the alert and let it fire again: what is wrong with it stands above, each fault by itself.',
  guide: 'tradingview.md',
};
const PAUSED: Remedy = {
  words: 'Somebody paused it. Resume it (npx signalbox resume, or /resume in the chat), then send the signal again.',
  guide: 'limits.md',
};
const LIMIT: Remedy = {
  words: 'A limit that you have set did its work. Send less, wait, or change the limit (npx signalbox limits list).',
  guide: 'limits.md',
};

const REMEDIES: Readonly<Record<string, Remedy>> = {
  INVALID_JSON: ALERT,
  INVALID_PAYLOAD: ALERT,
  AUTHENTICATION_FAILED: {
    words: 'Put a key that is in force into the alert. A key that was lost is made anew: npx signalbox keys create.',
    guide: 'security.md',
  },
  KEY_OUT_OF_SCOPE: {
    words: 'This key is for other markets. Use another one, or widen what it may trade.',
    guide: 'limits.md',
  },
  ADDRESS_BLOCKED: {
    words: 'Let the address in (npx signalbox allowlist), if the signal was yours.',
    guide: 'tradingview.md',
  },
  DUPLICATE_SIGNAL: {
    words:
      'Nothing is to be done: the first of the two was accepted. A new trade needs a new idempotencyKey or alertId.',
    guide: 'tradingview.md',
  },
  KEY_PAUSED: PAUSED,
  STRATEGY_PAUSED: PAUSED,
  ACCOUNT_PAUSED: PAUSED,
  SYMBOL_PAUSED: PAUSED,
  KILL_SWITCH_ACTIVE: {
    words: 'Trading is stopped. Lift the kill switch above, then send the signal again.',
    guide: 'closing.md',
  },
  UNKNOWN_SYMBOL: {
    words: 'Write the market as the exchange does, or map the name that your charts use (npx signalbox symbol-map).',
    guide: 'tradingview.md',
  },
  UNKNOWN_ACCOUNT: { words: 'Name an account that there is, or leave it out for "main".', guide: 'accounts.md' },
  VENUE_NOT_CONFIGURED: {
    words: 'Set the credentials of this exchange, or trade it on paper.',
    guide: 'going-live.md',
  },
  LIVE_NOT_CONFIRMED: {
    words: 'The first order with real money asks you once. Answer, then send it again.',
    guide: 'going-live.md',
  },
  CANNOT_SIZE: {
    words: 'Send a quantity that can be worked out now, or what it is worked out from.',
    guide: 'sizing.md',
  },
  ORDER_TOO_LARGE: {
    words: 'Send a smaller quantity, or several signals; or lower the leverage, where it says so.',
    guide: 'limits.md',
  },
  POSITION_DIFFERS: {
    words: 'The strategy and your account do not agree. Bring them together before its next alert.',
    guide: 'tradingview.md',
  },
  OPPOSITE_POSITION: { words: 'Close what is held first, or send it without a limit price.', guide: 'orders.md' },
  STOP_WRONG_SIDE: { words: 'Put the stop on the other side of the market.', guide: 'trailing-stops.md' },
  STALE_DATA: { words: 'The prices of the venue stood still. Send it again when they move.', guide: 'market-data.md' },
  VENUE_UNREACHABLE: { words: 'The venue did not answer. Send it again when it does.', guide: 'going-live.md' },
  ORDER_REJECTED: { words: 'The venue said no, for the reason above.', guide: 'going-live.md' },
  RATE_LIMITED: { words: 'Send fewer signals a minute under this key, or raise its limit.', guide: 'limits.md' },
};

export const remedyOf = (code: string): Remedy | undefined =>
  REMEDIES[code] ?? (code.startsWith('LIMIT_') ? LIMIT : undefined);
