// GET /sessions and DELETE /sessions/{sessionId}: who is logged in, and ending one of them or all others.

import { z } from 'zod';
import type { ListedSession } from '../../access/sessions.ts';
import { actorOf } from '../../http/audit.ts';
import type { KitContext } from '../../http/context.ts';
import { type Endpoint, paramOf } from '../../http/endpoint.ts';
import { answer, inHttpTerms, type SessionDeps } from './session-proof.ts';
import { answered, sessionParams, sessionSchema, TAGS } from './session-schemas.ts';

const PATH = '/sessions';

export const sessionListEndpoints = ({ access }: SessionDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: PATH,
    summary: 'The sessions of the dashboard, used last first',
    tags: TAGS,
    responses: answered('Who is logged in', z.array(sessionSchema)),
    handler: async (c) =>
      answer(
        c,
        (await access.sessions.list()).map((session) => viewOf(session, c)),
      ),
  },
  {
    method: 'delete',
    path: PATH,
    summary: 'End all sessions but the one that asks',
    tags: TAGS,
    responses: answered('Those that have ended', z.array(sessionSchema)),
    async handler(c) {
      const ended = await access.sessions.endOthers(c.var.sessionId, actorOf(c));
      return answer(
        c,
        ended.map((session) => viewOf(session, c)),
      );
    },
  },
  {
    method: 'delete',
    path: `${PATH}/{sessionId}`,
    summary: 'End one session at once',
    tags: TAGS,
    params: sessionParams,
    responses: { ...answered('It has ended', sessionSchema), 404: { description: 'SESSION_NOT_FOUND' } },
    async handler(c) {
      const ended = await inHttpTerms(() => access.sessions.end(paramOf(c, 'sessionId'), actorOf(c)));
      return answer(c, viewOf(ended, c));
    },
  },
];

const viewOf = ({ id, createdAtMs, lastUsedAtMs, endsAtMs, address, userAgent }: ListedSession, c: KitContext) => ({
  sessionId: id,
  current: id === c.var.sessionId,
  createdAt: createdAtMs,
  lastUsedAt: lastUsedAtMs,
  endsAt: endsAtMs,
  address,
  userAgent,
});
