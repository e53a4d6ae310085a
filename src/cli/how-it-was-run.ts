// How a backtest was run, in words for the terminal and for the page: the account, the costs, the sizes and the inputs.

import type { StrategyReport } from '../pine/light.ts';
import { money, percent, plain } from './backtest-figures.ts';

export type NamedWords = readonly [name: string, words: string];

/** What a strategy declares, with what the command line said instead. */
export function accountWords({ settings, currency }: StrategyReport): readonly NamedWords[] {
  const { initialCapital, slippage, limitAssumption } = settings;
  return [
    ['Initial capital', `${money(initialCapital)} ${currency}`],
    ['Order size', sizeWords(settings, currency)],
    ['Commission', commissionWords(settings, currency)],
    ['Slippage', slippage === 0 ? 'none' : ticks(slippage)],
    ...(limitAssumption === 0
      ? []
      : [['Limits fill', `when the price has passed them by ${ticks(limitAssumption)}`] as const]),
    ['Pyramiding', settings.pyramiding === 1 ? '1 entry a side' : `${settings.pyramiding} entries a side`],
    ['Margin', marginWords(settings)],
    ...fillWords(settings),
  ];
}

/** Each with its value, and with the script's own where that is another. */
export const inputWords = ({ inputs }: StrategyReport): readonly NamedWords[] =>
  inputs.map(({ title, value, default: usual }): NamedWords => {
    const said = valueWords(value);
    return [title, value === usual ? said : `${said} (the script has ${valueWords(usual)})`];
  });

type Settings = StrategyReport['settings'];

const ticks = (count: number): string => (count === 1 ? '1 tick' : `${plain(count)} ticks`);

const valueWords = (value: unknown): string =>
  value === null ? 'as in the script' : typeof value === 'number' ? plain(value) : String(value);

/** Of orders that name none. */
function sizeWords({ quantityType, quantityValue }: Settings, currency: string): string {
  const size = {
    fixed: quantityValue === 1 ? '1 contract' : `${plain(quantityValue)} contracts`,
    percent_of_equity: `${percent(quantityValue)} of equity`,
    cash: `${money(quantityValue)} ${currency}`,
  }[quantityType];
  return `${size}, where an order names none`;
}

function commissionWords({ commissionType, commissionValue }: Settings, currency: string): string {
  if (commissionValue === 0) return 'none';
  if (commissionType === 'percent') return `${plain(commissionValue)} % of each order`;
  return `${plain(commissionValue)} ${currency} ${commissionType === 'cash_per_contract' ? 'a contract' : 'an order'}`;
}

function marginWords({ marginLong, marginShort }: Settings): string {
  const share = (value: number): string => (value === 0 ? 'none' : `${plain(value * 100)} %`);
  return marginLong === marginShort ? share(marginLong) : `long ${share(marginLong)}, short ${share(marginShort)}`;
}

function fillWords({ processOrdersOnClose, calcOnOrderFills }: Settings): readonly NamedWords[] {
  const orders = processOrdersOnClose ? 'at the close of their own bar' : 'at the open of the next bar';
  return [['Market orders', `${orders}${calcOnOrderFills ? ', and the script runs again after each fill' : ''}`]];
}
