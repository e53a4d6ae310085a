// The bodies and answers of /wallet: raw form or token form, every amount as digits in text, every address checked.

import { z } from 'zod';
import { readAddress, ZERO_ADDRESS } from '../../wallet/address.ts';
import { CHAINS, type Hex } from '../../wallet/chain.ts';
import { OPERATIONS } from '../../wallet/ledger.ts';
import {
  DEFAULT_DEADLINE_S,
  DEFAULT_SLIPPAGE_BPS,
  MAX_ALLOWED_SLIPPAGE_BPS,
  MAX_SLIPPAGE_BPS,
} from '../../wallet/swap-request.ts';
import { notificationResultSchema, tradeResultSchema } from './schemas.ts';

/** Nodes take transactions of 128 KiB. */
const MAX_DATA_CHARS = 2 + 2 * 128 * 1024;
/** The cost of moving native value; nothing is cheaper. */
const MIN_GAS = 21_000;
/** The largest blocks of the chains we know hold about this much. */
const MAX_GAS = 30_000_000;
const MAX_TOKENS = 50;
const MAX_UINT = 2n ** 256n - 1n;

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description }) as T;

const address = z.string().transform((text, ctx) => {
  const read = readAddress(text);
  if ('address' in read) return read.address;
  ctx.addIssue({ code: 'custom', message: read.fault });
  return z.NEVER;
});
/** What goes to nobody is gone, and a left-out field of a program often becomes this. */
const party = address.refine((value) => value !== ZERO_ADDRESS, {
  error: 'is the zero address, what goes there is lost',
});
const tokenRef = z.union([z.literal('native'), party]);
const amount = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, {
    error: 'is no whole amount, send digits in the smallest unit (wei), without a point or exponent',
  })
  .transform(BigInt)
  .refine((value) => value <= MAX_UINT, { error: 'is too large, no amount has more than 256 bits' });
const positive = amount.refine((value) => value > 0n, { error: 'is nothing, send more than 0' });
const data = z
  .string()
  .max(MAX_DATA_CHARS)
  .regex(/^0x([0-9a-fA-F]{2})*$/, { error: 'is no encoded call, send 0x and an even number of hex digits' })
  .transform((text) => text.toLowerCase() as Hex);
const hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, { error: 'is no transaction hash, send 0x and 64 hex digits' })
  .transform((text) => text.toLowerCase() as Hex);

const chain = described(z.enum(CHAINS), 'Always required');
const base = {
  chain,
  gasLimit: described(
    z.number().int().min(MIN_GAS).max(MAX_GAS).optional(),
    'Left out: what the simulation needs, and half as much again (a fifth for a plain payment)',
  ),
  idempotencyKey: described(z.uuid().optional(), 'A repeat is 409 with the original'),
};
const raw = {
  to: described(party.optional(), 'Raw form: recipient or contract'),
  value: described(amount.optional(), 'Raw form: wei as text, default "0"'),
  data: described(data.optional(), 'Raw form: encoded call, default "0x"'),
};

interface Forms {
  readonly rawOnly: readonly string[];
  readonly tokenOnly: readonly string[];
  /** What the token form cannot do without. */
  readonly needed: readonly string[];
}

/** One form or the other: half of each could mean anything, and money hangs on it. */
const oneForm =
  ({ rawOnly, tokenOnly, needed }: Forms) =>
  (body: object, ctx: z.core.$RefinementCtx): void => {
    const has = (name: string): boolean => (body as Record<string, unknown>)[name] !== undefined;
    const fault = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message });
    const inToken = tokenOnly.filter(has);
    const inRaw = rawOnly.filter(has);
    if (inToken.length > 0) {
      for (const name of inRaw)
        fault(name, `belongs to the raw form and ${inToken.join(', ')} to the token form, send one form`);
      for (const name of needed) if (!has(name)) fault(name, 'is missing, add it');
    } else if (!has('to')) fault('to', `is missing, add it, or use the token form: ${needed.join(', ')}`);
  };

export const statusSchema = z.strictObject({ chain });

export const balanceSchema = z
  .strictObject({
    chain,
    address: described(address.optional(), 'Whose balance; the wallet’s own when left out'),
    token: tokenRef.optional(),
    tokens: described(
      z.array(tokenRef).max(MAX_TOKENS).optional(),
      'ERC-20 contracts; the native balance is always there',
    ),
    ...{ to: described(address.optional(), 'The same as address'), value: amount.optional(), data: data.optional() },
    gasLimit: base.gasLimit,
  })
  .refine(({ address: one, to }) => one === undefined || to === undefined, {
    path: ['to'],
    error: 'says the same as address, send one of them',
  });

const swapFields = {
  tokenIn: described(tokenRef.optional(), 'ERC-20 contract, or "native"'),
  tokenOut: described(tokenRef.optional(), 'ERC-20 contract, or "native"'),
  amountIn: described(positive.optional(), 'In the smallest unit of tokenIn'),
  slippageBps: described(
    z.number().int().min(0).max(MAX_ALLOWED_SLIPPAGE_BPS).optional(),
    `Hundredths of a percent; default ${DEFAULT_SLIPPAGE_BPS}`,
  ),
  allowHighSlippage: described(z.boolean().optional(), `Needed above ${MAX_SLIPPAGE_BPS}`),
};
const slippageFault = {
  path: ['slippageBps'],
  error: `is above ${MAX_SLIPPAGE_BPS} (10 %), lower it, or send allowHighSlippage: true if you mean it`,
};
const hasMeantSlippage = ({
  slippageBps = 0,
  allowHighSlippage,
}: {
  slippageBps?: number | undefined;
  allowHighSlippage?: boolean | undefined;
}): boolean => slippageBps <= MAX_SLIPPAGE_BPS || allowHighSlippage === true;

