// Seals the secret of the authenticator app with the owner's master key, as the credentials of accounts are; where there is none it stays in clear.

import { randomBytes } from 'node:crypto';
import type { TotpSeal } from '../access/totp-seal.ts';
import { MasterKeyFault, readMasterKeyFile } from '../adapters/keystores/master-key-file.ts';
import type { Config } from '../config.ts';
import { Sealer } from '../keys/sealed-text.ts';

/** It cannot be moved to anything else that is sealed. */
const WHOSE = 'the authenticator app of the dashboard';
/** Base32, as versions before this one kept it, and as it is kept without a master key. */
const IN_CLEAR = /^[A-Z2-7]+$/;

/** The key is looked for each time: the first stored account may make it while we run. */
export function openTotpSeal({ masterKey, dataDir }: Pick<Config, 'masterKey' | 'dataDir'>): TotpSeal {
  let last: { readonly key: string; readonly sealer: Sealer } | undefined;
  const sealer = (): Sealer | undefined => {
    const key = masterKey ?? readMasterKeyFile(dataDir);
    if (key === undefined) return undefined;
    if (last?.key !== key) last = { key, sealer: new Sealer({ masterKey: key, randomBytes }) };
    return last.sealer;
  };
  return {
    seal: async (secret) => (await sealer()?.seal(secret, WHOSE)) ?? secret,
    async open(stored) {
      if (IN_CLEAR.test(stored)) return stored;
      const found = sealer();
      if (found === undefined) throw new MasterKeyFault('there is no master key');
      return found.open(stored, WHOSE);
    },
  };
}
