// A mail listener over a real gateway, a real SMTP client, and a DNS that answers what the test wrote down.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createConnection } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { type MailSettings, openMail } from '../../src/adapters/mail/open-mail.ts';
import type { MailEntry, MailIntake } from '../../src/adapters/mail/smtp-intake.ts';
import { createRequestIds } from '../../src/http/request-id.ts';
import { createMailReceiver } from '../../src/services/gateway/receive-mail.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import type { GatewayOptions, TestGateway } from '../support/gateway.ts';
import type { RunningProcess } from '../support/process.ts';
import { freshGateway } from '../webhook/answers.ts';

export const COMMAND = 'LONG 0.01 BTCUSDT on binance';
/** Its SPF record allows this machine. */
export const ME = 'me@spf.example';
/** It signs its mail; SPF allows nobody, so only the signature can prove it. */
export const SIGNER = 'me@signed.example';

const keyPair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const KEY_RECORD = `v=DKIM1; k=rsa; p=${keyPair.publicKey.toString('base64')}`;

export type Records = Record<string, string>;
export const RECORDS: Records = {
  'TXT spf.example': 'v=spf1 ip4:127.0.0.1 -all',
  'TXT _dmarc.spf.example': 'v=DMARC1; p=reject',
  'TXT signed.example': 'v=spf1 -all',
  'TXT sel._domainkey.signed.example': KEY_RECORD,
  'TXT _dmarc.signed.example': 'v=DMARC1; p=reject',
  'TXT sel._domainkey.nodmarc.example': KEY_RECORD,
  'TXT sel._domainkey.mail.signed.example': KEY_RECORD,
  'TXT sel._domainkey.testing.example': `t=y; ${KEY_RECORD}`.replace(/^t=y; (v=DKIM1;)/, '$1 t=y;'),
  'TXT _dmarc.testing.example': 'v=DMARC1; p=none',
  'TXT other.example': 'v=spf1 ip4:127.0.0.1 -all',
  'TXT sel._domainkey.other.example': KEY_RECORD,
  'TXT _dmarc.other.example': 'v=DMARC1; p=none',
};

export const dkimOf = (domainName: string, more: object = {}) => ({
  dkim: { domainName, keySelector: 'sel', privateKey: keyPair.privateKey, ...more },
});

export interface Reply {
  readonly code: number;
  readonly text: string;
}

/** Of a program with SMTP_PORT=0, as it says when it starts. */
export const mailPort = (running: RunningProcess): { port: number } => ({
  port: Number(/Mail intake: {2}smtp:\/\/127\.0\.0\.1:(\d+) /.exec(running.output())?.[1]),
});

export interface OfficeOptions {
  readonly gateway?: GatewayOptions;
  readonly settings?: Partial<MailSettings>;
  readonly maxAgeMs?: number;
  readonly records?: Records;
}

export async function openOffice(options: OfficeOptions = {}) {
  const gateway = await freshGateway(options.gateway);
  const entries: MailEntry[] = [];
  const asked: string[] = [];
  const label = gateway.keys.list().at(-1)?.label as string;
  const records = options.records ?? RECORDS;
  const intake = await openMail({
    host: '127.0.0.1',
    port: 0,
    allowedSenders: ['@spf.example', SIGNER, 'me@nodmarc.example', 'me@testing.example', 'me@nothing.example'],
    authPolicy: 'require',
    receiver: receiverOf(gateway, options.maxAgeMs),
    admit: () => true,
    onMail: (entry) => entries.push(entry),
    resolve: async (name, type) => {
      asked.push(`${type} ${name}`);
      const text = records[`${type} ${name}`];
      if (text === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
      return [[text]];
    },
    ...options.settings,
  });
  closeAtEnd(() => intake.stop(0));
  const to = `signals+${label}@trade.example`;
  return {
    gateway,
    intake,
    entries,
    asked,
    to,
    /** Sends a mail as a mail program would; `transport` may hold DKIM keys. */
    mail: (mail: SendMailOptions, transport: object = {}): Promise<Reply> =>
      deliver(intake, { from: ME, to, ...mail }, transport),
    /** Sends these bytes as the mail. */
    raw: (bytes: string | Buffer, from = ME): Promise<Reply> =>
      deliver(intake, {
        envelope: { from, to },
        raw: Buffer.isBuffer(bytes) ? bytes : bytes.replace(/\r?\n/g, '\r\n'),
      }),
  };
}

const receiverOf = (gateway: TestGateway, maxAgeMs = 600_000) =>
  createMailReceiver({
    ...gateway.webhook,
    findByLabel: (label) => gateway.keys.findByLabel(label),
    nextRequestId: createRequestIds({ nowMs: Date.now, randomBytes }),
    maxAgeMs,
  });

export async function deliver(
  intake: Pick<MailIntake, 'port'>,
  mail: SendMailOptions,
  transport: object = {},
): Promise<Reply> {
  const client = createTransport({
    host: '127.0.0.1',
    port: intake.port,
    ignoreTLS: true,
    name: 'client.example',
    ...transport,
  });
  try {
    const { response } = await client.sendMail(mail);
    return replyOf(response);
  } catch (error) {
    return replyOf((error as { response?: string }).response ?? `000 ${(error as Error).message}`);
  } finally {
    client.close();
  }
}

const replyOf = (response: string): Reply => ({ code: Number(response.slice(0, 3)), text: response.slice(4) });

/** The head of a mail that is in order, for mails written by hand. */
export const head = (fields: Record<string, string | undefined> = {}): string =>
  Object.entries({
    From: ME,
    To: 'signals@trade.example',
    Subject: 'signal',
    Date: new Date().toUTCString(),
    'Message-ID': `<${randomBytes(8).toString('hex')}@spf.example>`,
    'MIME-Version': '1.0',
    ...fields,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

/** Speaks SMTP word by word; each line is sent after the reply to the one before. Resolves with all replies. */
export function talk(port: number, lines: readonly string[], timeoutMs = 5000): Promise<string> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    let heard = '';
    const rest = [...lines];
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    socket.on('data', (chunk) => {
      heard += chunk;
      if (!/^\d{3} .*\r\n$/m.test(String(chunk))) return;
      const next = rest.shift();
      if (next === undefined) socket.end();
      else socket.write(`${next}\r\n`);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(heard);
    });
  });
}

/** Connects and stays, until it is let go; resolves with the first line it hears. */
export function hold(port: number): Promise<{ readonly heard: string; close(): Promise<void> }> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    const closed = new Promise<void>((done) => socket.on('close', () => done()));
    socket.on('error', () => {});
    socket.once('data', (chunk) => {
      const close = (): Promise<void> => {
        socket.destroy();
        return closed;
      };
      resolve({ heard: String(chunk), close });
    });
  });
}
