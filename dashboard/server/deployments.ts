// Scripts that run live, as the server tells of them, and every way to change them. They belong to the user's own key.

import type { z } from 'zod';
import type { newDeploymentSchema } from '../../src/services/scripts/deployment-schemas.ts';
import { ask, SLOW_WITHIN_MS } from './ask.ts';

export type NewDeployment = z.input<typeof newDeploymentSchema>;

export interface Deployment {
  readonly id: string;
  readonly scriptId: string;
  readonly revision: number;
  readonly name: string;
  readonly symbol: string;
  readonly interval: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly targets: readonly { readonly type: string; readonly [field: string]: unknown }[];
  readonly scriptType: 'indicator' | 'strategy';
  readonly mode: 'dry-run' | 'trade';
  readonly orderMessage: string | null;
  readonly initialCapital: number | null;
  readonly state: 'running' | 'paused' | 'failed';
  readonly createdAt: number;
  readonly lastRunAt: number | null;
  readonly lastBarTime: number;
  readonly lastError: string | null;
  readonly runs: number;
  readonly alerts: number;
  readonly position: number | null;
  readonly drift: string | null;
  readonly barsFrom: string | null;
}

export interface LogLine {
  readonly at: number;
  readonly kind: string;
  readonly message: string;
  readonly barTime?: number;
}

export interface Opinions {
  readonly alert: { readonly path: string; readonly message: string | null; readonly note: string } | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly opinions: readonly {
    readonly alertId: string;
    readonly state: string;
    readonly words: string;
    readonly expectedAt: number | null;
    readonly arrivedAt: number | null;
    readonly updatedAt: number;
  }[];
}

export interface Comparison {
  readonly fills: readonly {
    readonly verdict: string;
    readonly reason: string | null;
    readonly barTimeMs: number;
    readonly orderId: string;
    readonly expected: { readonly side: string; readonly quantity: number; readonly price: number } | null;
    readonly live: { readonly price: number } | null;
    readonly slippageMoney: number | null;
  }[];
  readonly totals: {
    readonly slippageMoney: number;
    readonly fees: number;
    readonly backtestProfit: number;
    readonly liveProfit: number;
  };
}

export const DEPLOYMENTS = '/api/deployments';
export const deploymentPath = (id: string, part = ''): string => `${DEPLOYMENTS}/${encodeURIComponent(id)}${part}`;

/** What it still holds, with the way to close it; null where nothing is held. */
interface Left {
  readonly note: string | null;
}

export const pause = (key: string, id: string) => ask<Left>(deploymentPath(id, '/pause'), { method: 'POST', key });

export const resume = (key: string, id: string) => ask(deploymentPath(id, '/resume'), { method: 'POST', key });

/** `keep`: although it holds a position, which stays. */
export const remove = (key: string, id: string, keep: boolean) =>
  ask<Left>(deploymentPath(id, keep ? '?keep=true' : ''), { method: 'DELETE', key });

export const compare = async (key: string, id: string, signal: AbortSignal): Promise<Comparison> => {
  const question = { key, withinMs: SLOW_WITHIN_MS, signal };
  return (await ask<{ comparison: Comparison }>(deploymentPath(id, '/compare'), question)).comparison;
};
