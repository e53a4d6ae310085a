// Every desk event as people read it: one plain sentence, in the words that the owner's chat and channels have for it, and the names that lead
// to its whole story.

import { type AccountName, accountWithMode } from '../accounts.ts';
import type { DeskEvent, DeskEventKind } from '../books/desk-events.ts';
import { heldAt } from '../books/holding.ts';
import type { TradeState } from '../books/journal.ts';
import type { Position } from '../books/position.ts';
import { shownMoney } from '../books/shown-amounts.ts';
import { STATUS_OF } from '../books/trade-status.ts';
import { decimal, toNumber, toText, ZERO } from '../decimal.ts';
import type { KillSwitch } from '../intake/controls.ts';
import { RESTRICTION, type Restriction } from '../intake/restrictions.ts';
import { inReadingOrder } from '../notifications/escape.ts';
import { plainOf } from '../notifications/markup.ts';
import { signalInWords } from '../notifications/outcome-message.ts';
import type { Protection } from '../protection/protection.ts';
import { accessInWords } from './access-words.ts';
import { killSwitchInWords } from './alarms.ts';
import { refusalInWords, type ToldRefusal } from './refusal-notices.ts';
import { positionLine } from './render.ts';
import { nameOf as shareLine, stopLine } from './render-stops.ts';
import { restrictionLine } from './restricting.ts';

/** The names are those of the answers of the interface; what an event is not about is absent. */
export interface ToldEvent {
  readonly kind: DeskEventKind;
  readonly at: number;
  readonly text: string;
  readonly [name: string]: string | number | null;
}

type Told = Readonly<Record<string, string | number | null | undefined>> & { readonly text: string };
type Teller = (event: DeskEvent) => Told;

const TELLERS: Readonly<Record<Exclude<DeskEventKind, 'trade'>, Teller>> = {
  position: tellPosition,
  protection: tellProtection,
  refusal: tellRefusal,
  signal: ({ facts }) => {
    const { signalId, symbol, signalType, source } = facts as Record<string, string>;
    return { text: `${signalType} ${symbol} from ${source}: stored`, signalId };
  },
  equity: tellEquity,
  change: tellChange,
  alarm: ({ facts }) => {
    const { alarm, text, state } = facts as Record<string, string>;
    return { text: state === 'over' ? `over: ${text}` : (text ?? ''), alarm, state };
  },
  deployment: ({ facts }) => {
    const { id, name, symbol, interval, state, reason } = facts as Record<string, string>;
    const why = reason === undefined ? '' : `: ${reason}`;
    return { text: `Deployment ${name} (${symbol} ${interval}) is ${state}${why}`, deploymentId: id, state };
  },
  start: ({ facts }) => ({ text: `Signalbox ${facts.version} has started` }),
};

const isTold = (kind: string): kind is keyof typeof TELLERS => Object.hasOwn(TELLERS, kind);

export function tellDeskEvent(event: DeskEvent): ToldEvent {
  const kind = isTold(event.kind) ? event.kind : 'trade';
  const { text, ...names } = tellOrName(kind, event);
  const known = Object.entries(names).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(known), kind, at: event.atMs, text: inReadingOrder(text) } as ToldEvent;
}

/** A row that makes no sense is named; it must not hold up those behind it. */
function tellOrName(kind: DeskEventKind, event: DeskEvent): Told {
  try {
    return kind === 'trade' ? tellTrade(event) : TELLERS[kind](event);
  } catch {
    return { text: `A ${kind} that cannot be put into words` };
  }
}

function tellTrade({ kind, facts, trade }: DeskEvent): Told {
  if (trade === undefined) return { text: `A trade is ${kind}` };
  const { requestId, keyLabel, mode, account, order } = trade;
  const { clientOrderId, text } = facts as { clientOrderId?: string; text?: string };
  return {
    text: text ?? `${signalInWords(trade)}: ${kind === 'sending' ? sendingInWords(facts) : kind}`,
    step: kind,
    status: STATUS_OF[kind as TradeState],
    ...{ requestId, clientOrderId, keyLabel, exchange: order.exchange, mode, account, market: order.market },
    strategy: order.strategy,
  };
}

function sendingInWords(facts: DeskEvent['facts']): string {
  const { side, quantity, price } = facts as Record<string, string | null>;
  return `sending ${side} ${quantity} ${price === null ? 'at market' : `at ${price}`}`;
}

