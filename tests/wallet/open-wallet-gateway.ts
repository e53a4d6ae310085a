// A gateway with a wallet over a real ledger; the chain is in memory unless a test brings a real one.

import { randomUUID } from 'node:crypto';
import { createGuessLimit, type GuessLimit } from '../../src/http/guess-limit.ts';
import type { ChainName } from '../../src/wallet/chain.ts';
import type { Ledger } from '../../src/wallet/ledger.ts';
import { createFakeChain, fakeSigner } from '../../src/wallet/testing/fake-chain.ts';
import { NO_RULES, STUCK_MS } from '../../src/wallet/testing/open-test-wallet.ts';
import { createWallet, type Wallet, type WalletOptions } from '../../src/wallet/wallet.ts';
import type { GatewayOptions, Sent } from '../support/gateway.ts';
import { freshGateway } from '../webhook/answers.ts';

export interface WalletGatewayOptions extends Partial<Omit<WalletOptions, 'rules'>> {
  readonly rules?: Partial<WalletOptions['rules']>;
  readonly gateway?: GatewayOptions;
  /** Of the wallet's token. */
  readonly guesses?: GuessLimit;
  /** Put in front of the real ledger, to break it. */
  readonly aroundLedger?: (real: Ledger) => Ledger;
}

export const WALLET_TOKEN = 'a wallet token of tests';
export const WITH_TOKEN = { 'x-wallet-token': WALLET_TOKEN };

export const FEW: Readonly<Record<ChainName, number>> = { ethereum: 3, arbitrum: 3, polygon: 3 };

export async function openWalletGateway(given: WalletGatewayOptions = {}) {
  const { gateway: gatewayOptions, rules, aroundLedger = (real) => real, ...rest } = given;
  const { guesses = createGuessLimit({ monotonicMs: () => performance.now() }), ...options } = rest;
  const fake = createFakeChain();
  let wallet: Wallet | undefined;
  const gateway = await freshGateway({
    ...gatewayOptions,
    wallet: async ({ controls, ledger, nowMs, troubles }) => {
      const made = createWallet({
        chains: { ethereum: fake.chain },
        signer: fakeSigner,
        ledger: aroundLedger(ledger),
        killSwitch: () => controls.current().killSwitch,
        nowMs,
        newId: randomUUID,
        stuckAfterMs: STUCK_MS,
        confirmations: FEW,
        pollMs: 10,
        onTrouble: (what, error) => troubles.push(`${what}: ${error}`),
        ...options,
        rules: { ...NO_RULES, ...rules },
      });
      wallet = made;
      return {
        wallet: made,
        token: WALLET_TOKEN,
        guesses,
        onFault: (error) => troubles.push(String(error)),
        close: () => made.stop(),
      };
    },
  });
  const ask = (operation: string, body: object = {}): Promise<Sent> =>
    gateway.request('POST', `/wallet/${operation}`, { chain: 'ethereum', ...body }, { headers: WITH_TOKEN });
  return { ...gateway, fake, wallet: wallet as Wallet, ask };
}

export type WalletGateway = Awaited<ReturnType<typeof openWalletGateway>>;
