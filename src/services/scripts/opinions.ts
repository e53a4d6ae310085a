// GET /api/deployments/{id}/opinions: what became of TradingView's own alerts of a deployed script, and the text for them.

import { z } from 'zod';
import { type Endpoint, type EndpointHandler, paramOf } from '../../http/endpoint.ts';
import { statusErrorSchema } from '../../http/status-shape.ts';
import { KEPT_OPINIONS, opinionsFields, opinionsView } from '../../library/deployments/index.ts';
import { type DeploymentRoutesDeps, limitOf, noDeployment, visitOf } from './deployment-visit.ts';

const refused = (description: string) => ({ description, schema: statusErrorSchema });

export function opinionEndpoints(
  deps: Pick<DeploymentRoutesDeps, 'authenticate' | 'deployments' | 'stored'>,
): readonly Endpoint[] {
  const visit = visitOf(deps);

  const handler: EndpointHandler = async (c) => {
    const { userId, deployments } = await visit(c);
    const asked = deployments.opinions(userId, paramOf(c, 'id'), limitOf(c, KEPT_OPINIONS));
    const outcome = await deps.stored(c, asked);
    if (outcome.kind !== 'opinions') throw noDeployment();
    return c.json({ status: 'success', ...opinionsView(outcome) });
  };

  return [
    {
      method: 'get',
      path: '/api/deployments/{id}/opinions',
      door: 'scriptKey',
      tags: ['Live deployments'],
      params: z.object({ id: z.string().meta({ examples: ['$DEPLOYMENT_ID'] }) }),
      summary: "What became of TradingView's own alerts of the script, newest first",
      description: 'With the text to paste into TradingView, so that each of its alerts has a name that is known here.',
      query: z.object({
        limit: z
          .string()
          .optional()
          .meta({ description: `1 to ${KEPT_OPINIONS}; 100 when left out` }),
      }),
      responses: {
        200: { description: 'Opinions', schema: z.object({ status: z.literal('success'), ...opinionsFields }) },
        400: refused('INVALID_FIELD'),
        401: refused('NO_KEY, INVALID_KEY'),
        404: refused('NOT_FOUND'),
        500: refused('INTERNAL'),
        503: refused('API_KEYS_REQUIRED, UNAVAILABLE'),
      },
      handler,
    },
  ];
}
