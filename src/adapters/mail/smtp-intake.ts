// The mail listener: takes mail for `signals+<label of a webhook key>@…` and nothing else, with a limit on everything.
//
// It speaks plain SMTP and relays nothing. It is meant to stand behind your mail server or a forwarded port.

import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { foregroundTimers } from '../../timing/timers.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import type { MailReply } from '../../trading/intake/mail/mail-receiver.ts';
import { type Envelope, type Judgement, type Judges, judgeMessage } from './judge-message.ts';

/** A signal is a few lines; the rest is room for HTML, logos and what servers write into the header. */
export const MAX_MESSAGE_BYTES = 256 * 1024;
/** Each may hold one message in memory. */
const MAX_CLIENTS = 32;
/** A server that says nothing for this long has gone. */
const IDLE_TIMEOUT_MS = 30_000;
/** No honest delivery of a quarter of a mebibyte takes longer, and a client that trickles bytes is never idle. */
const SESSION_TIMEOUT_MS = 120_000;

export interface MailIntakeOptions extends Judges {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Asked for each recipient and each refusal: false means that this address has had enough of them for now. */
  readonly admit: (clientAddress: string) => boolean;
  /** One entry per mail, taken or refused, for the log. */
  readonly onMail: (entry: MailEntry) => void;
  readonly sessionTimeoutMs?: number;
}

/** Says what became of a mail, without a word of it. */
export interface MailEntry extends Judgement {
  readonly clientAddress: string;
  readonly keyLabel?: string | undefined;
}

export interface MailIntake {
  /** `host:port`, as it really listens. */
  readonly address: string;
  readonly port: number;
  /** New mail is told to come later; mail under way gets this long. */
  stop(timeoutMs: number): Promise<void>;
}

class SmtpRefusal extends Error {
  readonly responseCode: number;

  constructor({ code, text }: MailReply) {
    super(text);
    this.responseCode = code;
  }
}

const STOPPING: MailReply = { code: 421, text: '4.3.2 Signalbox is stopping; try again in a minute' };
/** Closes the connection too, and is not logged: whoever floods us must not flood the log. */
const SLOW_DOWN: MailReply = { code: 421, text: '4.7.0 too many mails from this address; try again in a minute' };
const NOT_HERE: MailReply = {
  code: 550,
  text: '5.1.1 no such recipient; write to signals+LABEL with the label of an active webhook key',
};
const ONE_ONLY: MailReply = { code: 452, text: '4.5.3 one recipient at a time' };
const NO_BOUNCES: MailReply = { code: 550, text: '5.7.1 bounces are not read here' };
const TOO_LARGE: MailReply = { code: 552, text: `5.3.4 the mail is larger than ${MAX_MESSAGE_BYTES} bytes` };
const HUNG_UP: MailReply = { code: 451, text: '4.4.2 the connection broke before the mail was whole' };
const OUR_FAULT: MailReply = { code: 451, text: '4.3.0 internal error; try again later' };

