// What settings must be to each other: faults that stop the start, and warnings that only tell.

import { isLoopback, MIN_TOKEN_CHARS, quoted } from './readers.ts';
import type { Values } from './settings.ts';

/** Says in words what is wrong with one address or CIDR range, or nothing when it is right. */
export type CheckAddress = (entry: string) => string | undefined;

export function addressFaults(values: Partial<Values>, check: CheckAddress): string[] {
  const faults = (name: 'IP_ALLOWLIST' | 'TRUSTED_PROXIES', words: readonly string[]) =>
    (values[name] ?? []).flatMap((entry) => {
      const fault = words.includes(entry.toLowerCase()) ? undefined : check(entry);
      return fault === undefined ? [] : [`${name}: ${quoted(entry)}: ${fault.replace(/\.$/, '')}.`];
    });
  return [...faults('IP_ALLOWLIST', ['tradingview']), ...faults('TRUSTED_PROXIES', [])];
}

export function databaseFaults(values: Partial<Values>): string[] {
  if (values.DATABASE_URL !== undefined || !('DATABASE_URL' in values)) return [];
  const alone = (['SCRIPT_DATABASE_URL', 'QUERY_DATABASE_URL'] as const).filter((name) => values[name] !== undefined);
  return alone.map((name) => `${name}: goes with DATABASE_URL, which is not set; set both, or neither.`);
}

/** Beside the databases a backup would be lost with them, so nobody's choice of place is made for him. */
export function backupFaults({ BACKUP_EVERY, BACKUP_DIR }: Partial<Values>): string[] {
  if (BACKUP_EVERY === undefined || BACKUP_DIR !== undefined) return [];
  return ['BACKUP_EVERY: needs BACKUP_DIR, the folder that the backups go to; set it, better to another disk.'];
}

/** Listening beyond this machine without tokens would let the whole network read trades and switch trading. */
export function exposureFaults(
  { HOST, DATA_DIR, DATABASE_URL }: Partial<Values>,
  missingTokens: readonly string[],
  hasPassword: (dataDir: string) => boolean = () => false,
): string[] {
  if (HOST === undefined || isLoopback(HOST)) return [];
  // A password in PostgreSQL is not known before anything is opened, and processes that share one need the token anyway.
  const mayHavePassword = DATA_DIR !== undefined && DATABASE_URL === undefined;
  const isEntered = missingTokens.includes('INTERNAL_TOKEN') && mayHavePassword && hasPassword(DATA_DIR);
  const stillMissing = missingTokens.filter((name) => name !== 'INTERNAL_TOKEN' || !isEntered);
  if (stillMissing.length === 0) return [];
  const missing = stillMissing.join(' and ');
  const instead =
    stillMissing.includes('INTERNAL_TOKEN') && mayHavePassword
      ? ' A password of the dashboard will do in place of INTERNAL_TOKEN: "signalbox password" sets it.'
      : '';
  return [
    `HOST: ${HOST} can be reached from other machines, and without ${missing} anyone there could see and steer your trades. ` +
      `Set ${missing} (for example from "openssl rand -hex 32"), or set HOST=127.0.0.1.${instead}`,
  ];
}

/** A From line is only text: without a list and a proof, whoever reaches the port could trade. */
export function mailFaults({
  SMTP_PORT,
  SMTP_HOST,
  SMTP_ALLOWED_SENDERS,
  SMTP_AUTH_POLICY,
}: Partial<Values>): string[] {
  if (SMTP_PORT === undefined) return [];
  const faults: string[] = [];
  if (SMTP_ALLOWED_SENDERS?.length === 0)
    faults.push('SMTP_ALLOWED_SENDERS: is empty, so no mail could trade; list your senders, or unset SMTP_PORT.');
  if (SMTP_AUTH_POLICY === 'off' && SMTP_HOST !== undefined && !isLoopback(SMTP_HOST))
    faults.push(
      `SMTP_AUTH_POLICY: off on ${SMTP_HOST} would let others trade in your name; use require, or a loopback SMTP_HOST.`,
    );
  return faults;
}

/** A channel that is half set would keep silent when it counts. What is set and wrong has been told already. */
export function noticeFaults(values: Partial<Values>): string[] {
  const { MAIL_HOST, MAIL_FROM, MAIL_TO, NOTIFY_WEBHOOK_URL, NOTIFY_WEBHOOK_SECRET } = values;
  const wasRead = (name: keyof Values): boolean => name in values;
  const faults: string[] = [];
  const missing = [
    ...(MAIL_FROM === undefined && wasRead('MAIL_FROM') ? ['MAIL_FROM'] : []),
    ...(MAIL_TO?.length === 0 ? ['MAIL_TO'] : []),
  ];
  if (MAIL_HOST !== undefined)
    for (const name of missing)
      faults.push(`${name}: is empty, so no notice could be mailed; set it, or unset MAIL_HOST.`);
  if (NOTIFY_WEBHOOK_URL !== undefined && NOTIFY_WEBHOOK_SECRET === undefined && wasRead('NOTIFY_WEBHOOK_SECRET'))
    faults.push(
      'NOTIFY_WEBHOOK_SECRET: is not set, so nobody could tell our notices from forged ones; set it (for example from "openssl rand -hex 32").',
    );
  return faults;
}

/** Each can be `redis`. */
const STORES = ['STORE_BACKEND', 'API_KEYS', 'LONG_JOBS', 'RATE_LIMITS', 'LIVE_BARS'] as const;

