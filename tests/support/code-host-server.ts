// A code host on loopback that speaks the device flow as GitHub and GitLab document it, and can be told to misbehave.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CodeHost } from '../../src/library/device-flow.ts';

export interface AskedOf {
  readonly path: string;
  readonly form: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

type Misbehave = (response: ServerResponse) => void;

export interface CodeHostServer {
  readonly bases: Readonly<Record<CodeHost, string>>;
  readonly asked: AskedOf[];
  /** What the user, or time, does to a device code. */
  decide(decision: 'pending' | 'slow_down' | 'expired_token' | 'access_denied' | 'granted'): void;
  misbehave(how: Misbehave | undefined): void;
  close(): Promise<void>;
}

export const CLIENT_IDS = { github: 'Iv1.0123456789abcdef', gitlab: 'a'.repeat(64) };
export const DEVICE_CODES = {
  github: '3584d83530557fdd1f46af8289938c8ef79f9dc5',
  gitlab: 'GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS',
};
export const TOKENS = { github: 'gho_16C7e42F292c6912E7710c838347Ae178B4a', gitlab: 'glpat-20-characters-long' };
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';

const STARTS = {
  github: {
    device_code: DEVICE_CODES.github,
    user_code: 'WDJB-MJHT',
    verification_uri: 'https://github.com/login/device',
    expires_in: 900,
    interval: 5,
  },
  gitlab: {
    device_code: DEVICE_CODES.gitlab,
    user_code: '0A44L90H',
    verification_uri: 'https://gitlab.example.com/oauth/device',
    verification_uri_complete: 'https://gitlab.example.com/oauth/device?user_code=0A44L90H',
    expires_in: 300,
    interval: 5,
  },
};
const GRANTS = {
  github: { access_token: TOKENS.github, token_type: 'bearer', scope: 'repo,read:user' },
  gitlab: {
    access_token: TOKENS.gitlab,
    token_type: 'Bearer',
    expires_in: 7200,
    refresh_token: 'glrt-refresh',
    scope: 'api',
    created_at: 1_593_096_829,
  },
};

export async function openCodeHost(): Promise<CodeHostServer> {
  const asked: AskedOf[] = [];
  let decision: Parameters<CodeHostServer['decide']>[0] = 'pending';
  let how: Misbehave | undefined;

  const answer = (host: CodeHost, path: string, form: URLSearchParams): [status: number, body: object] => {
    // GitHub tells of faults with status 200, GitLab with 400.
    const refused = host === 'github' ? 200 : 400;
    if (form.get('client_id') !== CLIENT_IDS[host])
      return host === 'github' ? [404, { error: 'Not Found' }] : [401, { error: 'invalid_client' }];
    if (path === STARTING[host]) return [200, STARTS[host]];
    if (form.get('grant_type') !== GRANT_TYPE) return [refused, { error: 'unsupported_grant_type' }];
    if (form.get('device_code') !== DEVICE_CODES[host])
      return [refused, { error: host === 'github' ? 'incorrect_device_code' : 'invalid_grant' }];
    if (decision === 'granted') return [200, GRANTS[host]];
    if (decision === 'slow_down') return [refused, { error: 'slow_down', interval: 10 }];
    return [refused, { error: decision === 'pending' ? 'authorization_pending' : decision, error_description: 'x' }];
  };

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const [, host = '', ...rest] = (request.url ?? '').split('/');
    const path = `/${rest.join('/')}`;
    asked.push({ path, form, headers: request.headers });
    if (how !== undefined) return how(response);
    const [status, body] = answer(host as CodeHost, path, form);
    // GitHub answers in the form it was asked in, unless JSON is asked for.
    if (!request.headers.accept?.includes('application/json'))
      return response.end(new URLSearchParams(body as Record<string, string>).toString());
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    bases: { github: `${base}/github`, gitlab: `${base}/gitlab` },
    asked,
    decide: (next) => {
      decision = next;
    },
    misbehave: (next) => {
      how = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const STARTING = { github: '/login/device/code', gitlab: '/oauth/authorize_device' };
