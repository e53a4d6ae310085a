// The second opinions of one deployment as they are shown: the newest of them, and how often each was said.

import type { Deployment } from '../deployment.ts';
import type { Opinion, OpinionCounts } from './opinion.ts';
import type { OpinionStore } from './opinion-store.ts';

export interface FoundOpinions {
  readonly kind: 'opinions';
  readonly deployment: Deployment;
  /** Newest first. */
  readonly opinions: readonly Opinion[];
  readonly counts: OpinionCounts;
}

export async function findOpinions(
  store: Pick<OpinionStore, 'list' | 'counts'>,
  deployment: Deployment,
  limit: number,
): Promise<FoundOpinions> {
  const [opinions, counts] = await Promise.all([store.list(deployment.id, limit), store.counts(deployment.id)]);
  return { kind: 'opinions', deployment, opinions, counts };
}
