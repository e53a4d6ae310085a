// POST /api/git/oauth/device/start and /poll: a browser cannot ask the code hosts for a token itself, so its questions pass through here.
//
// Nothing of it is kept or logged: the token goes from the code host to the caller and nowhere else.

import type { Endpoint, EndpointHandler } from '../../http/endpoint.ts';
import { readStrict } from '../../http/strict-body.ts';
import type { CodeHost, DeviceFlow, PollOutcome } from '../../library/device-flow.ts';
import { createCallWindow } from './call-window.ts';
import { OAUTH_DOCS } from './docs.ts';
import { refusal } from './refusal.ts';
import { deviceStartSchema, pollSchema } from './schemas.ts';

export interface GitOauthDeps {
  readonly deviceFlow: DeviceFlow;
  /** GITHUB_OAUTH_CLIENT_ID and GITLAB_OAUTH_CLIENT_ID: the operator's choice comes before a caller's. */
  readonly clientIds: Readonly<Partial<Record<CodeHost, string | undefined>>>;
  readonly monotonicMs: () => number;
}

/** A user signs in once; more is somebody who makes the code host think ill of the operator's client id. */
const STARTS_PER_MINUTE = 8;
/** The hosts ask for one poll every five seconds: enough for five people behind one address. */
const POLLS_PER_MINUTE = 60;

export function gitOauthEndpoints({ deviceFlow, clientIds, monotonicMs }: GitOauthDeps): readonly Endpoint[] {
  const takeStart = createCallWindow({ policy: 'oauth-start', callsPerMinute: STARTS_PER_MINUTE, monotonicMs });
  const takePoll = createCallWindow({ policy: 'oauth-poll', callsPerMinute: POLLS_PER_MINUTE, monotonicMs });

  const clientIdFor = (host: CodeHost, given: string | undefined): string => {
    const clientId = clientIds[host] || given;
    if (clientId !== undefined) return clientId;
    const setting = `${host.toUpperCase()}_OAUTH_CLIENT_ID`;
    throw refusal('NO_CLIENT_ID', `no OAuth client id for ${host}; send clientId, or let the operator set ${setting}`);
  };

  const start: EndpointHandler = async (c) => {
    const headers = takeStart(c.var.clientAddress);
    const { provider, clientId, scope } = await readStrict(c, deviceStartSchema);
    const started = await deviceFlow.start({ host: provider, clientId: clientIdFor(provider, clientId), scope });
    if (started.kind === 'failed') throw refusal('OAUTH_UPSTREAM', started.reason);
    const { deviceCode, userCode, verificationUri, verificationUriComplete, expiresInS, intervalS } = started;
    const answer = {
      status: 'success',
      provider,
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: verificationUri,
      verification_uri_complete: verificationUriComplete,
      expires_in: expiresInS,
      interval: intervalS,
    };
    return c.json(answer, 200, headers);
  };

  const poll: EndpointHandler = async (c) => {
    const headers = takePoll(c.var.clientAddress);
    const { provider, clientId, device_code: deviceCode } = await readStrict(c, pollSchema);
    const outcome = await deviceFlow.poll({ host: provider, clientId: clientIdFor(provider, clientId), deviceCode });
    return c.json({ ...pollAnswer(outcome), provider }, 200, headers);
  };

  return [
    { ...OAUTH_DOCS.start, handler: start },
    { ...OAUTH_DOCS.poll, handler: poll },
  ];
}

/** status tells a program whether to go on asking; error has the protocol's own word, which charting clients know. */
function pollAnswer(outcome: PollOutcome): object {
  switch (outcome.kind) {
    case 'granted':
      return {
        status: 'success',
        access_token: outcome.accessToken,
        token_type: outcome.tokenType,
        scope: outcome.scope,
        expires_in: outcome.expiresInS,
        refresh_token: outcome.refreshToken,
      };
    case 'waiting':
      return {
        status: 'pending',
        error: outcome.state,
        error_description: WORDS[outcome.state],
        interval: outcome.intervalS,
      };
    case 'ended':
      return { status: 'failed', error: outcome.state, error_description: WORDS[outcome.state] };
    case 'unknown-code':
      throw refusal(
        'INVALID_FIELD',
        'device_code: the code host does not know it; start again and poll with the new one',
      );
    case 'failed':
      throw refusal('OAUTH_UPSTREAM', outcome.reason);
  }
}

const WORDS = {
  authorization_pending: 'the code has not been entered yet; go on asking',
  slow_down: 'asked too often; leave five seconds more between two questions',
  expired_token: 'the code was not entered in time; start again',
  access_denied: 'the user said no; start again to ask once more',
} as const;
