// Receivers of notices on the loopback address: a web server that answers as the test says, and a real mail server.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export interface WebReceiver {
  readonly url: string;
  readonly received: Received[];
  /** How a path is answered from now on; `hang up` closes the connection without a word. */
  readonly answers: Map<string, WebAnswer | 'hang up'>;
  /** What was taken at this path: the bodies, read. */
  taken(path: string): { readonly [name: string]: unknown }[];
  close(): Promise<void>;
}

export async function startWebReceiver(): Promise<WebReceiver> {
  const received: Received[] = [];
  const taken: Received[] = [];
  const answers: WebReceiver['answers'] = new Map();
  const server = createServer(async (request, response) => {
    let body = '';
    try {
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
    } catch {
      // A sender that is killed hangs up in the middle.
      return;
    }
    const { pathname, search } = new URL(request.url ?? '/', 'http://receiver');
    const got = { path: `${pathname}${search}`, headers: request.headers, body };
    received.push(got);
    const answer = answers.get(pathname) ?? { status: 200, body: '{"id":"1"}' };
    if (answer === 'hang up') return void request.socket.destroy();
    if (answer.status < 300) taken.push({ ...got, path: pathname });
    response
      .writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
      .end(answer.body ?? '{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    taken: (path) => taken.filter((got) => got.path === path).map(({ body }) => JSON.parse(body)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface TakenMail {
  readonly subject: string | undefined;
  readonly text: string;
  readonly messageId: string | undefined;
  readonly from: string | undefined;
  readonly to: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly wasSecure: boolean;
}

export interface MailReceiver {
  readonly port: number;
  readonly mails: TakenMail[];
  /** The next commands of this kind are refused so. */
  refusal: { readonly at: 'login' | 'recipient' | 'data'; readonly code: number } | undefined;
  close(): Promise<void>;
}

export const MAIL_USER = { user: 'signalbox', password: 'mail-secret-0815' };

/** With a certificate it offers STARTTLS, and takes mail from nobody who did not use it. */
export async function startMailReceiver(certificate?: { key: string; cert: string }): Promise<MailReceiver> {
  const mails: TakenMail[] = [];
  const refused = (at: NonNullable<MailReceiver['refusal']>['at']): Error | null =>
    receiver.refusal?.at === at ? Object.assign(new Error('refused'), { responseCode: receiver.refusal.code }) : null;
  const server = new SMTPServer({
    ...(certificate ?? { disabledCommands: ['STARTTLS'], allowInsecureAuth: true }),
    onAuth(auth, _session, done) {
      const isRight = auth.username === MAIL_USER.user && auth.password === MAIL_USER.password;
      done(
        refused('login') ?? (isRight ? null : new Error('wrong password')),
        isRight ? { user: auth.username } : undefined,
      );
    },
    onRcptTo: (_address, _session, done) => done(refused('recipient')),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const refusal = refused('data');
        if (refusal) return done(refusal);
        const { subject, text = '', messageId, from, to = [], headers } = await PostalMime.parse(Buffer.concat(chunks));
        mails.push({
          ...{ subject, text: text.trim(), messageId, from: from?.address, wasSecure: session.secure },
          to: to.map(({ address }) => address ?? ''),
          headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
        });
        done();
      });
    },
  });
  // A sender that is killed hangs up in the middle.
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const receiver: MailReceiver = {
    port: (listening.address() as AddressInfo).port,
    mails,
    refusal: undefined,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return receiver;
}
