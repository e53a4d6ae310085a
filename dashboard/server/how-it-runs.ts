// How Signalbox runs, in a few words each: whether it trades, its venues, its parts, and whom it tells.

import { ago } from '../ui/times.ts';
import type { Health, KillSwitches, Readiness } from './answers.ts';
import { stopWords } from './kill-switch.ts';
import type { Notifier, Reconciliation } from './setup-answers.ts';

export interface Sight {
  readonly title: string;
  readonly words: string;
  readonly isUnwell: boolean;
  readonly link: string;
}

export interface RunningFacts {
  readonly nowMs: number;
  readonly switches: KillSwitches;
  readonly health: Health;
  readonly ready: Readiness;
  /** Of testnet and live accounts; or why the server does not say. */
  readonly compared: readonly Reconciliation[] | string;
  /** Or why the server does not say. */
  readonly notifiers: readonly Notifier[] | string;
}

const QUIET_OUTCOMES = ['ok', 'off'];

export function sightsOf(facts: RunningFacts): readonly Sight[] {
  const { health, compared } = facts;
  return [
    tradingSight(facts),
    ...Object.entries(health.venues).map(([exchange, mode]) => venueSight(exchange, mode, facts)),
    ...(typeof compared === 'string' ? [notKnown('Books and venues', compared, '#/accounts')] : []),
    well('Prices', health.prices, '#/settings'),
    partsSight(facts),
    toldSight(facts),
  ];
}

/** Of what has no trouble to tell of. */
export const well = (title: string, words: string, link: string): Sight => ({ title, words, isUnwell: false, link });

/** What nobody says anything of is not well. */
const notKnown = (title: string, why: string, link: string): Sight => ({
  ...{ title, words: `not known: ${why}`, isUnwell: true, link },
});

function tradingSight({ switches, nowMs }: RunningFacts): Sight {
  const link = '#/settings';
  const stopped = stopWords(switches, nowMs);
  if (stopped !== undefined) return { title: 'Trading', words: stopped, isUnwell: true, link };
  const { others } = switches;
  if (others.length === 0) return well('Trading', 'every signal may pass', link);
  const words = `stopped for ${others.map(({ kind, name }) => `${kind} ${name}`).join(', ')}`;
  return { title: 'Trading', words, isUnwell: true, link };
}

function venueSight(exchange: string, mode: string, { compared, nowMs }: RunningFacts): Sight {
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
  return well(exchange, Number.isFinite(oldest) ? `${mode}, agreed ${ago(oldest, nowMs)}` : mode, link);
}

function partsSight({ ready: { checks } }: RunningFacts): Sight {
  const parts = Object.entries(checks);
  const unwell = parts.filter(([, outcome]) => !QUIET_OUTCOMES.includes(outcome));
  if (unwell.length === 0) return well('Parts', `all ${parts.length} are well`, '#/settings');
  const words = unwell.map(([name, outcome]) => `${name}: ${outcome}`).join('; ');
  return { title: 'Parts', words, isUnwell: true, link: '#/settings' };
}

function toldSight({ notifiers }: RunningFacts): Sight {
  const link = '#/settings';
  if (typeof notifiers === 'string') return notKnown('Told', notifiers, link);
  if (notifiers.length === 0) return well('Told', 'nobody yet', link);
  const unwell = notifiers.filter(({ state }) => state === 'failing' || state === 'refused');
  const names = (unwell.length === 0 ? notifiers : unwell).map(({ channel }) => channel).join(', ');
  return unwell.length === 0
    ? well('Told', names, link)
    : { title: 'Told', words: `${names} does not arrive`, isUnwell: true, link };
}
