// Puts the mail intake together from plain settings: the list of senders, the proof by DNS, the listener.

import { Resolver } from 'node:dns/promises';
import { createSenderList } from './allowed-senders.ts';
import { createSenderCheck, type Resolve } from './sender-verdict.ts';
import { type MailIntake, type MailIntakeOptions, openMailIntake } from './smtp-intake.ts';

/** A mail server waits minutes for a reply, but a signal should not. */
const DNS_TRY_MS = 2000;
const DNS_TRIES = 2;
const DNS_BUDGET_MS = 15_000;

export interface MailSettings extends Omit<MailIntakeOptions, 'isAllowedSender' | 'checkSender'> {
  readonly allowedSenders: readonly string[];
  readonly authPolicy: 'require' | 'off';
  /** DNS, when it is not this machine's own. */
  readonly resolve?: Resolve;
  readonly dnsBudgetMs?: number;
}

export function openMail({ allowedSenders, authPolicy, ...settings }: MailSettings): Promise<MailIntake> {
  const { resolve = createResolve(), dnsBudgetMs = DNS_BUDGET_MS } = settings;
  return openMailIntake({
    ...settings,
    isAllowedSender: createSenderList(allowedSenders),
    checkSender: authPolicy === 'off' ? undefined : createSenderCheck({ resolve, timeoutMs: dnsBudgetMs }),
  });
}

/** Asks these servers, `address:port`, or the machine's own. */
export function createResolve(servers?: readonly string[]): Resolve {
  const dns = new Resolver({ timeout: DNS_TRY_MS, tries: DNS_TRIES });
  if (servers) dns.setServers(servers);
  return (name, type) => dns.resolve(name, type) as Promise<string[]>;
}
