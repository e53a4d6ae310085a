// The endpoints of /wallet but for what they do, described for /openapi.json and /docs.

import { z } from 'zod';
import type { EndpointDoc } from '../../http/endpoint.ts';
import { OPERATIONS } from '../../wallet/ledger.ts';
import { BAD_BODY, type Responses, refused } from './responses.ts';
import { errorSchema } from './schemas.ts';
import {
  approveSchema,
  balanceResultSchema,
  balanceSchema,
  quoteResultSchema,
  quoteSchema,
  sendSchema,
  statusResultSchema,
  statusSchema,
  swapSchema,
  transactionSchema,
  transactionsSchema,
  transferSchema,
  walletAnswerOf,
  walletTradeResultSchema,
} from './wallet-schemas.ts';

const NO_CHAIN = refused('CHAIN_UNREACHABLE');

const EXAMPLE = {
  chain: 'ethereum',
  to: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  token: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  router: '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D',
};

/** The schema keeps its type, so that whoever handles the operation gets what it reads. */
export type WalletDoc<T> = EndpointDoc & {
  readonly body: z.ZodType<T>;
  /** Whether it signs: then it needs the wallet's own token too. */
  readonly isWrite: boolean;
};

const operation = <T>(
  name: string,
  summary: string,
  body: z.ZodType<T>,
  bodyExample: object,
  responses: Responses,
): WalletDoc<T> => ({
  ...((OPERATIONS as readonly string[]).includes(name)
    ? { isWrite: true, asksFor: 'internalAndWalletToken' as const }
    : { isWrite: false }),
  method: 'post',
  path: `/wallet/${name}`,
  summary,
  tags: ['Wallet'],
  body,
  bodyExample: { chain: EXAMPLE.chain, ...bodyExample },
  responses: {
    ...responses,
    400: BAD_BODY,
    401: refused('UNAUTHORIZED; of a write also a missing or wrong X-Wallet-Token'),
  },
});

const read = (result: z.ZodType): Responses => ({
  200: { description: 'As the chain says now', schema: walletAnswerOf(result) },
  502: NO_CHAIN,
  503: refused('CHAIN_NOT_CONFIGURED'),
});
/** A transaction that was written down before something went wrong is told as it stands. */
const withTransaction = (description: string) => ({
  description,
  schema: errorSchema.extend({
    tradeResult: walletTradeResultSchema.optional(),
    result: transactionSchema.optional(),
  }),
});
const duplicate = errorSchema.extend({
  originalRequestId: z.string(),
  tradeResult: walletTradeResultSchema,
  result: transactionSchema,
});
const write = (refusals: string): Responses => ({
  200: {
    description: 'Signed, written down and sent; Pending until confirmed',
    schema: walletAnswerOf(transactionSchema),
  },
  403: refused('WALLET_POLICY: maximum value, caps, allowlist, daily limit, unlimited approval'),
  409: { description: 'DUPLICATE_TRANSACTION, with the original', schema: duplicate },
  422: withTransaction(refusals),
  429: withTransaction('WALLET_BUSY'),
  500: withTransaction('STORAGE_FAILED, INTERNAL'),
  502: NO_CHAIN,
  503: withTransaction('WALLET_NOT_CONFIGURED, CHAIN_NOT_CONFIGURED, KILL_SWITCH_ACTIVE'),
});
const SENT = 'TRANSACTION_WOULD_REVERT with the decoded reason, TRANSACTION_REFUSED';
const { to, token, router: spender } = EXAMPLE;

export const WALLET_DOCS = {
  status: operation('status', 'The wallet on one chain', statusSchema, {}, read(statusResultSchema)),
  balance: operation(
    'balance',
    'Native and token balances',
    balanceSchema,
    { address: to, tokens: [token] },
    read(balanceResultSchema),
  ),
  quote: operation(
    'quote',
    'What a swap would give',
    quoteSchema,
    { tokenIn: 'native', tokenOut: token, amountIn: '10000000000000000' },
    { ...read(quoteResultSchema), 422: refused('SWAP_REFUSED') },
  ),
  swap: operation(
    'swap',
    'Swap tokens within a slippage bound and a deadline',
    swapSchema,
    { tokenIn: 'native', tokenOut: token, amountIn: '10000000000000000', slippageBps: 50 },
    {
      ...write(`${SENT}, SWAP_REFUSED`),
      503: withTransaction('WALLET_NOT_CONFIGURED, CHAIN_NOT_CONFIGURED, KILL_SWITCH_ACTIVE, APPROVAL_PENDING'),
    },
  ),
  approve: operation(
    'approve',
    'Let a contract spend an exact amount, or nothing any more',
    approveSchema,
    { token, spender, amount: '25000000' },
    write(SENT),
  ),
  transfer: operation(
    'transfer',
    'Pay in the native coin or a token',
    transferSchema,
    { token: 'native', to, amount: '1000' },
    write(SENT),
  ),
  send: operation(
    'send',
    'Send a raw call',
    sendSchema,
    { to, value: '1000', data: '0x', gasLimit: 21_000 },
    write(SENT),
  ),
  transactions: operation(
    'transactions',
    'The wallet’s own ledger, newest first, or one transaction by its hash',
    transactionsSchema,
    { limit: 20 },
    {
      200: {
        description: 'From the ledger',
        schema: walletAnswerOf(z.union([transactionSchema, z.array(transactionSchema)])),
      },
      404: refused('TRANSACTION_NOT_FOUND'),
      500: refused('STORAGE_FAILED'),
    },
  ),
};
