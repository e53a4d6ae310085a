// How the text of one setting becomes its value; what cannot be read is told with its remedy.

import { BlockList, isIP } from 'node:net';
import { API_KEY_FORM, API_SECRET_FORM } from '../exchanges/exchange.ts';

/** A value that cannot be; the message says what to write instead. */
export class Fault extends Error {}

export const MIN_TOKEN_CHARS = 16;
const MAX_TOKEN_CHARS = 512;
const MIN_STATIC_KEY_CHARS = 8;
const MAX_LIST_ENTRIES = 256;

export const quoted = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

export function list(text: string): readonly string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  const named = [...new Set(entries.filter((entry) => entry !== ''))];
  if (named.length > MAX_LIST_ENTRIES) throw new Fault(`has more than ${MAX_LIST_ENTRIES} entries; shorten the list`);
  return named;
}

export function choice<const T extends string>(words: readonly T[]): (text: string) => T {
  return (text) => {
    const word = words.find((known) => known === text);
    if (word !== undefined) return word;
    const use = words.length === 1 ? `use ${words[0]}` : `use one of ${words.join(', ')}`;
    throw new Fault(`${quoted(text)} is not known; ${use}`);
  };
}

export function whole(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new Fault(`${quoted(text)} does not fit; write a whole number from ${min} to ${max}`);
  };
}

export const seconds = (min: number, max: number) => (text: string) => whole(min, max)(text) * 1000;

export function host(text: string): string {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (isIP(bare) !== 0 || /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(bare)) return bare;
  throw new Fault(`${quoted(text)} is no address to listen on; write an IP address or a host name, without a port`);
}

export function webUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === '')
    return url;
  throw new Fault(`${quoted(text)} is no web address; write it like https://signals.example.com`);
}

export const baseUrl = (text: string) => (text === '' ? undefined : webUrl(text).href.replace(/\/+$/, ''));

const SERVICES = ['gateway', 'analysis', 'scripts', 'dashboard'] as const;
export type ServiceName = (typeof SERVICES)[number];

export function services(text: string): readonly ServiceName[] {
  const names = list(text);
  if (names.length === 0) throw new Fault(`names no service; use one or more of ${SERVICES.join(', ')}`);
  return names.map(choice(SERVICES));
}

export function folder(text: string): string {
  if (!text.includes('\0') && text.length <= 4096) return text;
  throw new Fault('is no folder name; write a path of at most 4096 characters');
}

/** A short one is taken, with a warning: the services it guards are specified to need no more than any token. */
export const token = tokenOf(1);

/** Guards a signing key, so a short one stops the start. */
export const strongToken = tokenOf(MIN_TOKEN_CHARS);

function tokenOf(minChars: number): (text: string) => string | undefined {
  return (text) => {
    if (text === '') return undefined;
    if (text.length >= minChars && text.length <= MAX_TOKEN_CHARS && /^[\x21-\x7e]+$/.test(text)) return text;
    const fault = minChars > 1 ? 'is too weak or malformed' : 'is malformed';
    throw new Fault(
      `${fault}; use ${MIN_TOKEN_CHARS} to ${MAX_TOKEN_CHARS} visible ASCII characters, for example from "openssl rand -hex 32"`,
    );
  };
}

/** Words in a row are easier to keep than a token, so blanks are allowed. */
export function passphrase(text: string): string | undefined {
  if (text === '') return undefined;
  if (text.length >= MIN_TOKEN_CHARS && text.length <= MAX_TOKEN_CHARS) return text;
  throw new Fault(
    `is too weak or too long; use ${MIN_TOKEN_CHARS} to ${MAX_TOKEN_CHARS} characters, for example five words`,
  );
}

/** As OpenTelemetry writes them: `name=value` with commas, values in percent-encoding. */
export function traceHeaders(text: string): Readonly<Record<string, string>> {
  const pairs = list(text).map((pair) => /^([\w-]+)=(.+)$/.exec(pair));
  if (pairs.some((pair) => pair === null))
    throw new Fault('is malformed; write it like authorization=Bearer%20token,x-team=me');
  try {
    return Object.fromEntries(pairs.map((pair) => [String(pair?.[1]), decodeURIComponent(String(pair?.[2]))]));
  } catch {
    throw new Fault('is malformed: a percent sign is followed by two hex digits, write % itself as %25');
  }
}