export function storeFaults(values: Partial<Values>): string[] {
  const wants = STORES.filter((name) => values[name] === 'redis');
  if (wants.length === 0 || values.REDIS_URL !== undefined) return [];
  return [
    `REDIS_URL: is not set, but ${wants.join(', ')} ${wants.length > 1 ? 'ask' : 'asks'} for Redis; set it, like redis://127.0.0.1:6379/0.`,
  ];
}

export function warningsFor(values: Values): string[] {
  const warnings: string[] = [];
  if (values.WEBHOOK_API_KEYS.some((key) => key.length < MIN_TOKEN_CHARS))
    warnings.push(
      `WEBHOOK_API_KEYS holds a short key that could be guessed; use at least ${MIN_TOKEN_CHARS} characters.`,
    );
  for (const name of ['INTERNAL_TOKEN', 'ADMIN_TOKEN'] as const)
    if ((values[name]?.length ?? MIN_TOKEN_CHARS) < MIN_TOKEN_CHARS)
      warnings.push(
        `${name} is SHORT and could be guessed: whoever has it can trade and make keys; use at least ${MIN_TOKEN_CHARS} characters, for example from "openssl rand -hex 32".`,
      );
  const hasChats = values.TELEGRAM_DEFAULT_CHAT !== undefined || values.TELEGRAM_ALLOWED_CHATS.length > 0;
  if (hasChats && values.TELEGRAM_BOT_TOKEN === undefined)
    warnings.push('Telegram chats are set but TELEGRAM_BOT_TOKEN is not: notifications go to the log.');
  if (!hasChats && values.TELEGRAM_BOT_TOKEN !== undefined)
    warnings.push(
      'TELEGRAM_BOT_TOKEN is set but no chat is allowed: set TELEGRAM_DEFAULT_CHAT or TELEGRAM_ALLOWED_CHATS.',
    );
  const botApi = new URL(values.TELEGRAM_API_ROOT);
  if (botApi.protocol === 'http:' && !isLoopback(botApi.hostname))
    warnings.push('TELEGRAM_API_ROOT is not https: the bot token could be read on the way; use https.');
  warnings.push(...noticeWarnings(values));
  const told = values.PROCESS_URL === undefined ? undefined : new URL(values.PROCESS_URL).hostname;
  if (told !== undefined && !isLoopback(told.replace(/^\[|\]$/g, '')) && isLoopback(values.HOST))
    warnings.push(
      `PROCESS_URL names ${told}, where nobody listens: HOST is ${values.HOST}, so no other machine reaches this process. Set HOST=${told}, or 0.0.0.0.`,
    );
  const address = values.BASE_URL === undefined ? undefined : new URL(values.BASE_URL).hostname;
  if (address !== undefined && !isLoopback(address) && values.INTERNAL_TOKEN === undefined)
    warnings.push(
      'BASE_URL is public but INTERNAL_TOKEN is not set: behind a proxy that adds no X-Forwarded-For, everyone would look ' +
        'like a local client to the internal endpoints; set INTERNAL_TOKEN.',
    );
  if (values.ALLOW_OPEN_KEYS && values.ENVIRONMENT === 'production')
    warnings.push(
      'ALLOW_OPEN_KEYS is on in production: with API_KEYS=none ANYONE can read and write scripts; unset it and bind API_KEYS.',
    );
  return warnings;
}

/** Settings of a channel that do nothing, or that let others read along. */
function noticeWarnings(values: Values): string[] {
  const warnings: string[] = [];
  const discord = values.DISCORD_WEBHOOK_URL;
  const ntfy = values.NTFY_TOPIC === undefined ? undefined : values.NTFY_URL;
  for (const [name, url] of Object.entries({
    DISCORD_WEBHOOK_URL: discord,
    NTFY_URL: ntfy,
    NOTIFY_WEBHOOK_URL: values.NOTIFY_WEBHOOK_URL,
  }))
    if (url !== undefined && new URL(url).protocol === 'http:' && !isLoopback(new URL(url).hostname))
      warnings.push(`${name} is not https: notices could be read on the way; use https.`);
  if (values.NTFY_TOKEN !== undefined && values.NTFY_TOPIC === undefined)
    warnings.push('NTFY_TOKEN is set but NTFY_TOPIC is not: nothing is sent to ntfy.');
  if (values.MAIL_HOST !== undefined && values.MAIL_TLS === 'none' && !isLoopback(values.MAIL_HOST))
    warnings.push('MAIL_TLS is none: notices and MAIL_PASSWORD could be read on the way; use starttls or tls.');
  const tellsReport = [
    values.TELEGRAM_BOT_TOKEN !== undefined && values.TELEGRAM_DEFAULT_CHAT !== undefined,
    discord !== undefined && values.DISCORD_NOTICES.includes('report'),
    ntfy !== undefined && values.NTFY_NOTICES.includes('report'),
    values.MAIL_HOST !== undefined && values.MAIL_NOTICES.includes('report'),
    values.NOTIFY_WEBHOOK_URL !== undefined && values.NOTIFY_WEBHOOK_NOTICES.includes('report'),
  ];
  if (values.DAILY_REPORT_AT !== undefined && !tellsReport.includes(true))
    warnings.push(
      'DAILY_REPORT_AT is set but nobody would get the report: set TELEGRAM_DEFAULT_CHAT, or a channel such as DISCORD_WEBHOOK_URL.',
    );
  return warnings;
}
