// How the oracle's interpreter reaches its broker: calls and variables of strategy.* become questions and orders.

import type { BuiltinCallExpr, CheckedProgram } from '../../../src/pine/check/tree.ts';
import type { BarColumns } from '../../../src/pine/run/bars.ts';
import { accountVariable, tradeFact } from './broker/account.ts';
import { type Market, Terms } from './broker/market.ts';
import { PlainBroker } from './broker/plain-broker.ts';
import type { Given } from './calls.ts';
import { OracleGap } from './chart.ts';

/** Values that no run changes, which scripts name in calls. */
const WORDS = /^strategy\.(long|short|cash|fixed|percent_of_equity|(oca|direction|commission)\.\w+)$/;

type Range = { readonly fromMs: number; readonly toMs: number };
const ALWAYS: Range = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

export class OracleStrategy {
  readonly broker: PlainBroker;
  private readonly bars: BarColumns;
  /** What variables were worth when the script began its bar, by name. */
  private readonly pasts = new Map<string, unknown[]>();
  private bar = 0;
  private readonly range: Range;
  private readonly askedOfPast: ReadonlySet<string>;

  constructor(program: CheckedProgram, bars: BarColumns, market: Market, range: Range = ALWAYS) {
    this.range = range;
    this.askedOfPast = pastAsked(program);
    this.bars = bars;
    this.broker = new PlainBroker(new Terms(program.settings, program.version, market));
  }

  begin(bar: number): void {
    const { time, open, high, low, close } = this.bars;
    const prices = { open: open[bar]!, high: high[bar]!, low: low[bar]!, close: close[bar]! };
    this.bar = bar;
    this.broker.begin({ index: bar, timeMs: time[bar]!, ...prices });
  }

  /** What a variable was worth on a bar; of the present one, now. */
  variable(name: string, bar = this.bar): unknown {
    if (WORDS.test(name)) return name.split('.').at(-1);
    if (bar < 0) return undefined;
    const short = name.slice('strategy.'.length);
    if (bar < this.bar) return this.pasts.get(short)?.[bar];
    const value = accountVariable(short, this.broker);
    if (value === undefined) throw new OracleGap(`the variable ${name}`);
    return value;
  }

  /** Keeps the variables that a script reads the past of. */
  remember(): void {
    for (const name of this.askedOfPast) {
      const short = name.slice('strategy.'.length);
      const past = this.pasts.get(short) ?? [];
      past[this.bar] = accountVariable(short, this.broker);
      this.pasts.set(short, past);
    }
  }

  call({ name, span }: BuiltinCallExpr, given: Given): unknown {
    const short = name.slice('strategy.'.length);
    const first = [...given.values()][0]?.[0];
    if (/^(open|closed)trades\./.test(short)) return tradeFact(short, first as number, this.broker);
    if (short.startsWith('risk.')) return this.setRule(short.slice('risk.'.length), given);
    if (short.startsWith('convert_to_')) return first;
    const { desk } = this.broker;
    if (short === 'default_entry_qty') return desk.terms.defaultSize(first as number, desk.books.equity(desk.mark));
    if (given.has('when') && given.get('when')![0] !== true) return undefined;
    const { timeMs } = desk.bar;
    if (timeMs < this.range.fromMs || timeMs >= this.range.toMs) return undefined;
    return this.order(short, given, span.start);
  }

  private order(short: string, given: Given, site: number): undefined {
    const { placing, desk } = this.broker;
    const value = (name: string): unknown => given.get(name)?.[0];
    const number = (name: string): number => (value(name) as number | undefined) ?? Number.NaN;
    const text = (name: string): string => (value(name) as string | null | undefined) ?? '';
    const [id, comment] = [text('id'), text('comment')];
    switch (short) {
      case 'entry':
      case 'order': {
        const side = value('direction') === 'short' ? -1 : 1;
        const [quantity, limit, stop] = [number('qty'), number('limit'), number('stop')];
        const group = { ocaName: text('oca_name'), ocaType: text('oca_type') || 'none' };
        placing.place(short, { id, side, quantity, limit, stop, comment, ...group });
        return;
      }
      case 'close':
      case 'close_all': {
        const percent = given.has('qty_percent') ? number('qty_percent') : 100;
        const isImmediate = value('immediately') === true;
        placing.close(short, { id, quantity: number('qty'), percent, comment, isImmediate, site });
        return;
      }
      case 'exit':
        placing.exit({
          ...{ id, fromEntry: text('from_entry'), quantity: number('qty') },
          percent: given.has('qty_percent') ? number('qty_percent') : 100,
          ...{ profit: number('profit'), limit: number('limit'), loss: number('loss'), stop: number('stop') },
          ...{ trailPrice: number('trail_price'), trailPoints: number('trail_points') },
          trailOffset: number('trail_offset'),
          comments: {
            market: comment,
            limit: text('comment_profit') || comment,
            stop: text('comment_loss') || comment,
            trail: text('comment_trailing') || comment,
          },
        });
        return;
      case 'cancel':
        placing.cancel(id);
        return;
      case 'cancel_all':
        desk.cancelAll();
        return;
      default:
        throw new OracleGap(`the function strategy.${short}`);
    }
  }

  private setRule(name: string, given: Given): undefined {
    const { rules } = this.broker.desk;
    const first = [...given.values()][0]![0];
    if (Number.isNaN(first)) return;
    const limit = { value: first as number, isPercent: given.get('type')?.[0] === 'percent_of_equity' };
    if (name === 'allow_entry_in') rules.allowed = first as typeof rules.allowed;
    else if (name === 'max_intraday_filled_orders') rules.mostFills = first as number;
    else if (name === 'max_position_size') rules.largest = first as number;
    else if (name === 'max_drawdown') rules.drawdown = limit;
    else if (name === 'max_intraday_loss') rules.dayLoss = limit;
    else if (name === 'max_cons_loss_days') rules.lossDays = first as number;
    else throw new OracleGap(`the rule ${name}`);
  }
}

/** The variables of the account that a script reads with an offset. */
function pastAsked(program: CheckedProgram): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const look = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    const { kind, operand } = node as { kind?: unknown; operand?: { name?: unknown } };
    const name = kind === 'history' ? operand?.name : undefined;
    if (typeof name === 'string' && name.startsWith('strategy.')) names.add(name);
    for (const child of node instanceof Map ? node.values() : Object.values(node)) look(child);
  };
  look(program.main);
  return names;
}
