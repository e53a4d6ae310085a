// Random strategies as text: every call and setting of the broker in every mixture, at prices near the market.

import fc from 'fast-check';
import { RandomSequence } from '../random-sequence.ts';

export interface StrategyOptions {
  /** Settings that make live bars differ from closed ones by design are left out. */
  readonly live: boolean;
}

const IDS = ['A', 'B', 'C'];
const EXIT_IDS = ['X', 'Y', 'A'];
const MOST_CALLS = 7;

export function strategies(options: StrategyOptions): fc.Arbitrary<string> {
  return fc.noBias(fc.nat({ max: 0x7fffffff })).map((seed) => writeStrategy(seed, options));
}

export function writeStrategy(seed: number, options: StrategyOptions): string {
  return new StrategyWriter(new RandomSequence(seed), options).write();
}

class StrategyWriter {
  private readonly random: RandomSequence;
  private readonly options: StrategyOptions;
  private readonly version: 5 | 6;
  /** Prices are around a hundred times this. */
  private readonly scale: number;

  constructor(random: RandomSequence, options: StrategyOptions) {
    this.random = random;
    this.options = options;
    this.version = this.chance(0.8) ? 6 : 5;
    this.scale = this.chance(0.8) ? 1 : this.pick([0.0001, 1000]);
  }

  write(): string {
    const lines = [`//@version=${this.version}`, this.declaration(), `// symbol ${JSON.stringify(this.symbol())}`];
    lines.push(`// scale ${this.scale}`);
    if (this.chance(0.15)) lines.push(`// trading ${this.below(20)}..${20 + this.below(30)}`);
    if (this.chance(0.25)) lines.push(...this.rules());
    lines.push('fast = ta.sma(close, 2)', 'slow = ta.sma(close, 5)');
    for (let calls = 2 + this.below(MOST_CALLS); calls > 0; calls -= 1) lines.push(...this.step());
    return `${[...lines, ...this.plots()].join('\n')}\n`;
  }

  private below(count: number): number {
    return Math.floor(this.random.next(0, count));
  }

