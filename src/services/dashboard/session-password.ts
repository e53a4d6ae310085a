// PUT /session/password: the owner's password, set for the first time or changed.

import { actorOf } from '../../http/audit.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { readValid } from '../../http/read-body.ts';
import { answer, type SessionDeps, stateOf, tried } from './session-proof.ts';
import { answered, PROVED, passwordSchema, SHAPED, stateSchema, TAGS } from './session-schemas.ts';

export const sessionPasswordEndpoint = (deps: SessionDeps): Endpoint => ({
  method: 'put',
  path: '/session/password',
  summary: 'Set the password, or change it; all other sessions end',
  description:
    'The first one is set by whoever passes without a session. To change it the present one is asked for, of everybody: ' +
    'whoever has forgotten it runs "signalbox password" on the machine itself.',
  tags: TAGS,
  body: passwordSchema,
  bodyExample: { password: '$OWNER_PASSWORD', current: '$OWNER_PASSWORD' },
  responses: {
    ...answered('It is set', stateSchema),
    ...PROVED,
    422: { description: 'PASSWORD_TOO_WEAK' },
  },
  async handler(c) {
    const { password, current } = await readValid(c, passwordSchema, SHAPED);
    const { sessionId } = c.var;
    await tried(c, deps, () => deps.access.changePassword({ password, current, sessionId, actor: actorOf(c) }));
    return answer(c, await stateOf(deps));
  },
});
