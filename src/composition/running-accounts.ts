// The accounts of the running instance, asked by a command: it alone knows which are open, whatever the environment of the command is.

import { connectOverHttp } from '../cli/connect.ts';
import type { DoctorCheck, OpenedAccounts } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { liveAmong } from './account-rows.ts';
import { holderAddress } from './holder-address.ts';

/** Venues are asked one by one, and one that is away is waited for. */
const VENUES_TIMEOUT_MS = 180_000;

/** What is asked of the running instance, or of the settings where none runs. */
export type AskedAccounts = Pick<OpenedAccounts, 'list' | 'test' | 'live' | 'confirm'> & {
  /** What `signalbox doctor` says of them; with `live` their venues are asked. */
  check(options: { readonly live: boolean }): Promise<readonly DoctorCheck[]>;
};

export function runningAccounts({ dataDir, internalToken }: Pick<Config, 'dataDir' | 'internalToken'>): AskedAccounts {
  async function ask<Result>(method: 'GET' | 'POST', path: string, body?: object): Promise<Result> {
    const url = await holderAddress(dataDir);
    const connection = connectOverHttp(url, internalToken, { timeoutMs: VENUES_TIMEOUT_MS });
    const { status, body: answered } = await connection.call(method, `/admin/accounts${path}`, body);
    const { result, error = `status ${status}` } = answered as { readonly result: Result; readonly error?: string };
    if (status === 200) return result;
    throw new Error(`the running instance at ${url} says: ${error}`);
  }
  const list: AskedAccounts['list'] = () => ask('GET', '');
  return {
    list,
    test: (name) => ask('POST', '/test', name),
    live: async (name) => liveAmong((await list()).accounts, name, IN_INSTANCE),
    confirm: async (name) => void (await ask('POST', '/confirm', name)),
    check: (options) => ask('POST', '/check', options),
  };
}

export const IN_INSTANCE = 'in the running instance';
