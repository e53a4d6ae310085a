// POST, PUT and DELETE /session/totp: one-time codes that a login needs besides the password.

import { actorOf } from '../../http/audit.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { readValid } from '../../http/read-body.ts';
import { answer, type SessionDeps, stateOf, tried } from './session-proof.ts';
import {
  answered,
  codeSchema,
  PROVED,
  proofSchema,
  recoverySchema,
  SHAPED,
  stateSchema,
  TAGS,
  totpEndSchema,
  totpStartSchema,
} from './session-schemas.ts';

const PATH = '/session/totp';
const EXAMPLE = { password: '$OWNER_PASSWORD' };

export const sessionTotpEndpoints = (deps: SessionDeps): readonly Endpoint[] => [
  beginEndpoint(deps),
  confirmEndpoint(deps),
  endEndpoint(deps),
];

const beginEndpoint = (deps: SessionDeps): Endpoint => ({
  method: 'post',
  path: PATH,
  summary: 'Begin to ask for codes of an authenticator app: its secret',
  description: 'Nothing is asked for before PUT /session/totp has seen the first code, within ten minutes.',
  tags: TAGS,
  body: proofSchema,
  bodyExample: EXAMPLE,
  responses: {
    ...answered('The secret, shown this once', totpStartSchema),
    ...PROVED,
    409: { description: 'NO_PASSWORD, TOTP_CONFLICT: codes are asked for already' },
  },
  async handler(c) {
    const { password } = await readValid(c, proofSchema, SHAPED);
    const account = c.req.header('host') ?? 'localhost';
    return answer(c, await tried(c, deps, () => deps.access.beginTotp(password, account)));
  },
});

const confirmEndpoint = (deps: SessionDeps): Endpoint => ({
  method: 'put',
  path: PATH,
  summary: 'Confirm with the first code: from now on every login needs one',
  tags: TAGS,
  body: codeSchema,
  bodyExample: { code: '123456' },
  responses: {
    ...answered('Recovery codes, shown this once', recoverySchema),
    ...PROVED,
    409: { description: 'NO_PASSWORD, TOTP_CONFLICT: nothing was begun, or codes are asked for already' },
    503: { description: 'CODES_SEALED: the master key cannot be read' },
  },
  async handler(c) {
    const { code } = await readValid(c, codeSchema, SHAPED);
    const recoveryCodes = await tried(c, deps, () => deps.access.confirmTotp(code, actorOf(c)));
    return answer(c, { recoveryCodes });
  },
});

const endEndpoint = (deps: SessionDeps): Endpoint => ({
  method: 'delete',
  path: PATH,
  summary: 'Ask for no codes any more',
  tags: TAGS,
  body: totpEndSchema,
  bodyExample: EXAMPLE,
  responses: {
    ...answered('The password alone lets in', stateSchema),
    ...PROVED,
    401: { description: 'UNAUTHORIZED; LOGIN_FAILED: the password or the code is wrong; CODE_NEEDED: send a code too' },
    409: { description: 'NO_PASSWORD, TOTP_CONFLICT: no codes are asked for' },
    503: { description: 'CODES_SEALED: the master key is missing or another one; send a recovery code' },
  },
  async handler(c) {
    const { password, code } = await readValid(c, totpEndSchema, SHAPED);
    await tried(c, deps, () => deps.access.endTotp({ password, code, actor: actorOf(c) }));
    return answer(c, await stateOf(deps));
  },
});
