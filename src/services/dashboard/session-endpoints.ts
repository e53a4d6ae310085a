// Every endpoint about the owner's way into the dashboard.

import type { Endpoint } from '../../http/endpoint.ts';
import { sessionEntryEndpoints } from './session.ts';
import { sessionListEndpoints } from './session-list.ts';
import { sessionPasswordEndpoint } from './session-password.ts';
import type { SessionDeps } from './session-proof.ts';
import { sessionTotpEndpoints } from './session-totp.ts';

export const sessionEndpoints = (deps: SessionDeps): readonly Endpoint[] => [
  ...sessionEntryEndpoints(deps),
  ...sessionListEndpoints(deps),
  sessionPasswordEndpoint(deps),
  ...sessionTotpEndpoints(deps),
];
