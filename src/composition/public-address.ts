// `signalbox doctor --public <address>`: whether a charting platform can reach this Signalbox, as far as that can be told from here.

import { lookup } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:tls';
import { isPublicAddress } from '../adapters/webhooks/address-guard.ts';
import type { DoctorCheck } from '../cli/host.ts';
import { errorText } from '../errors/error-text.ts';

/** TradingView calls no others. */
const PORTS: readonly number[] = [80, 443];
/** TradingView hangs up after so long. */
const PATIENCE_MS = 3000;
const TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;
/** Renewals happen a month before the end; whoever is this late will not be renewed. */
const FEW_DAYS = 14;
const GUIDE = 'see docs/guides/reach.md';

export interface PublicAddressOptions {
  /** Ports that count as open to charting platforms. */
  readonly ports?: readonly number[];
  /** Certificates that are believed beside those of the system. */
  readonly ca?: string;
  readonly nowMs?: () => number;
}

const check = (ok: DoctorCheck['ok'], detail: string, remedy?: string): DoctorCheck => ({
  name: 'public address',
  ok,
  detail,
  ...(remedy !== undefined && { remedy }),
});

export async function checkPublicAddress(text: string, options: PublicAddressOptions = {}): Promise<DoctorCheck[]> {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return [check('fail', `${JSON.stringify(text)} is no web address`, 'give one such as https://trade.example.com')];
  const checks = [checkPort(url, options.ports ?? PORTS)];
  const addresses = await checkName(url.hostname.replace(/^\[|\]$/g, ''));
  checks.push(...addresses);
  if (addresses.some(({ ok }) => ok === 'fail')) return checks;
  if (url.protocol === 'https:') checks.push(...(await checkCertificate(url, options)));
  else checks.push(check('warn', 'http: keys travel readable for everybody between', `use https; ${GUIDE}`));
  checks.push(await checkHealth(url, options), await checkSignals(url, options));
  return checks;
}

function checkPort(url: URL, ports: readonly number[]): DoctorCheck {
  const port = portOf(url);
  return ports.includes(port)
    ? check('ok', `port ${port} is one that TradingView calls`)
    : check(
        'fail',
        `TradingView calls ports 80 and 443 only, not ${port}`,
        `put a proxy or a tunnel before it; ${GUIDE}`,
      );
}

const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));

async function checkName(host: string): Promise<DoctorCheck[]> {
  try {
    const found = await lookup(host, { all: true });
    const words = found.map(({ address }) => address).join(', ');
    if (found.every(({ family }) => family === 6))
      return [check('fail', `${host} has IPv6 addresses only (${words})`, 'TradingView calls IPv4: add an A record')];
    const inside = found.filter(({ address }) => !isPublicAddress(address));
    if (inside.length > 0)
      return [
        check(
          'warn',
          `${host} is ${words}: ${inside.length === 1 ? 'an address' : 'addresses'} inside a network, seen from here`,
          `from outside it must be a public one; ${GUIDE}`,
        ),
      ];
    return [check('ok', `${host} is ${words}`)];
  } catch (error) {
    return [
      check('fail', `${host} has no address (${errorText(error)})`, 'add an A record for it at your DNS provider'),
    ];
  }
}

function checkCertificate(url: URL, { ca, nowMs = Date.now }: PublicAddressOptions): Promise<DoctorCheck[]> {
  const host = url.hostname;
  return new Promise((resolve) => {
    const fail = (words: string, remedy: string): void => resolve([check('fail', words, remedy)]);
    const name = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
    const socket = connect({ host, port: portOf(url), rejectUnauthorized: false, ca, timeout: TIMEOUT_MS, ...name });
    socket.on('timeout', () => {
      socket.destroy();
      fail(`no TLS answer at ${url.host} within ${TIMEOUT_MS / 1000} s`, `open the port and start the proxy; ${GUIDE}`);
    });
    socket.on('error', (error) =>
      fail(`no TLS at ${url.host}: ${errorText(error)}`, `open the port and start the proxy; ${GUIDE}`),
    );
    socket.on('secureConnect', () => {
      const { valid_to: until } = socket.getPeerCertificate();
      const days = Math.floor((Date.parse(until) - nowMs()) / DAY_MS);
      const { authorized, authorizationError } = socket;
      socket.destroy();
      if (!authorized)
        return fail(
          `the certificate is not believed: ${errorText(authorizationError ?? 'unknown')}`,
          `TradingView refuses it: let the proxy get one for ${host}, with its whole chain; ${GUIDE}`,
        );
      const words = `the certificate is good for ${days} more days`;
      resolve([days < FEW_DAYS ? check('warn', words, 'see why it is not renewed') : check('ok', words)]);
    });
  });
}

interface Reached {
  readonly status: number;
  readonly location: string | undefined;
  readonly text: string;
  readonly tookMs: number;
}

function reach(url: URL, method: string, body: string, { ca }: PublicAddressOptions): Promise<Reached> {
  const begunMs = performance.now();
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    const call = send(url, { method, headers, ca, agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        if (text.length < 65_536) text += chunk;
      });
      answer.on('error', reject);
      answer.on('end', () => {
        const { statusCode: status = 0, headers: told } = answer;
        resolve({ status, location: told.location, text, tookMs: performance.now() - begunMs });
      });
    });
    call.on('error', reject).end(body);
  });
}

/** What every call may meet before it meets us. */
async function reached(
  url: URL,
  path: string,
  [method, body]: readonly [string, string],
  options: PublicAddressOptions,
): Promise<Reached | DoctorCheck> {
  try {
    const answer = await reach(new URL(path, url), method, body, options);
    if (answer.status < 300 || answer.status >= 400) return answer;
    return check(
      'fail',
      `${method} ${path} is sent on to ${answer.location ?? 'another address'} (${answer.status})`,
      'TradingView follows no redirect: use the address it leads to in your alerts',
    );
  } catch (error) {
    return check(
      'fail',
      `${method} ${path} got no answer: ${errorText(error)}`,
      `open the port and start the proxy; ${GUIDE}`,
    );
  }
}

async function checkHealth(url: URL, options: PublicAddressOptions): Promise<DoctorCheck> {
  const answer = await reached(url, '/health', ['GET', ''], options);
  if ('ok' in answer) return answer;
  if (answer.status !== 200 || !answer.text.includes('"healthy"'))
    return check(
      'fail',
      `GET /health is answered ${answer.status} by something else`,
      `let the proxy pass everything on to Signalbox; ${GUIDE}`,
    );
  const words = `Signalbox answers there, in ${Math.round(answer.tookMs)} ms`;
  return answer.tookMs < PATIENCE_MS
    ? check('ok', words)
    : check('warn', words, 'TradingView hangs up after 3 s: look for what is slow between');
}

/** An empty signal: refused by us in our own words, or by somebody before us in others. */
async function checkSignals(url: URL, options: PublicAddressOptions): Promise<DoctorCheck> {
  const answer = await reached(url, '/webhook', ['POST', '{}'], options);
  if ('ok' in answer) return answer;
  return answer.status === 400 && answer.text.includes('INVALID_PAYLOAD')
    ? check('ok', 'a POST to /webhook arrives; put this address and /webhook/tradingview into your alerts')
    : check(
        'fail',
        `POST /webhook is answered ${answer.status} by something else`,
        `let the proxy pass POSTs on as they are, without a login page; ${GUIDE}`,
      );
}
