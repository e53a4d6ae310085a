// What `signalbox doctor` says of accounts: which there are, whether their credentials can be opened, and with --live what venues say.

import type { DoctorCheck } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { errorText } from '../errors/error-text.ts';
import type { StoredAccountStore } from '../keys/stored-accounts.ts';
import { modeInWords } from '../trading/accounts.ts';
import type { RealAccount } from '../trading/configured-accounts.ts';
import { sharedKeysOf } from './live-accounts.ts';
import { checkLiveAccount, type LiveDoctorParts } from './live-doctor.ts';
import { madeUpPrices } from './made-up-prices.ts';
import { accountsOf, masterKeyInWords } from './stored-accounts.ts';

const NAME = 'accounts';

export interface AccountDoctorParts extends LiveDoctorParts {
  readonly config: Config;
  readonly store: StoredAccountStore;
  /** Those that are open, or would be after a start. */
  readonly real: readonly (RealAccount & { readonly keyStart: string })[];
  /** Whether venues are asked. */
  readonly live: boolean;
  /** Whether the running instance says it, and not a command by its own settings. */
  readonly isTrading: boolean;
}

/** Changes nothing. */
export async function checkAccounts(parts: AccountDoctorParts): Promise<readonly DoctorCheck[]> {
  const { real, live, isTrading } = parts;
  const checks = [...checkConfigured(parts), ...(await checkMasterKey(parts)), ...(await checkSharedKeys(parts))];
  if (!live) return checks;
  if (real.length === 0) return [...checks, nothingReal(isTrading)];
  for (const { keyStart: _, ...account } of real) checks.push(...(await checkLiveAccount(account, parts)));
  const madeUp = madeUpPrices(real, parts.config.marketData);
  return madeUp === undefined ? checks : [...checks, { name: 'prices', ok: 'warn', ...madeUp }];
}

function checkConfigured({ config, store, real }: AccountDoctorParts): DoctorCheck[] {
  const { off, faults } = accountsOf(config, store);
  const told = real.map(({ exchange, account, mode, credentialsFrom, keyStart }): DoctorCheck => {
    const detail = `${exchange}:${account} is ${modeInWords(mode)} (key ${keyStart}…, ${credentialsFrom})`;
    return { name: NAME, ok: 'ok', detail };
  });
  const waiting = off.map(({ why }): DoctorCheck => ({ name: NAME, ok: 'warn', detail: why }));
  return [...faults.map((detail): DoctorCheck => ({ name: NAME, ok: 'fail', detail })), ...told, ...waiting];
}

/** Credentials that cannot be opened are told by the check of the master key. */
async function checkSharedKeys({ real, ...parts }: AccountDoctorParts): Promise<readonly DoctorCheck[]> {
  const faults = await sharedKeysOf(real, parts).catch(() => []);
  return faults.map((detail) => ({ name: NAME, ok: 'fail', detail }));
}

/** One is enough: all are sealed with the same. */
async function checkMasterKey({ config, store, stored }: AccountDoctorParts): Promise<readonly DoctorCheck[]> {
  const [first] = store.list();
  if (first === undefined) return [];
  try {
    await stored.credentialsOf(first);
    const detail = `${masterKeyInWords(config)} opens the stored credentials`;
    return [{ name: NAME, ok: 'ok', detail, remedy: 'keep a copy of it apart from the data folder' }];
  } catch (error) {
    return [{ name: NAME, ok: 'fail', detail: errorText(error) }];
  }
}

/** Whoever says --live wants to know how a venue answers: that none was asked is no good end. */
const nothingReal = (isTrading: boolean): DoctorCheck => ({
  name: NAME,
  ok: 'fail',
  detail: isTrading
    ? 'the running instance has no testnet or live account that could be asked'
    : 'no instance runs, and by the settings of this shell there is no testnet or live account that could be asked',
  remedy: 'set TRADING_MODE and credentials, see docs/guides/going-live.md',
});
