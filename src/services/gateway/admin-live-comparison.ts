// GET /admin/deployments/{id}/compare: anybody's live deployment beside the backtest of the same days, for the operator.

import { z } from 'zod';
import { type Endpoint, paramOf } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { liveComparisonSchema } from '../../library/live-comparison/comparison-schema.ts';
import type { LiveComparisons } from '../../library/live-comparison/live-comparisons.ts';
import { runFaultOf } from '../../library/run-fault.ts';
import { answer, TAGS } from './admin-answers.ts';
import { ok, refused } from './responses.ts';

export interface AdminComparisonDeps {
  /** Undefined where nothing runs: then nobody can run a script, and none has bars. */
  readonly comparisons?: LiveComparisons | undefined;
}

const NOT_RUNNING = 'no deployment can be compared while Signalbox does not run; start it with "signalbox start"';

export const comparisonAdminEndpoint = ({ comparisons }: AdminComparisonDeps): Endpoint => ({
  method: 'get',
  path: '/admin/deployments/{id}/compare',
  summary: 'Lay the live trades of a deployed strategy over its backtest',
  tags: TAGS,
  params: z.object({ id: z.string().meta({ examples: ['$DEPLOYMENT_ID'] }) }),
  responses: {
    ...ok('Fill by fill', liveComparisonSchema),
    404: refused('DEPLOYMENT_NOT_FOUND'),
    422: refused('DEPLOYMENT_NOT_COMPARABLE'),
  },
  async handler(c) {
    if (comparisons === undefined) throw new Refusal('DEPLOYMENT_NOT_COMPARABLE', NOT_RUNNING);
    const outcome = await comparisons.compare(paramOf(c, 'id'));
    if (outcome.kind === 'compared') return answer(c, outcome.comparison);
    if (outcome.kind === 'missing') throw new Refusal('DEPLOYMENT_NOT_FOUND');
    if (outcome.kind !== 'run-failed') throw new Refusal('DEPLOYMENT_NOT_COMPARABLE', outcome.reason);
    const fault = runFaultOf(outcome.outcome);
    if (fault instanceof Error) throw fault;
    throw new Refusal('DEPLOYMENT_NOT_COMPARABLE', `the script does not run: ${fault.message}`);
  },
});