export const quoteSchema = z
  .strictObject({ chain, ...swapFields, tokenIn: tokenRef, tokenOut: tokenRef, amountIn: positive })
  .refine(hasMeantSlippage, slippageFault);

const swapOnly = {
  ...swapFields,
  minAmountOut: described(positive.optional(), 'A bound of your own; the higher one counts'),
  deadlineS: described(z.number().int().min(30).max(3600).optional(), `Seconds; default ${DEFAULT_DEADLINE_S}`),
};
export const swapSchema = z
  .strictObject({ ...base, ...raw, ...swapOnly })
  .superRefine(
    oneForm({
      rawOnly: Object.keys(raw),
      tokenOnly: Object.keys(swapOnly),
      needed: ['tokenIn', 'tokenOut', 'amountIn'],
    }),
  )
  .refine(hasMeantSlippage, slippageFault);

const approval = {
  token: party.optional(),
  spender: party.optional(),
  amount: described(amount.optional(), 'Exact; "0" takes the permission away'),
};
export const approveSchema = z
  .strictObject({ ...base, ...raw, ...approval })
  .superRefine(oneForm({ rawOnly: Object.keys(raw), tokenOnly: Object.keys(approval), needed: Object.keys(approval) }));

export const transferSchema = z
  .strictObject({ ...base, ...raw, token: tokenRef.optional(), amount: positive.optional() })
  .superRefine(
    oneForm({ rawOnly: ['value', 'data'], tokenOnly: ['token', 'amount'], needed: ['token', 'to', 'amount'] }),
  )
  .refine(({ token, to }) => token === undefined || token !== to, {
    path: ['to'],
    error: 'is the token itself, what a token contract receives is lost',
  });

export const sendSchema = z.strictObject({ ...base, ...raw, to: party });

export const transactionsSchema = z.strictObject({
  chain,
  hash: described(hash.optional(), 'One transaction, also by a hash that was replaced'),
  limit: z.number().int().min(1).max(100).optional(),
  before: described(hash.optional(), 'A hash: only transactions older than it'),
});

const digits = z.string();
export const WALLET_STATUSES = ['Pending', 'Confirmed', 'Reverted', 'Replaced', 'Dropped'] as const;

export const statusResultSchema = z.object({
  chain,
  chainId: z.number().int(),
  address: z.string().nullable(),
  canSign: z.boolean(),
  nonce: z.object({ latest: z.number().int(), pending: z.number().int() }).nullable(),
  pendingTransactions: z.number().int(),
  confirmationsNeeded: z.number().int(),
  policy: z.object({
    maxValueWei: digits.nullable(),
    dailyLimitWei: digits.nullable(),
    spentTodayWei: digits,
    allowedContracts: z.array(z.string()),
    caps: described(z.record(z.string(), digits), 'By chain and token'),
    maxPriceImpactBps: z.number().nullable(),
  }),
});

export const balanceResultSchema = z.object({
  chain,
  address: z.string(),
  native: z.object({ amount: digits, decimals: z.number().int() }),
  tokens: z.array(z.object({ token: z.string(), symbol: z.string(), decimals: z.number().int(), amount: digits })),
});

export const quoteResultSchema = z.object({
  chain,
  tokenIn: z.string(),
  tokenOut: z.string(),
  amountIn: digits,
  amountOut: digits,
  minAmountOut: digits,
  slippageBps: z.number().int(),
  priceImpactBps: z.number().nullable(),
  protocol: z.string(),
  router: z.string(),
  path: z.array(z.string()),
  feesPath: z.array(z.number().int()),
});

export const transactionSchema = z.object({
  requestId: z.string(),
  chain,
  operation: z.enum(OPERATIONS),
  status: z.enum(WALLET_STATUSES),
  state: described(z.string(), 'Where it stands in the nonce queue: reserved, signed, sent, mined, …'),
  hash: z.string().nullable(),
  replacedHashes: described(z.array(z.string()), 'Earlier forms with a lower fee'),
  nonce: z.number().int(),
  from: z.string(),
  to: z.string(),
  valueWei: digits,
  gasLimit: digits,
  details: z.record(z.string(), z.unknown()),
  amountOut: described(digits.nullable(), 'Of a swap in a block: what really came out'),
  blockNumber: z.number().int().nullable(),
  confirmations: z.number().int(),
  confirmationsNeeded: z.number().int(),
  feeWei: digits.nullable(),
  error: z.string().nullable(),
  createdAt: z.number().int(),
  updatedAt: z.number().int(),
});

export const walletTradeResultSchema = tradeResultSchema
  .omit({ account: true })
  .extend({ status: z.enum(WALLET_STATUSES) });

export const walletAnswerOf = (result: z.ZodType) =>
  z.object({
    success: z.literal(true),
    requestId: z.string(),
    tradeResult: walletTradeResultSchema.nullable(),
    notificationResult: notificationResultSchema.nullable(),
    result,
  });
