// What the address of a webhook may look like, before anything is resolved, and the places the operator has opened.

import { isIP } from 'node:net';
import { isPublicAddress } from './address-guard.ts';

/** Longer ones are nobody's. */
const MAX_URL_CHARS = 2048;
/** Names that never leave the machine or the network they are used in. */
const LOCAL_NAMES = /(^|\.)(localhost|local|lan|internal|localdomain|home\.arpa)$/;

export interface WebhookUrl {
  readonly url: URL;
  /** Without the brackets of IPv6, and without the dot at the end. */
  readonly host: string;
  readonly port: number;
  /** Opened by DEPLOYMENT_WEBHOOK_ALLOW: it may be private. */
  readonly isOpened: boolean;
}

/** The entries of DEPLOYMENT_WEBHOOK_ALLOW as `host:port`; an IPv6 address stands in brackets. */
export function readAllowEntry(entry: string): string | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(entry.trim());
  const port = Number(match?.[3]);
  if (match === null || port < 1 || port > 65_535) return undefined;
  // The URL's own spelling, so that 127.1 and 127.0.0.1 are one.
  const spelled = `http://${match[1] === undefined ? match[2] : `[${match[1]}]`}`;
  return URL.canParse(spelled) ? `${bareHost(new URL(spelled))}:${port}` : undefined;
}

const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** The parts, or the fault in words with the remedy. */
export function readWebhookUrl(text: string, allowed: ReadonlySet<string>): WebhookUrl | string {
  if (text.length > MAX_URL_CHARS)
    return `The webhook's address is longer than ${MAX_URL_CHARS} characters; shorten it.`;
  if (!URL.canParse(text)) return 'The webhook is no address; send a whole one, such as https://example.com/hook.';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'A webhook goes over https or http; change its scheme.';
  if (url.username !== '' || url.password !== '')
    return 'The webhook has a name or password in its address; put a token into its path or use a secret.';
  const host = bareHost(url);
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const isOpened = allowed.has(`${host}:${port}`);
  const isPublic = isIP(host) === 0 ? !LOCAL_NAMES.test(host) && host.includes('.') : isPublicAddress(host);
  if (!isOpened && !isPublic) return notPublic(`${host}:${port}`);
  return { url, host, port, isOpened };
}

export const notPublic = (place: string): string =>
  `${place} is not on the public internet, so no webhook goes there; the operator can open it with DEPLOYMENT_WEBHOOK_ALLOW.`;
