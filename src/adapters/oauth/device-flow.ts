// The device flow of GitHub and GitLab over HTTP: what they answer is checked field by field before anybody gets to see it.

import type {
  CodeHost,
  DeviceFlow,
  GrantedToken,
  HostFault,
  PollOutcome,
  StartedFlow,
} from '../../library/device-flow.ts';
import { askHost, type Fields, hostFault } from './ask-host.ts';
import { hostDialects } from './code-hosts.ts';

export interface DeviceFlowOptions {
  readonly bases?: Partial<Record<CodeHost, string>>;
  readonly timeoutMs?: number;
}

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';
/** The hosts answer within a second: so many at once are a flood, and must not hold so many sockets for long. */
const MAX_CALLS_UNDER_WAY = 32;
/** What RFC 8628 says where a host does not. */
const DEFAULT_INTERVAL_S = 5;
const MAX_INTERVAL_S = 300;
/** GitHub's; both hosts send their own. */
const DEFAULT_EXPIRY_S = 900;
const MAX_EXPIRY_S = 86_400;
/** Real codes and tokens have below 300 characters. */
const MAX_SECRET_CHARS = 4096;
const MAX_LABEL_CHARS = 1024;
/** Tokens live for hours or years; nobody needs more than ten of them. */
const MAX_TOKEN_LIFE_S = 10 * 366 * 86_400;

/** GitHub's names for a device code that it does not know, and GitLab's. */
const UNKNOWN_CODE = new Set(['incorrect_device_code', 'bad_verification_code', 'invalid_grant']);
/** One word of a protocol, which cannot hold a secret. */
const ERROR_WORD = /^[A-Za-z_]{1,40}$/;

export function createDeviceFlow({ bases, timeoutMs }: DeviceFlowOptions = {}): DeviceFlow {
  const dialects = hostDialects(bases);
  let underWay = 0;

  async function ask(url: string, form: Record<string, string>): ReturnType<typeof askHost> {
    if (underWay >= MAX_CALLS_UNDER_WAY) return hostFault('too many sign-ins are under way; try again in a moment');
    underWay += 1;
    try {
      return await askHost(url, form, { timeoutMs });
    } finally {
      underWay -= 1;
    }
  }

  return {
    async start({ host, clientId, scope }) {
      const { base, startPath, defaultScope } = dialects[host];
      const answer = await ask(base + startPath, { client_id: clientId, scope: scope ?? defaultScope });
      return answer.kind === 'failed' ? answer : (startedFlow(answer.fields) ?? refused(answer.status, answer.fields));
    },
    async poll({ host, clientId, deviceCode }) {
      const { base, tokenPath } = dialects[host];
      const form = { client_id: clientId, device_code: deviceCode, grant_type: GRANT_TYPE };
      const answer = await ask(base + tokenPath, form);
      return answer.kind === 'failed' ? answer : pollOutcome(answer.status, answer.fields);
    },
  };
}

function startedFlow(fields: Fields): StartedFlow | undefined {
  const deviceCode = textOf(fields.device_code, MAX_SECRET_CHARS);
  const userCode = textOf(fields.user_code, MAX_LABEL_CHARS);
  const verificationUri = pageOf(fields.verification_uri);
  if (deviceCode === undefined || userCode === undefined || verificationUri === undefined) return undefined;
  const complete = pageOf(fields.verification_uri_complete);
  return {
    kind: 'started',
    deviceCode,
    userCode,
    verificationUri,
    ...(complete === undefined ? {} : { verificationUriComplete: complete }),
    expiresInS: secondsOf(fields.expires_in, MAX_EXPIRY_S) ?? DEFAULT_EXPIRY_S,
    intervalS: secondsOf(fields.interval, MAX_INTERVAL_S) ?? DEFAULT_INTERVAL_S,
  };
}

/** GitHub says what is wrong with status 200, GitLab with 400; the word alone decides. */
function pollOutcome(status: number, fields: Fields): PollOutcome {
  const token = grantedToken(fields);
  if (token !== undefined) return token;
  const { error } = fields;
  if (error === 'authorization_pending' || error === 'slow_down') {
    const intervalS = secondsOf(fields.interval, MAX_INTERVAL_S);
    return { kind: 'waiting', state: error, ...(intervalS === undefined ? {} : { intervalS }) };
  }
  if (error === 'expired_token' || error === 'access_denied') return { kind: 'ended', state: error };
  if (typeof error === 'string' && UNKNOWN_CODE.has(error)) return { kind: 'unknown-code' };
  return refused(status, fields);
}

function grantedToken(fields: Fields): GrantedToken | undefined {
  const accessToken = textOf(fields.access_token, MAX_SECRET_CHARS);
  if (accessToken === undefined || fields.error !== undefined) return undefined;
  const tokenType = textOf(fields.token_type, MAX_LABEL_CHARS);
  const scope = textOf(fields.scope, MAX_LABEL_CHARS);
  const expiresInS = secondsOf(fields.expires_in, MAX_TOKEN_LIFE_S);
  const refreshToken = textOf(fields.refresh_token, MAX_SECRET_CHARS);
  return {
    kind: 'granted',
    accessToken,
    ...(tokenType === undefined ? {} : { tokenType }),
    ...(scope === undefined ? {} : { scope }),
    ...(expiresInS === undefined ? {} : { expiresInS }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
  };
}

function refused(status: number, { error }: Fields): HostFault {
  const word = typeof error === 'string' && ERROR_WORD.test(error) ? error : `status ${status}`;
  return hostFault(
    `the code host refused (${word}); check the client id, and that the application there allows the device flow`,
  );
}

function textOf(value: unknown, maxChars: number): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= maxChars ? value : undefined;
}

/** A browser opens it, so it must be a page and not a piece of script. */
function pageOf(value: unknown): string | undefined {
  const text = textOf(value, MAX_LABEL_CHARS);
  const url = text === undefined ? null : URL.parse(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? text : undefined;
}

function secondsOf(value: unknown, most: number): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 1
    ? Math.min(Math.ceil(value), most)
    : undefined;
}
