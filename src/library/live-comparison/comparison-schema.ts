// The shape of a comparison of a deployment with its backtest, as answers have it.

import { z } from 'zod';

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });
const ms = described(z.int(), 'Unix milliseconds');
const scriptFill = z.object({ side: z.enum(['buy', 'sell']), quantity: z.number(), price: z.number() });

const VERDICTS = [
  ...['filled', 'partly', 'waiting', 'refused', 'not-sent'],
  ...['missing', 'different', 'extra', 'dry-run', 'told', 'silent'],
] as const;

const comparedFill = z.object({
  verdict: described(z.enum(VERDICTS), 'What became of this fill of the script'),
  reason: z.string().nullable(),
  barTimeMs: ms,
  orderId: described(z.string(), 'Of the script; of an extra one where it came from'),
  expected: described(scriptFill.nullable(), 'As the backtest has it; null of an extra one'),
  told: described(scriptFill.extend({ atMs: ms }).nullable(), 'As it was told live'),
  keyLabel: z.string().nullable(),
  trade: z.object({ requestId: z.string(), status: z.string(), account: z.string() }).nullable(),
  live: described(scriptFill.extend({ atMs: ms, fee: z.number() }).nullable(), 'What the venue filled of it'),
  delayMs: z.number().nullable(),
  slippage: described(z.number().nullable(), 'What the price was worse than expected'),
  slippageMoney: described(z.number().nullable(), 'That, times the quantity'),
});

export const liveComparisonSchema = z.object({
  deploymentId: z.string(),
  name: z.string(),
  symbol: z.string(),
  interval: z.string(),
  mode: z.enum(['dry-run', 'trade']),
  fromMs: ms,
  toMs: described(z.int(), 'Start of the last bar that is compared'),
  fills: z.array(comparedFill),
  totals: z.object({
    verdicts: described(z.record(z.string(), z.int()), 'How many of each'),
    slippageMoney: z.number(),
    fees: described(z.number(), 'Of the venue'),
    meanDelayMs: z.number().nullable(),
    backtestProfit: described(z.number(), 'At the last close, open positions included, fees taken off'),
    liveProfit: z.number(),
  }),
});