export async function openMailIntake(options: MailIntakeOptions): Promise<MailIntake> {
  const sessions = new MailSessions(options);
  const { host } = options;
  const port = await bind(sessions.server, host, options.port);
  return {
    address: `${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    stop: (timeoutMs) => sessions.stop(timeoutMs),
  };
}

type Done = (refusal?: SmtpRefusal | null, text?: string) => void;

/** The SMTP server and what it answers to each step of a session. */
class MailSessions {
  readonly server: SMTPServer;
  readonly #options: MailIntakeOptions;
  readonly #underWay = new Set<Promise<void>>();
  /** For each session the timer that ends it when it takes too long. */
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #isStopping = false;

  constructor(options: MailIntakeOptions) {
    this.#options = options;
    this.server = new SMTPServer({
      name: 'signalbox',
      banner: 'Signalbox mail intake',
      size: MAX_MESSAGE_BYTES,
      maxClients: MAX_CLIENTS,
      socketTimeout: IDLE_TIMEOUT_MS,
      disabledCommands: ['AUTH', 'STARTTLS'],
      authOptional: true,
      // A reverse look-up would let every stranger make us ask DNS.
      disableReverseLookup: true,
      logger: false,
      onConnect: (session, done) => done(this.#connected(session)),
      onClose: (session) => this.#closed(session),
      onMailFrom: ({ address }, session, done) => done(this.#sender(address, session)),
      onRcptTo: ({ address }, session, done) => done(this.#recipient(address, session)),
      onData: (stream, session, done) => this.#message(stream, session, done),
    });
    // A client that hangs up or talks nonsense harms nobody but itself.
    this.server.on('error', () => {});
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    this.server.server.close();
    await withTimeout(Promise.allSettled([...this.#underWay]), timeoutMs, () => {}, foregroundTimers);
    for (const timer of this.#timers.values()) clearTimeout(timer);
    // Whoever is still connected is told 421 and let go.
    this.server.options.closeTimeout = 1;
    await new Promise<void>((resolve) => this.server.close(resolve));
  }

  /** These three say why the session does not go on; undefined lets it. */
  #connected(session: SMTPServerSession): SmtpRefusal | undefined {
    if (this.#isStopping) return new SmtpRefusal(STOPPING);
    const { sessionTimeoutMs = SESSION_TIMEOUT_MS } = this.#options;
    const cut = (): void => closeSession(this.server, session.id);
    this.#timers.set(session.id, setTimeout(cut, sessionTimeoutMs).unref());
    return undefined;
  }

  #sender(address: string, session: SMTPServerSession): SmtpRefusal | undefined {
    if (this.#isStopping) return new SmtpRefusal(STOPPING);
    if (address !== '') return undefined;
    return this.#options.admit(addressOf(session)) ? this.#refused(session, NO_BOUNCES) : new SmtpRefusal(SLOW_DOWN);
  }

  #recipient(address: string, session: SMTPServerSession): SmtpRefusal | undefined {
    const { admit, receiver } = this.#options;
    if (!admit(addressOf(session))) return new SmtpRefusal(SLOW_DOWN);
    if (session.envelope.rcptTo.length > 0) return new SmtpRefusal(ONE_ONLY);
    const label = labelOf(address);
    return label === undefined || !receiver.knows(label) ? this.#refused(session, NOT_HERE, label) : undefined;
  }

  #closed(session: SMTPServerSession): void {
    clearTimeout(this.#timers.get(session.id));
    this.#timers.delete(session.id);
  }

  #message(stream: SMTPServerDataStream, session: SMTPServerSession, done: Done): void {
    // Taken now: the session forgets them when the client hangs up.
    const envelope = envelopeOf(session);
    const work = takeMail(stream, envelope, this.#options).then((judgement) => {
      const { clientAddress, keyLabel } = envelope;
      this.#options.onMail({ ...judgement, clientAddress, keyLabel });
      if (judgement.code === 250) done(null, judgement.text);
      else done(new SmtpRefusal(judgement));
    });
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  #refused(session: SMTPServerSession, reply: MailReply, keyLabel?: string): SmtpRefusal {
    this.#options.onMail({ ...reply, clientAddress: addressOf(session), keyLabel });
    return new SmtpRefusal(reply);
  }
}

/** Never rejects: whatever goes wrong is a reply. */
async function takeMail(stream: SMTPServerDataStream, envelope: Envelope, judges: Judges): Promise<Judgement> {
  try {
    const raw = await collect(stream);
    return raw === undefined ? TOO_LARGE : await judgeMessage(raw, envelope, judges);
  } catch (fault) {
    // Whoever hung up in the middle reads no reply, and will send the mail again.
    return stream.destroyed && !stream.readableEnded ? HUNG_UP : { ...OUR_FAULT, fault };
  }
}

const envelopeOf = (session: SMTPServerSession): Envelope => ({
  from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
  keyLabel: labelOf(session.envelope.rcptTo[0]?.address ?? '') ?? '',
  clientAddress: addressOf(session),
  helo: session.hostNameAppearsAs,
});

/** Reads to the end in any case, as the protocol asks, but keeps nothing beyond the limit. */
async function collect(stream: SMTPServerDataStream): Promise<Buffer | undefined> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_MESSAGE_BYTES) chunks.push(chunk);
    else chunks = [];
  }
  return size <= MAX_MESSAGE_BYTES ? Buffer.concat(chunks) : undefined;
}

const RECIPIENT = /^signals\+([^@]{1,64})@[^@]+$/i;

/** The domain does not matter: nothing is relayed, so whatever arrives here was meant for here. */
const labelOf = (address: string): string | undefined => RECIPIENT.exec(address)?.[1];

const addressOf = ({ remoteAddress }: SMTPServerSession): string => remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '');

function closeSession(server: SMTPServer, id: string): void {
  const open = server.connections as Set<{ id: string; send(code: number, text: string): void; close(): void }>;
  for (const connection of open) {
    if (connection.id !== id) continue;
    connection.send(421, '4.4.2 the session took too long');
    connection.close();
  }
}

function bind(server: SMTPServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.server.once('error', (error: NodeJS.ErrnoException) => reject(startFault(error, host, port)));
    server.listen(port, host, () => {
      const address = server.server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function startFault(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const remedies: Record<string, string> = {
    EADDRINUSE: `Mail port ${port} on ${host} is in use. Stop the other program, or choose another SMTP_PORT, such as 2525.`,
    EACCES: `Mail port ${port} needs more rights. Choose an SMTP_PORT above 1023, such as 2525, and forward port 25 to it.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Set SMTP_HOST to one it has, such as 127.0.0.1.`,
    ENOTFOUND: `The host name ${host} is unknown. Set SMTP_HOST to an address, such as 127.0.0.1.`,
  };
  const message =
    remedies[error.code ?? ''] ?? `Cannot listen for mail on ${host}:${port} (${error.code ?? error.message}).`;
  return new Error(message, { cause: error });
}
