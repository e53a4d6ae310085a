// Where the dashboard itself can do what a refusal asks for, by its code.

import { HOW_IT_RUNS } from '../../ui/places.ts';

interface Place {
  readonly href: string;
  readonly words: string;
}

const KEYS: Place = { href: '#/alerts', words: 'Open Alerts & keys' };
const ACCOUNTS: Place = { href: '#/accounts', words: 'Open Accounts' };
const POSITIONS: Place = { href: '#/positions', words: 'Open Positions' };
const RUNS: Place = { href: HOW_IT_RUNS, words: 'See how it runs' };

const LINKS: Readonly<Record<string, Place>> = {
  ...{
    INVALID_JSON: KEYS,
    INVALID_PAYLOAD: KEYS,
    AUTHENTICATION_FAILED: KEYS,
    KEY_OUT_OF_SCOPE: KEYS,
    KEY_PAUSED: KEYS,
  },
  ...{ ADDRESS_BLOCKED: KEYS, UNKNOWN_SYMBOL: KEYS, RATE_LIMITED: KEYS },
  ...{ UNKNOWN_ACCOUNT: ACCOUNTS, VENUE_NOT_CONFIGURED: ACCOUNTS, LIVE_NOT_CONFIRMED: ACCOUNTS },
  ...{ POSITION_DIFFERS: POSITIONS, OPPOSITE_POSITION: POSITIONS, STALE_DATA: RUNS, VENUE_UNREACHABLE: RUNS },
};

export const remedyLinkOf = (code: string): Place | undefined => LINKS[code];