  private chance(part: number): boolean {
    return this.random.next(0, 1) < part;
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  private symbol(): Record<string, number> {
    return {
      mintick: this.pick([0.01, 0.01, 0.25, 1, 0.05]) * this.scale,
      // So many millions of contracts as a tiny price buys leave a double no room for parts of them.
      mincontract: this.scale < 1 ? 1 : this.pick([1, 0.1, 0.01, 0.000001]),
      pointvalue: this.chance(0.8) ? 1 : 5,
    };
  }

  private declaration(): string {
    const words = ['"fuzz"'];
    const maybe = (part: number, text: () => string): void => {
      if (this.chance(part)) words.push(text());
    };
    maybe(0.8, () => `initial_capital = ${this.pick([300, 1000, 2500, 10_000, 100_000]) * this.scale}`);
    maybe(0.6, () => `pyramiding = ${this.pick([0, 1, 2, 3, 10])}`);
    maybe(0.4, () => `default_qty_type = strategy.${this.pick(['percent_of_equity', 'cash', 'fixed'])}`);
    maybe(0.5, () => `default_qty_value = ${this.pick([1, 2.5, 10, 50, 100, 400])}`);
    maybe(0.4, () => `slippage = ${this.pick([1, 2, 12])}`);
    maybe(
      0.4,
      () => `commission_type = strategy.commission.${this.pick(['percent', 'cash_per_contract', 'cash_per_order'])}`,
    );
    maybe(0.4, () => `commission_value = ${this.pick([0.1, 1, 2])}`);
    maybe(0.25, () => 'process_orders_on_close = true');
    maybe(0.25, () => 'calc_on_order_fills = true');
    maybe(0.25, () => 'close_entries_rule = "ANY"');
    maybe(0.2, () => `backtest_fill_limits_assumption = ${this.pick([1, 20, 100])}`);
    maybe(0.5, () => `margin_long = ${this.pick([0, 0, 10, 50, 100, 150])}`);
    maybe(0.5, () => `margin_short = ${this.pick([0, 0, 10, 50, 100, 150])}`);
    return `strategy(${words.join(', ')})`;
  }

  private rules(): string[] {
    const kind = this.pick(['cash', 'percent_of_equity']);
    const amount = kind === 'cash' ? this.pick([5, 20, 100]) * this.scale : this.pick([1, 5, 20]);
    // Version 5 takes a counter for a constant, so that a rule may get its value late.
    const isLate = this.version === 5 && this.chance(0.6);
    const lines = isLate ? ['var bars = -1', 'bars += 1'] : [];
    const from = 1 + this.below(40);
    const worth = (value: number): string => (isLate ? `bars >= ${from} ? ${value} : na` : `${value}`);
    const rules = [
      `allow_entry_in(strategy.direction.${this.pick(['long', 'short', 'all'])})`,
      `max_intraday_filled_orders(${worth(this.pick([1, 2, 5, 10]))})`,
      `max_position_size(${worth(this.pick([1, 2.5, 6]))})`,
      `max_drawdown(${worth(amount)}, strategy.${kind})`,
      `max_intraday_loss(${worth(amount)}, strategy.${kind})`,
      `max_cons_loss_days(${worth(this.pick([1, 2]))})`,
    ];
    return [...lines, ...Array.from({ length: 1 + this.below(2) }, () => `strategy.risk.${this.pick(rules)}`)];
  }

  /** Some calls under one condition, in the order in which they fall. */
  private step(): string[] {
    const calls = Array.from({ length: 1 + this.below(3) }, () => `    ${this.call()}`);
    return [`if ${this.condition()}`, ...calls];
  }

  private condition(): string {
    const plain = this.pick([
      `bar_index % ${2 + this.below(9)} == ${this.below(2)}`,
      `bar_index % ${2 + this.below(9)} == 1`,
      `bar_index == ${this.below(50)}`,
      'close > open',
      'close < open',
      'ta.crossover(fast, slow)',
      'ta.crossunder(fast, slow)',
      'true',
    ]);
    const state = this.pick([
      'strategy.position_size == 0',
      'strategy.position_size > 0',
      'strategy.position_size < 0',
      'strategy.position_size != 0',
      'strategy.opentrades < 2',
      'strategy.closedtrades % 2 == 0',
      // At just nothing the last digits of doubles would decide.
      `strategy.openprofit > ${0.0113 * this.scale}`,
      'strategy.position_size[1] == 0',
    ]);
    if (this.chance(0.5)) return plain;
    return this.chance(0.5) ? state : `${state} and ${plain.replace(/^ta\.cross/, 'fast > slow and ta.cross')}`;
  }

  private call(): string {
    const kind = this.random.next(0, 1);
    if (kind < 0.35) return this.order('entry');
    if (kind < 0.47) return this.order('order');
    if (kind < 0.75) return this.exit();
    if (kind < 0.88) return this.close();
    if (kind < 0.94) return `strategy.close_all(${this.chance(0.3) ? 'immediately = true' : ''})`;
    return kind < 0.98 ? `strategy.cancel("${this.pick([...IDS, ...EXIT_IDS])}")` : 'strategy.cancel_all()';
  }

  private order(name: 'entry' | 'order'): string {
    const side = this.chance(0.15)
      ? '(close > open ? strategy.long : strategy.short)'
      : `strategy.${this.pick(['long', 'short'])}`;
    const words = [`"${this.pick(IDS)}"`, side];
    if (this.chance(0.5)) words.push(`qty = ${this.quantity()}`);
    if (this.chance(0.35)) words.push(`limit = ${this.price()}`);
    if (this.chance(0.4)) words.push(`stop = ${this.price()}`);
    if (this.chance(0.15))
      words.push('oca_name = "g"', `oca_type = strategy.oca.${this.pick(['cancel', 'reduce', 'none'])}`);
    return `strategy.${name}(${words.join(', ')})`;
  }

  private exit(): string {
    const words = [`"${this.pick(EXIT_IDS)}"`];
    if (this.chance(0.6)) words.push(`"${this.pick(IDS)}"`);
    if (this.chance(0.25)) words.push(`qty = ${this.quantity()}`);
    if (this.chance(0.25)) words.push(`qty_percent = ${this.pick([100, 50, 33.3, 25])}`);
    if (this.chance(0.35)) words.push(`limit = ${this.price()}`);
    if (this.chance(0.35)) words.push(`stop = ${this.price()}`);
    if (this.chance(0.25)) words.push(`profit = ${this.ticks()}`);
    if (this.chance(0.25)) words.push(`loss = ${this.ticks()}`);
    if (this.chance(0.3)) {
      words.push(this.chance(0.7) ? `trail_points = ${this.ticks()}` : `trail_price = ${this.price()}`);
      if (this.chance(0.85)) words.push(`trail_offset = ${this.ticks()}`);
    }
    return `strategy.exit(${words.join(', ')})`;
  }

  private close(): string {
    const words = [`"${this.pick(IDS)}"`];
    if (this.chance(0.25)) words.push(`qty = ${this.quantity()}`);
    if (this.chance(0.25)) words.push(`qty_percent = ${this.pick([100, 50, 33.3])}`);
    if (this.chance(0.2)) words.push('immediately = true');
    return `strategy.close(${words.join(', ')})`;
  }

  private quantity(): string {
    return this.pick([
      '1',
      '2',
      '0.5',
      '3.7',
      '10',
      '1 + bar_index % 3',
      'na',
      '0.3',
      'math.abs(strategy.position_size)',
    ]);
  }

  private price(): string {
    const base = this.pick(['close', 'close', 'open', 'high', 'low', 'hl2', 'strategy.position_avg_price']);
    const away = Math.round(this.random.next(-16, 16)) / 4 + (this.chance(0.1) ? 0.013 : 0);
    return this.chance(0.04) ? 'na' : `${base} + ${Number((away * this.scale).toPrecision(6))}`;
  }

  private ticks(): string {
    return this.pick(['0', '1', '5', '20', '50', '150', '300', '2.5', 'na', '700']);
  }

  private plots(): string[] {
    const { live } = this.options;
    const names = Array.from({ length: 4 }, () => this.pick(VARIABLES));
    const facts = Array.from({ length: 2 }, () => `strategy.${this.pick(FACTS)}`);
    const closed = 'strategy.closedtrades - 1';
    const shown = ['strategy.position_size', 'strategy.equity', ...names.map((name) => `strategy.${name}`)];
    const trades = facts.map((fact) => `${fact}(${fact.includes('opentrades') ? '0' : closed})`);
    const last = live ? [] : ['strategy.position_size[2]'];
    return [...new Set([...shown, ...trades, ...last])].map((text) => `plot(${text}, "${text}")`);
  }
}

const VARIABLES = [
  ...['openprofit', 'netprofit', 'grossprofit', 'grossloss', 'closedtrades', 'opentrades', 'wintrades', 'losstrades'],
  ...['eventrades', 'avg_trade', 'avg_trade_percent', 'avg_winning_trade', 'avg_losing_trade', 'max_drawdown'],
  ...['max_drawdown_percent', 'max_runup', 'max_runup_percent', 'position_avg_price', 'margin_liquidation_price'],
  ...['max_contracts_held_all', 'max_contracts_held_long', 'max_contracts_held_short', 'opentrades.capital_held'],
  ...['openprofit_percent', 'netprofit_percent', 'avg_losing_trade_percent', 'avg_winning_trade_percent'],
  ...['default_entry_qty(close)'],
];

const TRADE_FACTS = [
  ...['commission', 'entry_bar_index', 'entry_price', 'entry_time', 'max_drawdown', 'max_drawdown_percent'],
  ...['max_runup', 'max_runup_percent', 'profit', 'profit_percent', 'size'],
];

const FACTS = [
  ...TRADE_FACTS.flatMap((fact) => [`opentrades.${fact}`, `closedtrades.${fact}`]),
  ...['closedtrades.exit_bar_index', 'closedtrades.exit_price', 'closedtrades.exit_time'],
];