export function staticKeys(text: string): readonly string[] {
  const keys = list(text);
  const bad = keys.findIndex(
    (key) => !/^[\x21-\x7e]+$/.test(key) || key.length < MIN_STATIC_KEY_CHARS || key.length > 128,
  );
  if (bad === -1) return keys;
  throw new Fault(`key ${bad + 1} is malformed; a key has ${MIN_STATIC_KEY_CHARS} to 128 visible ASCII characters`);
}

export function amount(text: string): string {
  if (/^\d{1,12}(\.\d{1,8})?$/.test(text) && Number(text) > 0) return text;
  throw new Fault(`${quoted(text)} is no amount; write a plain number above 0 and below 1000000000000, like 100000`);
}

/** From 0 to 100, with up to four decimals. */
export function percent(text: string): number {
  const value = /^\d{1,3}(\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN;
  if (value <= 100) return value;
  throw new Fault(`${quoted(text)} is no percentage; write a plain number from 0 to 100, like 2.5`);
}

export const smtpPort = (text: string) => (text === '' ? undefined : whole(0, 65_535)(text));

const SENDER = /^[^\s@<>"(),:;\\[\]]{0,64}@(?=.{4,253}$)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;
export function senders(text: string): readonly string[] {
  const bad = list(text).find((entry) => !SENDER.test(entry));
  if (bad === undefined) return list(text);
  throw new Fault(`${quoted(bad)} is no sender; write an address, or @example.com for everyone there`);
}

export function botToken(text: string): string | undefined {
  if (text === '' || /^\d{1,20}:[\w-]{20,100}$/.test(text)) return text === '' ? undefined : text;
  throw new Fault('is no bot token; copy it whole from @BotFather, like 123456789:AA followed by letters');
}

export function chats(text: string): readonly string[] {
  const bad = list(text).find((entry) => !/^(-?[1-9]\d{0,15}|@[A-Za-z]\w{3,31})$/.test(entry));
  if (bad === undefined) return list(text);
  throw new Fault(
    `${quoted(bad)} is no chat; write its number, like 123456789 or -1001234567890, or @name of a channel`,
  );
}

export function oneChat(text: string): string | undefined {
  const [chat, ...more] = chats(text);
  if (more.length === 0) return chat;
  throw new Fault('names several chats; choose one, and list the others in TELEGRAM_ALLOWED_CHATS');
}

export function isLoopback(host: string): boolean {
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  if (isIP(host) === 0) return host.toLowerCase() === 'localhost';
  return loopback.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
}

/** A switch: everything but a clear yes or no is a fault, since a gate left open by a typing error is worse. */
export function yesOrNo(text: string): boolean {
  const word = text.toLowerCase();
  if (['1', 'true', 'yes'].includes(word)) return true;
  if (['', '0', 'false', 'no'].includes(word)) return false;
  throw new Fault(`${quoted(text)} is neither yes nor no; write 1, true or yes, or 0, false or no`);
}

export function redisUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  const isAddress = url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== '';
  if (isAddress && /^\/?\d{0,5}$/.test(url.pathname) && url.search + url.hash === '') return text;
  throw new Fault('is no address of a Redis server; write it like redis://127.0.0.1:6379/0');
}

/** Between processes of one network nothing is encrypted, and nothing stands in front of the path. */
export function processUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  if (url?.protocol === 'http:' && url.pathname === '/' && url.search + url.hash + url.username === '')
    return url.origin;
  throw new Fault(
    'is no plain address of a process; write it like http://10.0.0.12:8787, without a path, and not https',
  );
}

/** Its parts are read where it is opened. */
export function postgresUrl(text: string): string | undefined {
  if (text === '') return undefined;
  if (/^postgres(?:ql)?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new Fault('is no address of a PostgreSQL database; write it like postgres://user:password@host:5432/database');
}

export const optionalFile = (text: string) => (text === '' ? undefined : folder(text));

/** Scheme, host and port of web pages, or `*` for every page. */
export function origins(text: string): readonly string[] {
  const entries = list(text).map((entry) => entry.replace(/\/$/, ''));
  const bad = entries.find((entry) => entry !== '*' && !(URL.canParse(entry) && new URL(entry).origin === entry));
  if (bad === undefined) return entries;
  throw new Fault(`${quoted(bad)} is no origin; write it like https://charts.example.com, without a path`);
}

export function clientId(text: string): string | undefined {
  if (text === '') return undefined;
  if (/^[\x21-\x7e]{1,200}$/.test(text)) return text;
  throw new Fault('is no client id; copy it from the application you registered there');
}

/** Hosts with their port, as in `127.0.0.1:8787`. */
export function hostPorts(text: string): readonly string[] {
  const bad = list(text).find((entry) => !/^(\[[0-9a-f:.]+\]|[a-z0-9.-]+):\d{1,5}$/i.test(entry));
  if (bad === undefined) return list(text).map((entry) => entry.toLowerCase());
  throw new Fault(`${quoted(bad)} is no host with a port; write it like 127.0.0.1:8787`);
}

export function socketUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^wss?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
  throw new Fault(`${quoted(text)} is no address of a stream; write it like wss://stream.example.com/ws`);
}

