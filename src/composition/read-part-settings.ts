// The settings of the agent and of the wallet as their own parts read them: only the reading, since every command does it.

import { chainOf, readModels, readPrices, readProviders } from '../agent/agent-settings.ts';
import type { AgentSettings, WalletSettings } from '../config.ts';
import { readAddress } from '../wallet/address.ts';
import { readCaps } from '../wallet/caps.ts';
import { readPrivateKey } from '../wallet/private-key.ts';

export function readAgent({ providers, models, prices, access }: AgentSettings) {
  const named = readProviders(providers);
  const modelOf = readModels(models);
  const priceOf = readPrices(prices);
  const chain = chainOf(named.value, modelOf.value, access);
  // What is wrong with a name would be told again as a missing provider.
  const chainFaults = named.faults.length > 0 ? [] : chain.faults;
  return {
    chain: chain.value,
    prices: priceOf.value,
    faults: [...named.faults, ...modelOf.faults, ...priceOf.faults, ...chainFaults],
  };
}

export const agentFaults = (settings: AgentSettings): readonly string[] => readAgent(settings).faults;

/** What the settings' own readers cannot know; told with all other faults at the start. */
export const walletFaults = ({
  allowedContracts,
  caps,
  privateKey,
  keystore,
  password,
  token,
}: WalletSettings): readonly string[] => [
  ...readCaps(caps).faults.map((fault) => `WALLET_CAPS: ${fault}`),
  ...allowedContracts.flatMap((text) => {
    const read = readAddress(text);
    return 'fault' in read ? [`WALLET_ALLOWED_CONTRACTS: ${JSON.stringify(text)} ${read.fault}`] : [];
  }),
  ...(privateKey !== undefined && 'fault' in readPrivateKey(privateKey)
    ? [`WALLET_PRIVATE_KEY: ${(readPrivateKey(privateKey) as { fault: string }).fault}`]
    : []),
  ...(privateKey !== undefined && keystore !== undefined
    ? ['WALLET_PRIVATE_KEY and WALLET_KEYSTORE are both set; keep one of them']
    : []),
  ...(keystore !== undefined && password === undefined
    ? ['WALLET_KEYSTORE needs WALLET_PASSWORD; set the password of the key file']
    : []),
  ...((privateKey !== undefined || keystore !== undefined) && token === undefined
    ? [
        'a signing key needs WALLET_TOKEN; set 16 or more random characters, which every write of /wallet then carries in the header X-Wallet-Token',
      ]
    : []),
];
