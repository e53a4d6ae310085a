// What a deployment's strategy still holds when nobody runs its exits any more, and how its owner closes it.

import type { Deployment } from './deployment.ts';
import { decimalText, exchangeOf, sizeWords, strategyOf, type TradeTarget } from './order-signal.ts';
import type { StrategyBooks } from './ports.ts';
import { toldPositionOf } from './told-position.ts';

/** A strategy's share of a position. */
export interface HeldShare {
  readonly strategy: string;
  /** As `binance:main`; null where the books cannot be read, and what its signals add up to stands for them. */
  readonly account: string | null;
  /** Positive long. */
  readonly quantity: number;
}

export interface Held {
  readonly shares: readonly HeldShare[];
  /** In words, with the way to close it; null where nothing is held. */
  readonly note: string | null;
}

/** Nothing of an indicator, whose alerts name books of their own, and of a dry run. */
export async function heldIn(books: StrategyBooks, deployment: Deployment): Promise<Held> {
  const shares: HeldShare[] = [];
  for (const target of tradeTargetsOf(deployment)) {
    const strategy = strategyOf(target, deployment);
    // A book that its owner named may have other markets in it.
    const market = target.strategy === undefined ? undefined : deployment.market;
    for (const { account, quantity } of await books.held({ strategy, market }))
      if (quantity !== 0 && !shares.some((each) => each.strategy === strategy && each.account === account))
        shares.push({ strategy, account, quantity });
  }
  return { shares, note: noteOf(shares, deployment) };
}

/** The same, and where the books cannot be read just now, what its signals add up to: pausing waits for nothing. */
export async function heldBy(books: StrategyBooks | undefined, deployment: Deployment): Promise<Held> {
  try {
    if (books !== undefined) return await heldIn(books, deployment);
  } catch {
    // What was told is the next best answer.
  }
  const quantity = toldPositionOf(deployment) ?? 0;
  const strategies = new Set(tradeTargetsOf(deployment).map((target) => strategyOf(target, deployment)));
  const shares = quantity === 0 ? [] : [...strategies].map((strategy) => ({ strategy, account: null, quantity }));
  return { shares, note: noteOf(shares, deployment) };
}

/** What the signals of one that trades add up to; flat of any other. */
export const signaledBy = (deployment: Deployment): number =>
  tradeTargetsOf(deployment).length === 0 ? 0 : (toldPositionOf(deployment) ?? 0);

/** Why a deployment that holds something is not removed, and what to do about it. */
export const removalWords = (note: string): string =>
  `Not removed. ${note.replace('nothing closes it now', 'once it is removed, nothing closes it')} Then remove it; or remove it with keep=true (--keep on the command line), which leaves the position as it is.`;

export const isTradingStrategy = ({ scriptType, mode }: Deployment): boolean =>
  scriptType === 'strategy' && mode === 'trade';

const tradeTargetsOf = (deployment: Deployment): readonly TradeTarget[] =>
  isTradingStrategy(deployment) ? deployment.targets.filter((target) => target.type === 'trade') : [];

function noteOf(shares: readonly HeldShare[], deployment: Deployment): string | null {
  if (shares.length === 0) return null;
  const held = shares.map(({ strategy, account, quantity }) => {
    const where = account === null ? 'by its signals, as the books cannot be read now' : `on ${account}`;
    return `${sizeWords(quantity)} ${deployment.market} (strategy "${strategy}", ${where})`;
  });
  const closing = shares.map((share) => closingCommand(share, deployment));
  return `It still holds ${held.join(' and ')}: nothing closes it now. Close it with: ${closing.join('; ')} .`;
}

/** Closes the share of this strategy and nobody else's. */
function closingCommand({ strategy, account, quantity }: HeldShare, deployment: Deployment): string {
  const target = tradeTargetsOf(deployment).find((each) => strategyOf(each, deployment) === strategy) ?? {};
  const [exchange = '', name = 'main'] = account?.split(':') ?? [exchangeOf(target, deployment)];
  const side = quantity > 0 ? 'LONG' : 'SHORT';
  const where = `--exchange ${exchange}${name === 'main' ? '' : ` --account ${name}`}`;
  const what = `--symbol ${deployment.market} --quantity ${decimalText(Math.abs(quantity))}`;
  return `signalbox signal ${where} --action CLOSE_${side} ${what} --strategy ${quoted(strategy)}`;
}

/** A name is any text of a user's, and the operator pastes the command into a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