/** Kept as it is: the part that knows its form reads it, see `checkAgent`. */
export const words = (text: string): string => text;

export function providerKey(text: string): string | undefined {
  if (text === '') return undefined;
  if (/^[\x21-\x7e]{8,500}$/.test(text)) return text;
  throw new Fault('is no key; copy it whole, without blanks');
}

export function venueKey(text: string): string | undefined {
  if (text === '') return undefined;
  if (API_KEY_FORM.test(text)) return text;
  throw new Fault('is no API key; copy it whole, without blanks');
}

export function venueSecret(text: string): string | undefined {
  if (text === '') return undefined;
  if (API_SECRET_FORM.test(text)) return text;
  throw new Fault('is no secret of an API key; copy it whole, without blanks');
}

/** Orders and signatures go there: whoever reads along, or answers in its place, could trade. */
export function venueUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const url = webUrl(text);
  if (url.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[|\]$/g, '')))
    throw new Fault(
      'is http, so others could read and change orders on the way; use https, or an address of this machine',
    );
  return url.href.replace(/\/+$/, '');
}

export const secretText = (text: string) => (text === '' ? undefined : text);

/** Undefined for `none`: no limit. */
export function wei(text: string): bigint | undefined {
  if (text === 'none') return undefined;
  if (/^\d{1,30}$/.test(text)) return BigInt(text);
  throw new Fault(`${quoted(text)} is no amount in wei; write digits only, or none for no limit`);
}

const NOTICE_TOPICS = ['trades', 'refusals', 'alarms', 'report'] as const;

export function noticeTopics(text: string): readonly (typeof NOTICE_TOPICS)[number][] {
  return list(text).map(choice(NOTICE_TOPICS));
}

/** An address that is a secret itself, as those of chat webhooks are: a fault never repeats it. */
export function secretUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password + url.hash === '') return text;
  throw new Fault('is no web address; copy it whole, from https:// on');
}

export function ntfyTopic(text: string): string | undefined {
  if (text === '') return undefined;
  if (/^[A-Za-z0-9_-]{1,64}$/.test(text)) return text;
  throw new Fault('is no topic of ntfy; use 1 to 64 letters, digits, - and _');
}

const MAIL_ADDRESS = /^[^\s@<>"(),:;\\[\]]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/;
export function mailAddresses(text: string): readonly string[] {
  const bad = list(text).find((entry) => entry.length > 254 || !MAIL_ADDRESS.test(entry));
  if (bad === undefined) return list(text);
  throw new Fault(`${quoted(bad)} is no mail address; write it like owner@example.com, without a name`);
}

export function mailAddress(text: string): string | undefined {
  const [address, ...more] = mailAddresses(text);
  if (more.length === 0) return address;
  throw new Fault('names several addresses; choose one');
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
/** More often would keep the disk busy, and a month without one is none. */
const SHORTEST_MS = 15 * 60_000;
const LONGEST_MS = 30 * 86_400_000;

/** In ms. */
export function duration(text: string): number | undefined {
  if (text === '') return undefined;
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  if (ms >= SHORTEST_MS && ms <= LONGEST_MS) return ms;
  throw new Fault(`${quoted(text)} does not fit; write it like 6h or 1d, from 15m to 30d`);
}

/** Minutes since midnight. */
export function timeOfDay(text: string): number | undefined {
  if (text === '') return undefined;
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours !== undefined) return Number(hours) * 60 + Number(minutes);
  throw new Fault(`${quoted(text)} is no time of day; write hours and minutes, from 00:00 to 23:59`);
}

export function timeZone(text: string): string {
  // What stands there where nobody has written anything else; the first use of time zones takes Node longer than all other settings.
  if (text === 'UTC') return text;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    throw new Fault(`${quoted(text)} is no time zone; write it like Europe/Berlin, America/New_York or UTC`);
  }
}
