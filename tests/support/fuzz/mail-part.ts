// Fuzzes the mail intake with random mails: every one read by the parser, some sent over SMTP to a gateway that trades.

import { randomBytes } from 'node:crypto';
import { openMail } from '../../../src/adapters/mail/open-mail.ts';
import { readHead, readText } from '../../../src/adapters/mail/parse-message.ts';
import type { MailEntry, MailIntake } from '../../../src/adapters/mail/smtp-intake.ts';
import { Refusal } from '../../../src/http/errors.ts';
import { createRequestIds } from '../../../src/http/request-id.ts';
import { readEmail } from '../../../src/services/gateway/read-email.ts';
import { createMailReceiver } from '../../../src/services/gateway/receive-mail.ts';
import { openGateway, type TestGateway } from '../gateway.ts';
import type { Random } from '../random.ts';
import { type BatchReport, type FuzzPart, ownHeapBytes, Tally } from './fuzz-part.ts';
import { randomMail, SENDER } from './mail-messages.ts';
import { exchange } from './raw-exchange.ts';

const BATCH = 100;
/** Of each batch, sent to the listener. */
const SENT = 5;
const SLOWEST_MS = 2000;
const MAX_AGE_MS = 600_000;

export async function openMailPart(): Promise<FuzzPart> {
  const gateway = await openGateway();
  const entries: MailEntry[] = [];
  const label = gateway.keys.list().at(-1)?.label ?? '';
  const intake = await openMail({
    host: '127.0.0.1',
    port: 0,
    allowedSenders: [SENDER],
    authPolicy: 'off',
    receiver: createMailReceiver({
      ...gateway.webhook,
      findByLabel: (name) => gateway.keys.findByLabel(name),
      nextRequestId: createRequestIds({ nowMs: Date.now, randomBytes }),
      maxAgeMs: MAX_AGE_MS,
    }),
    admit: () => true,
    onMail: (entry) => entries.push(entry),
  });
  return new MailPart(gateway, intake, entries, label);
}

class MailPart implements FuzzPart {
  readonly #gateway: TestGateway;
  readonly #intake: MailIntake;
  readonly #entries: MailEntry[];
  readonly #label: string;

  constructor(gateway: TestGateway, intake: MailIntake, entries: MailEntry[], label: string) {
    this.#gateway = gateway;
    this.#intake = intake;
    this.#entries = entries;
    this.#label = label;
  }

  async batch(random: Random): Promise<BatchReport> {
    const faults: string[] = [];
    const tally = new Tally();
    for (let made = 0; made < BATCH; made += 1) {
      const mail = randomMail(random);
      const fault = made < SENT ? await this.#deliver(mail, random, tally) : await readFault(mail, tally);
      if (fault !== undefined) faults.push(`${fault}: ${JSON.stringify(mail.toString('latin1').slice(0, 3000))}`);
    }
    return { inputs: BATCH, faults: [...faults, ...this.#troubles()], ends: tally.counts };
  }

  heapBytes(): number {
    return ownHeapBytes();
  }

  async close(): Promise<readonly string[]> {
    await this.#intake.stop(1000);
    await this.#gateway.close();
    return [];
  }

  /** Everything at once, as no mail server does, and now and then cut off in the middle. */
  async #deliver(mail: Buffer, random: Random, tally: Tally): Promise<string | undefined> {
    const stuffed = mail.toString('latin1').replace(/^\./gm, '..');
    const to = `signals+${this.#label}@trade.example`;
    const talk = `EHLO x.example\r\nMAIL FROM:<${SENDER}>\r\nRCPT TO:<${to}>\r\nDATA\r\n${stuffed}\r\n.\r\nQUIT\r\n`;
    const isWhole = random.chance(90);
    const bytes = Buffer.from(isWhole ? talk : talk.slice(0, random.between(1, talk.length)), 'latin1');
    const ending = random.chance(5) ? 'cut' : isWhole ? 'theirs' : 'half';
    const { answer, isClosed } = await exchange(this.#intake.port, [bytes], ending, true);
    tally.add(`smtp ${/^354[^\n]*\n(\d{3})/m.exec(answer)?.[1] ?? 'closed'}`);
    if (/4\.3\.0/.test(answer)) return `answered with a fault of ours: ${answer}`;
    return isClosed ? undefined : 'kept the connection of a client that had ended it';
  }

  #troubles(): readonly string[] {
    const { troubles, notices, refusalLog, deskAlarms, deskAlarmsOver, alarms } = this.#gateway;
    for (const list of [notices, refusalLog, deskAlarms, deskAlarmsOver, alarms]) list.length = 0;
    const faults = this.#entries.splice(0).filter(({ fault }) => fault !== undefined);
    return [...troubles.splice(0), ...faults.map(({ fault }) => String(fault))].map((what) => `complained: ${what}`);
  }
}

async function readFault(mail: Buffer, tally: Tally): Promise<string | undefined> {
  const startMs = performance.now();
  try {
    const head = readHead(mail);
    const content = await readText(mail);
    if ('fault' in content || 'fault' in head) tally.add('unreadable');
    else tally.add(readEmail({ subject: head.subject, ...content }).order.action);
  } catch (error) {
    // What holds no signal is refused with words of its own.
    if (!(error instanceof Refusal)) return `threw ${error instanceof Error ? error.stack : error}`;
    tally.add('refused');
  }
  const tookMs = performance.now() - startMs;
  return tookMs > SLOWEST_MS ? `took ${Math.round(tookMs)} ms` : undefined;
}
