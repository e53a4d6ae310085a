// The answers of the server that the pages show, by the schemas of its services.

import type { z } from 'zod';
import type { accountReportSchema } from '../../src/services/gateway/account.ts';
import type { keySchema, killSwitchSchema } from '../../src/services/gateway/admin-schemas.ts';
import type { barsSchema } from '../../src/services/gateway/bars.ts';
import type { checkedSchema } from '../../src/services/gateway/check-schemas.ts';
import type { equityCurveSchema } from '../../src/services/gateway/equity.ts';
import type { marketSchema } from '../../src/services/gateway/markets.ts';
import type { orderSchema } from '../../src/services/gateway/order-schemas.ts';
import type { performanceSchema } from '../../src/services/gateway/performance.ts';
import type { drawdownSchema } from '../../src/services/gateway/performance-drawdown.ts';
import type { latencySchema } from '../../src/services/gateway/performance-latency.ts';
import type { closedTradeSchema } from '../../src/services/gateway/performance-trades.ts';
import type { twinReportSchema } from '../../src/services/gateway/performance-twin.ts';
import type { positionSchema } from '../../src/services/gateway/position-views.ts';
import type { protectionSchema } from '../../src/services/gateway/protection-views.ts';
import type { refusalSchema } from '../../src/services/gateway/schemas.ts';
import type { tradeSchema } from '../../src/services/gateway/trade-schemas.ts';
import type { guardedTradeSchema } from '../../src/services/gateway/trades.ts';

export type Account = z.infer<typeof accountReportSchema>;
export type EquityCurve = z.infer<typeof equityCurveSchema>;
export type Bars = z.infer<typeof barsSchema>;
export type Market = z.infer<typeof marketSchema>;
export type Position = z.infer<typeof positionSchema>;
export type Trade = z.infer<typeof tradeSchema>;
export type TradeDetail = z.infer<typeof guardedTradeSchema>;
export type Refusal = z.infer<typeof refusalSchema>;
export type Order = z.infer<typeof orderSchema>;
export type Performance = z.infer<typeof performanceSchema>;
export type Checked = z.infer<typeof checkedSchema>;
export type ClosedTrade = z.infer<typeof closedTradeSchema>;
export type Drawdown = z.infer<typeof drawdownSchema>;
export type Latency = z.infer<typeof latencySchema>;
export type Protection = z.infer<typeof protectionSchema>;
export type TwinReport = z.infer<typeof twinReportSchema>;
export type WebhookKey = z.infer<typeof keySchema>;
export type KillSwitch = z.infer<typeof killSwitchSchema>;

/** How most answers are wrapped. */
export interface Result<T> {
  readonly result: T;
}

export interface Health {
  readonly release: string;
  readonly environment: string;
  readonly mode: 'paper' | 'testnet' | 'live';
  readonly venues: Readonly<Record<string, string>>;
  readonly prices: string;
}

export interface Readiness {
  readonly status: string;
  readonly checks: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

export interface KillSwitches extends Result<KillSwitch> {
  /** Since when it has been on; null while it is off, or where an earlier version threw it. */
  readonly since: number | null;
  /** The switches of single keys, strategies, accounts and symbols that are on. */
  readonly others: readonly {
    readonly kind: string;
    readonly name: string;
    readonly scope: KillSwitch['scope'];
    readonly reason: string | null;
  }[];
}
