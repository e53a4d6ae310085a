// What to do about a refusal, beside the server's own words: by its code and whose rule it was, with the guide that tells the rest.

import { linkTo } from '../../ui/places.ts';
import { type Subject, subjectLink, subjectWords } from '../limits/limit-words.ts';
import { remedyLinkOf } from './remedy-links.ts';

export interface Remedy {
  readonly words: string;
  /** The name of its file in docs/guides, without the ending. */
  readonly guide?: string;
  /** Where it is done. */
  readonly link?: { readonly href: string; readonly words: string };
}

const ALERT: Remedy = {
  words: 'Mend the alert and let it fire again: what is wrong with it stands above, each fault by itself.',
  guide: 'tradingview',
};
const PAUSED: Remedy = { words: 'Somebody paused it. Resume it, then send the signal again.', guide: 'limits' };
const LIMIT: Remedy = {
  words: 'A limit that you have set did its work. Send less, wait, or change the limit.',
  guide: 'limits',
};

const REMEDIES: Readonly<Record<string, Remedy>> = {
  INVALID_JSON: ALERT,
  INVALID_PAYLOAD: ALERT,
  AUTHENTICATION_FAILED: {
    words: 'Put a key that is in force into the alert. A key that was lost is made anew: npx signalbox keys create.',
    guide: 'security',
  },
  KEY_OUT_OF_SCOPE: {
    words: 'This key is for other markets. Use another one, or widen what it may trade.',
    guide: 'limits',
  },
  ADDRESS_BLOCKED: {
    words: 'Let the address in (npx signalbox allowlist), if the signal was yours.',
    guide: 'tradingview',
  },
  DUPLICATE_SIGNAL: {
    words:
      'Nothing is to be done: the first of the two was accepted. A new trade needs a new idempotencyKey or alertId.',
    guide: 'tradingview',
  },
  KEY_PAUSED: PAUSED,
  STRATEGY_PAUSED: PAUSED,
  ACCOUNT_PAUSED: PAUSED,
  SYMBOL_PAUSED: PAUSED,
  KILL_SWITCH_ACTIVE: {
    words: 'A kill switch is on: the message says whose. Lift it, then send the signal again.',
    guide: 'closing',
  },
  UNKNOWN_SYMBOL: {
    words: 'Write the market as the exchange does, or map the name that your charts use (npx signalbox symbol-map).',
    guide: 'tradingview',
  },
  UNKNOWN_ACCOUNT: { words: 'Name an account that there is, or leave it out for "main".', guide: 'accounts' },
  VENUE_NOT_CONFIGURED: {
    words: 'Set the credentials of this exchange, or trade it on paper.',
    guide: 'going-live',
  },
  LIVE_NOT_CONFIRMED: {
    words: 'The first order with real money asks you once. Answer, then send it again.',
    guide: 'going-live',
  },
  CANNOT_SIZE: {
    words: 'Send a quantity that can be worked out now, or what it is worked out from.',
    guide: 'sizing',
  },
  ORDER_TOO_LARGE: {
    words: 'Send a smaller quantity, or several signals; or lower the leverage, where it says so.',
    guide: 'limits',
  },
  POSITION_DIFFERS: {
    words: 'The strategy and your account do not agree. Bring them together before its next alert.',
    guide: 'tradingview',
  },
  OPPOSITE_POSITION: { words: 'Close what is held first, or send it without a limit price.', guide: 'orders' },
  STOP_WRONG_SIDE: { words: 'Put the stop on the other side of the market.', guide: 'trailing-stops' },
  STALE_DATA: { words: 'The prices of the venue stood still. Send it again when they move.', guide: 'market-data' },
  VENUE_UNREACHABLE: { words: 'The venue did not answer. Send it again when it does.', guide: 'going-live' },
  ORDER_REJECTED: { words: 'The venue said no, for the reason above.', guide: 'going-live' },
  RATE_LIMITED: { words: 'Send fewer signals a minute under this key, or raise its limit.', guide: 'limits' },
};

/** Whose limit, pause or switch it was, as the messages of the server begin; a reason that somebody wrote comes after that. */
const WHOSE =
  /^(?:(?:trading is|new positions are) disabled by the kill switch of|the|\w+ of) (key|strategy|account|symbol) ("(?:[^"\\]|\\.)*")/;

function subjectIn(error: string): Subject | undefined {
  const [, kind, name] = WHOSE.exec(error) ?? [];
  return name === undefined ? undefined : { kind: kind as Subject['kind'], name: JSON.parse(name) as string };
}

export function remedyOf(code: string, error: string | null): Remedy | undefined {
  const known = REMEDIES[code] ?? (code.startsWith('LIMIT_') ? LIMIT : undefined);
  const place = remedyLinkOf(code);
  const remedy = known && place ? { link: place, ...known } : known;
  if (remedy === undefined || error === null || !RESTRICTED.test(code)) return remedy;
  const subject = subjectIn(error);
  if (subject === undefined && OVER_ALL.test(error)) return { ...remedy, words: ALL_STOPPED };
  if (subject === undefined)
    return { ...remedy, link: { href: linkTo('limits'), words: 'Limits, pauses and switches' } };
  const link = { href: subjectLink(subject), words: `Open the limits of ${subjectWords(subject)}` };
  if (code !== 'KILL_SWITCH_ACTIVE') return { ...remedy, link };
  const words = `The kill switch of ${subjectWords(subject)} is on, and no other needs to be lifted for it. Lift that one, then send the signal again.`;
  return { ...remedy, words, link: { ...link, words: `Lift the switch of ${subjectWords(subject)}` } };
}

/** What a restriction of one refuses. */
const RESTRICTED = /^(?:LIMIT_|KILL_SWITCH_ACTIVE$|KEY_OUT_OF_SCOPE$|\w+_PAUSED$)/;
const OVER_ALL = /^(?:trading is|new positions are) disabled by the kill switch\b/;
const ALL_STOPPED = 'Trading is stopped. Lift the kill switch above, then send the signal again.';
