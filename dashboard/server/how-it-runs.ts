// How Signalbox runs, in a few words each: whether it trades, its venues, its parts, and whom it tells.

import { ago } from '../ui/times.ts';
import type { Health, KillSwitches, Readiness } from './answers.ts';
import { stopWords } from './kill-switch.ts';
import type { Notifier, Reconciliation } from './setup-answers.ts';

export interface Condition {
  readonly title: string;
  readonly words: string;
  readonly isUnwell: boolean;
  readonly link: string;
  /** The moment that the words tell of. */
  readonly atMs?: number;
  /** A warning is about it, which is told in its own words and counts there. */
  readonly isWarned?: boolean;
}

export interface RunningFacts {
  readonly nowMs: number;
  /** Or why the server does not say, as with all of them. */
  readonly switches: KillSwitches | string;
  readonly health: Health | string;
  readonly ready: Readiness | string;
  /** Of testnet and live accounts. */
  readonly compared: readonly Reconciliation[] | string;
  readonly notifiers: readonly Notifier[] | string;
}

const QUIET_OUTCOMES = ['ok', 'off'];

export function conditionsOf(facts: RunningFacts): readonly Condition[] {
  const { compared, ready } = facts;
  const warnings = typeof ready === 'string' ? [] : ready.warnings;
  return [
    tradingCondition(facts),
    ...healthConditions(facts).map((condition) => warnedOf(condition, warnings)),
    ...(typeof compared === 'string' ? [notKnown('Books and venues', compared, '#/accounts')] : []),
    partsCondition(facts),
    toldCondition(facts),
  ];
}

function healthConditions({ health, ...facts }: RunningFacts): readonly Condition[] {
  if (typeof health === 'string') return [notKnown('Venues and prices', health, '#/accounts')];
  return [
    ...Object.entries(health.venues).map(([exchange, mode]) => venueCondition(exchange, mode, facts)),
    well(PRICES, health.prices, '#/settings'),
  ];
}

const PRICES = 'Prices';
/** Whoever gives the prices is named in such a warning too; it is not about what is traded there. */
const ABOUT_PRICES = /\b(?:market data|live stream|prices)\b/i;

/** A venue, or what gives the prices, is not well while a warning names it. */
function warnedOf(condition: Condition, warnings: readonly string[]): Condition {
  const { title, words } = condition;
  const about = warnings.filter((warning) =>
    ABOUT_PRICES.test(warning) ? title === PRICES : new RegExp(`\\b${title}\\b`, 'i').test(warning),
  );
  return about.length === 0 || condition.isUnwell
    ? condition
    : { ...condition, words: `${words}, see the warning`, isWarned: true };
}

/** Of what has no trouble to tell of. */
export const well = (title: string, words: string, link: string): Condition => ({
  title,
  words,
  isUnwell: false,
  link,
});

const at = (atMs: number | undefined): Pick<Condition, 'atMs'> => (atMs === undefined ? {} : { atMs });

/** When the last signal came, so that the silence of a sender is seen; undefined until it is known. */
export type LastSignal = number | 'none' | { readonly message: string } | undefined;

export function lastSignalCondition(last: Exclude<LastSignal, undefined>, nowMs: number): Condition {
  const [title, link] = ['Last signal', '#/signals'];
  if (last === 'none') return well(title, 'none yet', link);
  if (typeof last !== 'number') return notKnown(title, last.message, link);
  return { ...well(title, ago(last, nowMs), link), ...at(last) };
}

/** What nobody says anything of is not well. */
export const notKnown = (title: string, why: string, link: string): Condition => ({
  ...{ title, words: `not known: ${why}`, isUnwell: true, link },
});

function tradingCondition({ switches, nowMs }: RunningFacts): Condition {
  const link = '#/limits';
  if (typeof switches === 'string') return notKnown('Trading', switches, link);
  const stopped = stopWords(switches, nowMs);
  if (stopped !== undefined)
    return { title: 'Trading', words: stopped, isUnwell: true, link, ...at(switches.since ?? undefined) };
  const { others } = switches;
  if (others.length === 0) return well('Trading', 'every signal may pass', link);
  const words = `stopped for ${others.map(otherWords).join(', ')}`;
  return { title: 'Trading', words, isUnwell: true, link };
}

const otherWords = ({ kind, name, reason }: KillSwitches['others'][number]): string =>
  `${kind === 'symbol' ? 'market' : kind} ${name}${reason ? ` (${reason})` : ''}`;

function venueCondition(
  exchange: string,
  mode: string,
  { compared, nowMs }: Pick<RunningFacts, 'compared' | 'nowMs'>,
): Condition {
  const link = '#/accounts';
  if (typeof compared === 'string') return well(exchange, mode, link);
  const accounts = compared.filter((each) => each.exchange === exchange);
  const away = accounts.find(({ error }) => error !== null);
  if (away !== undefined)
    return { title: exchange, words: `${mode}: ${away.account} could not be compared`, isUnwell: true, link };
  const differing = accounts.filter(({ agrees, comparedAt }) => !agrees && comparedAt !== null);
  if (differing.length > 0)
    return {
      title: exchange,
      words: `${mode}: differs from our books at ${differing.map(({ account }) => account).join(', ')}`,
      isUnwell: true,
      link,
    };
  const oldest = Math.min(...accounts.map(({ comparedAt }) => comparedAt ?? Number.POSITIVE_INFINITY));
  if (!Number.isFinite(oldest)) return well(exchange, mode, link);
  return { ...well(exchange, `${mode}, agreed ${ago(oldest, nowMs)}`, link), ...at(oldest) };
}

function partsCondition({ ready }: RunningFacts): Condition {
  if (typeof ready === 'string') return notKnown('Parts', ready, '#/settings');
  const parts = Object.entries(ready.checks);
  const unwell = parts.filter(([, outcome]) => !QUIET_OUTCOMES.includes(outcome));
  if (unwell.length === 0) return well('Parts', `all ${parts.length} are well`, '#/settings');
  const words = unwell.map(([name, outcome]) => `${name}: ${outcome}`).join('; ');
  return { title: 'Parts', words, isUnwell: true, link: '#/settings' };
}

function toldCondition({ notifiers }: RunningFacts): Condition {
  const link = '#/settings';
  if (typeof notifiers === 'string') return notKnown('Told', notifiers, link);
  if (notifiers.length === 0) return well('Told', 'nobody yet', link);
  const unwell = notifiers.filter(({ state }) => state === 'failing' || state === 'refused');
  const names = (unwell.length === 0 ? notifiers : unwell).map(({ channel }) => channel).join(', ');
  return unwell.length === 0
    ? well('Told', names, link)
    : { title: 'Told', words: `${names} does not arrive`, isUnwell: true, link };
}
