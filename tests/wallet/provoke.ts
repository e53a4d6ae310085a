// How each refusal of the wallet is provoked through the front door.

import type { GatewayErrorCode } from '../../src/services/gateway/errors.ts';
import { FRIEND, TOKEN } from '../../src/wallet/testing/fake-chain.ts';
import type { Sent } from '../support/gateway.ts';
import { KEY_1 } from '../webhook/answers.ts';
import { openWalletGateway, type WalletGateway } from './open-wallet-gateway.ts';

const PAY = { to: FRIEND, value: '1' };
const SWAP = { tokenIn: TOKEN, tokenOut: 'native', amountIn: '1000' };

const on =
  (prepare: (gateway: WalletGateway) => void, operation = 'send', body: object = PAY) =>
  async (): Promise<Sent> => {
    const gateway = await openWalletGateway();
    prepare(gateway);
    return gateway.ask(operation, body);
  };

export const WALLET_PROVOCATIONS = {
  WALLET_POLICY: async () => (await openWalletGateway({ rules: { maxValueWei: 0n } })).ask('send', PAY),
  TRANSACTION_NOT_FOUND: on(() => {}, 'transactions', { hash: `0x${'0'.repeat(64)}` }),
  DUPLICATE_TRANSACTION: async () => {
    const gateway = await openWalletGateway();
    await gateway.ask('send', { ...PAY, idempotencyKey: KEY_1 });
    return gateway.ask('send', { ...PAY, idempotencyKey: KEY_1 });
  },
  TRANSACTION_WOULD_REVERT: on(({ fake }) => {
    fake.world.revert = 'no';
  }),
  TRANSACTION_REFUSED: on(({ fake }) => {
    fake.world.refuse = 'no';
  }),
  SWAP_REFUSED: on(
    ({ fake }) => {
      fake.world.price = 0n;
    },
    'swap',
    SWAP,
  ),
  WALLET_BUSY: async () => {
    const gateway = await openWalletGateway();
    gateway.fake.world.losing = 'before';
    await gateway.ask('send', PAY);
    gateway.fake.world.losing = undefined;
    gateway.fake.world.refuse = 'no';
    return gateway.ask('send', PAY);
  },
  CHAIN_UNREACHABLE: on(({ fake }) => {
    fake.world.down = 'before';
  }),
  WALLET_NOT_CONFIGURED: async () => (await openWalletGateway({ signer: undefined })).ask('send', PAY),
  CHAIN_NOT_CONFIGURED: async () => (await openWalletGateway({ chains: {} })).ask('status'),
  APPROVAL_PENDING: async () => {
    const gateway = await openWalletGateway();
    // Nothing is mined, and the minute of waiting passes in a moment.
    const asked = gateway.ask('swap', SWAP);
    const timer = setInterval(() => {
      gateway.clock.offsetMs += 30_000;
    }, 20);
    return asked.finally(() => clearInterval(timer));
  },
} satisfies Partial<Record<GatewayErrorCode, () => Promise<Sent>>>;
