// The signing key as the command line uses it: standard input, and the key file of the settings.

import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { importKey, keystoreAddress } from '../adapters/keystores/v3/keystore.ts';
import { createDurably } from '../adapters/storage/durable-file.ts';
import type { WalletHost } from '../cli/host.ts';
import type { Hex } from '../wallet/chain.ts';
import { addressOfKey, readPrivateKey } from '../wallet/private-key.ts';
import { noPlaceForKeyFile } from './no-instance.ts';
import { readConfig } from './read-config.ts';

function keyFile(file: string | undefined): string {
  if (file !== undefined) return file;
  const { wallet, dataDir } = readConfig();
  if (wallet.keystore !== undefined) return wallet.keystore;
  // A key may be sealed before the first start, but the folder is the owner's choice.
  if (!existsSync(dataDir)) throw noPlaceForKeyFile(dataDir);
  return join(dataDir, 'wallet.json');
}

export const walletHost: WalletHost = {
  async importWalletKey({ privateKey, password, file }) {
    const path = keyFile(file);
    const sealed = { path, privateKey, password, randomBytes, newId: randomUUID, createFile: createDurably };
    return { address: await importKey(sealed), file: path };
  },
  async walletAddress(file) {
    const { privateKey } = readConfig().wallet;
    if (file === undefined && privateKey !== undefined)
      return { address: addressOfKey((readPrivateKey(privateKey) as { key: Hex }).key), where: 'WALLET_PRIVATE_KEY' };
    return { address: await keystoreAddress(keyFile(file)), where: keyFile(file) };
  },
};
