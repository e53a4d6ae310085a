// What every endpoint of the deployments begins with: whose they are, how many lines are wanted, and the word where there is none.

import type { KitContext } from '../../http/context.ts';
import type { Deployments, TradePort } from '../../library/deployments/index.ts';
import { refusal, type ScriptsRefusal } from './refusal.ts';
import type { Authenticate } from './require-key.ts';
import type { StorageGuard } from './storage-refusal.ts';

export interface DeploymentRoutesDeps {
  readonly authenticate: Authenticate;
  /** Undefined where no durable database is bound. */
  readonly deployments: Deployments | undefined;
  /** Whose webhook key that is; undefined where no gateway trades. */
  readonly identifyKey?: TradePort['identify'] | undefined;
  readonly stored: StorageGuard;
  readonly monotonicMs: () => number;
}

const DEFAULT_LINES = 100;

/** Whose deployments a call is about. */
export const visitOf =
  ({ authenticate, deployments }: Pick<DeploymentRoutesDeps, 'authenticate' | 'deployments'>) =>
  async (c: KitContext): Promise<{ userId: string; deployments: Deployments }> => {
    const { userId } = await authenticate(c);
    if (deployments === undefined)
      throw refusal('UNAVAILABLE', 'no database for scripts is bound; the operator has to set SCRIPT_DATABASE');
    return { userId, deployments };
  };

export function limitOf(c: KitContext, most: number): number {
  const text = c.req.query('limit') ?? String(DEFAULT_LINES);
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > most) throw refusal('INVALID_FIELD', `limit: must be a whole number from 1 to ${most}`);
  return limit;
}

/** Said of another user's deployment in the very same words. */
export const noDeployment = (): ScriptsRefusal =>
  refusal('NOT_FOUND', 'there is no such deployment of this key; GET /api/deployments lists those there are');
