// Accounts with open positions or unfinished trades that a start would not open, because their mode or their credentials are not set
// any more. Nobody would guard or close what they hold, and their signals would trade on paper, so such a start is refused unless
// LEAVE_POSITIONS names them.

import { unsettledInWords } from '../adapters/storage/sql/trading/unsettled.ts';
import { type Config, ConfigError } from '../config.ts';
import { settingPrefix } from '../exchanges/exchange.ts';
import { type AccountName, modeInWords } from '../trading/accounts.ts';
import type { RaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { accountAlarm } from './account-alarms.ts';
import { unsettledAccounts } from './storage.ts';

interface LookParts {
  readonly config: Pick<Config, 'dataDir' | 'databaseUrl' | 'leavePositions'>;
  /** Those that are opened now. */
  readonly accounts: readonly AccountName[];
}

interface LeftParts extends LookParts {
  readonly alarms: Pick<RaisedAlarms, 'stand'>;
}

interface LeftAccount {
  readonly name: AccountName;
  /** What it has. */
  readonly words: string;
}

/** Throws where one is left that nobody has named. */
export async function leftAccounts({ config, accounts }: LookParts): Promise<readonly LeftAccount[]> {
  const isOpen = (name: AccountName): boolean => accounts.some((each) => inFull(each) === inFull(name));
  const unsettled = unsettledAccounts(config);
  const closed = (await unsettled.real()).filter((name) => !isOpen(name));
  const looked = closed.map(async (name) => ({ name, unsettled: unsettledInWords(await unsettled.of(name)) }));
  const left = (await Promise.all(looked))
    .filter(({ unsettled }) => unsettled !== '')
    .map(({ name, unsettled }) => ({ name, words: `${withMode(name)} has ${unsettled}, and is not open` }));
  const unnamed = left.filter(({ name }) => !config.leavePositions.includes(inFull(name)));
  if (unnamed.length > 0) {
    const all = left.map(({ name }) => inFull(name)).join(',');
    throw new ConfigError(unnamed.map(({ name, words }) => `${words} with these settings: ${remedies(name, all)}`));
  }
  return left;
}

/** The same for a start: an alarm stands for each as long as the process lasts. */
export async function tellLeftAccounts({ alarms, ...look }: LeftParts): Promise<void> {
  for (const { name, words } of await leftAccounts(look))
    alarms.stand(
      accountAlarm(name),
      `${words}: nothing there is traded, guarded or closed by Signalbox (LEAVE_POSITIONS). ` +
        `To take it up again, set ${modeSetting(name)} and its credentials, and restart`,
    );
}

const inFull = ({ exchange, account, mode }: AccountName): string => `${exchange}:${account}:${mode}`;
const withMode = ({ exchange, account, mode }: AccountName): string => `${exchange}:${account} (${modeInWords(mode)})`;
const modeSetting = ({ exchange, mode }: AccountName): string => `${settingPrefix(exchange)}_MODE=${mode}`;

const remedies = (name: AccountName, all: string): string =>
  `nobody would guard or close that. To go on, set ${modeSetting(name)} and its credentials again; what was closed at the venue ` +
  `meanwhile is then found out. To leave it alone, set LEAVE_POSITIONS=${all}.`;