function tellPosition({ facts, trade }: DeskEvent): Told {
  const { exchange, mode, account, market, side } = facts as unknown as Position;
  const quantity = decimal(facts.quantity as string);
  const entryPrice = decimal(facts.entryPrice as string);
  const names = { exchange, mode, account, market, side, requestId: trade?.requestId };
  if (quantity === ZERO)
    return {
      text: `${market} ${side} on ${accountWithMode({ exchange, mode, account })}: closed`,
      ...names,
      quantity: 0,
    };
  const held = { ...heldAt(quantity, entryPrice), entryPrice, realizedPnl: ZERO, fees: ZERO, updatedAtMs: 0 };
  return {
    text: plainOf(positionLine({ exchange, mode, account, market, side, ...held }, undefined, undefined)),
    ...names,
    ...{ quantity: toNumber(quantity), entryPrice: toNumber(entryPrice) },
  };
}

function tellProtection({ facts }: DeskEvent): Told {
  const protection = facts.protection as Protection | undefined;
  const share = protection ?? (facts as unknown as Protection);
  const { exchange, mode, account, market, side, strategy } = share;
  const text = protection ? stopLine(protection, protection.basis?.tick) : `${shareLine(share)}: no stops any more`;
  const names = { exchange, mode, account, market, side, strategy: strategy === '' ? undefined : strategy };
  return { text: plainOf(text), ...names, requestId: protection?.origin };
}

function tellRefusal({ facts }: DeskEvent): Told {
  const told = facts as unknown as ToldRefusal & { readonly id: string };
  const { id, keyLabel, code } = told;
  return { text: `Refused: ${refusalInWords(told)}`, refusalId: id, keyLabel, code };
}

function tellEquity({ facts }: DeskEvent): Told {
  const { exchange, mode, account } = facts as unknown as AccountName;
  const [equity, balance] = [facts.equity, facts.balance].map((amount) => shownMoney(decimal(amount as string)));
  const [worth, cash] = [equity ?? ZERO, balance ?? ZERO];
  return {
    text: `${accountWithMode({ exchange, mode, account })}: equity ${toText(worth)}, balance ${toText(cash)}`,
    ...{ exchange, mode, account, equity: toNumber(worth), balance: toNumber(cash) },
  };
}

/** A line of the audit. */
function tellChange({ facts }: DeskEvent): Told {
  const { actor = '', setting = '', before, after } = facts as Record<string, string | null>;
  const read = (text: string | null | undefined): unknown => (typeof text === 'string' ? JSON.parse(text) : undefined);
  const words = changeInWords(setting ?? '', read(before), read(after));
  const { requestId } = (read(after) ?? {}) as { readonly requestId?: string };
  return { text: `${words} by ${actor}`, setting, actor, ...(setting === 'tradeNote' && { requestId }) };
}

function changeInWords(setting: string, before: unknown, after: unknown): string {
  if (setting === 'killSwitch') return `${killSwitchInWords(after as KillSwitch)}. Turned`;
  if (setting === 'queueMode') return `The queue mode is ${after}. Changed`;
  if (setting === RESTRICTION) return restrictionInWords(before as Restriction | undefined, after as Restriction);
  return accessInWords(setting, before, after) ?? `${SETTING_WORDS[setting] ?? setting} changed`;
}

/** A kill switch that was turned is told as such: it must not be overlooked among limits. */
function restrictionInWords(before: Restriction | undefined, after: Restriction | undefined): string {
  const subject = (after ?? before) as Restriction;
  const isTurned = before?.killSwitch?.active !== after?.killSwitch?.active;
  if (isTurned) return `${killSwitchInWords(after?.killSwitch ?? OFF, subject)}. Turned`;
  return `${plainOf(restrictionLine(after ?? { ...subject, limits: {} }))}. Changed`;
}
const OFF: KillSwitch = { active: false, scope: 'all' };

const SETTING_WORDS: Readonly<Record<string, string>> = {
  allowlist: 'The allowlist was',
  limits: 'The limits were',
  stops: 'Stops were',
  webhookKey: 'A webhook key was',
  scriptKey: 'A script key was',
  analysisKey: 'An analysis key was',
  symbolMap: 'The symbol map was',
  deployment: 'A deployment was',
  tradeNote: 'The note of a trade was',
};
