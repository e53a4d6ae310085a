// GET /admin/reach: by which ways signals come in from outside, and whether TradingView has ever found one.

import { z } from 'zod';
import type { Endpoint } from '../../http/endpoint.ts';
import { answer, TAGS } from './admin-answers.ts';
import { NO_QUERY, readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { described } from './schemas.ts';

export const reachSchema = z.object({
  baseUrl: described(z.string().nullable(), 'BASE_URL: the address for others; null where none is set'),
  tradingviewCall: described(
    z.object({ at: z.number().int(), address: z.string() }).nullable(),
    'When one of the addresses of TradingView last called a webhook, whatever became of the signal; null: never',
  ),
  mail: described(
    z.object({ port: z.number().int(), senders: z.array(z.string()) }).nullable(),
    'Where signals by mail arrive and who may send them; null while SMTP_PORT is not set',
  ),
});

export interface AdminReachDeps {
  readonly reach: () => z.infer<typeof reachSchema>;
}

export const reachEndpoints = ({ reach }: AdminReachDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/admin/reach',
    summary: 'How signals reach this instance, and when TradingView last did',
    tags: TAGS,
    responses: { ...ok('As far as it can be told from inside', reachSchema), 400: refused('INVALID_QUERY') },
    handler(c) {
      readQuery(c, NO_QUERY);
      return answer(c, reach());
    },
  },
];
