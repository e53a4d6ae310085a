// The oracle: a second, simple opinion on what a checked program does, bar by bar, with the whole past of everything.
//
// It is written to be obviously right and never ships. It keeps one frame per call path and looks things up by the node
// of the tree they belong to; nothing is compiled, shortened or reused.

import type {
  AssignFieldStmt,
  Block,
  BuiltinCallExpr,
  CheckedProgram,
  Expr,
  HistoryExpr,
  Stmt,
  UserCallExpr,
  UserEnum,
  Variable,
} from '../../../src/pine/check/tree.ts';
import type { BarColumns } from '../../../src/pine/run/bars.ts';
import { LONGEST_HISTORY, wrongOffset } from '../../../src/pine/run/history.ts';
import { TA_KERNELS } from '../../../src/pine/ta/index.ts';
import {
  defineEnum,
  type EnumMember,
  fieldOfNa,
  Journal,
  PineRuntimeError,
  parseColor,
} from '../../../src/pine/values/index.ts';
import type { PlainBroker } from './broker/plain-broker.ts';
import { BuiltinCalls, type Given } from './calls.ts';
import { type AnyKernel, Chart, OracleGap, PER_INSTANCE } from './chart.ts';
import { Instance } from './instance.ts';
import { Frame } from './memory.ts';
import { binary, holds, isNumber, naOf, toBool } from './operators.ts';
import { hours, OracleRequests, type RequestingChart, requestedExpression } from './requests.ts';
import { OracleStrategy } from './strategy.ts';
import { LoopJump, runStructure } from './structures.ts';

/** Turns of all loops in one run: more than any test means to make, and soon over for one that was made endless. */
const MOST_TURNS = 100_000;

export interface OracleOptions {
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Built-in variables that no bar changes, such as `syminfo.mintick`. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Orders of a strategy are taken on bars that open from the one on and before the other. */
  readonly range?: { readonly fromMs: number; readonly toMs: number };
}

export interface OracleResult {
  /** What each plot drew, by its place among the outputs: na on bars left out, then one number per bar that ran. */
  readonly plots: ReadonlyMap<number, readonly number[]>;
  /** The same by title; a plot without one is called by its kind and number. */
  readonly series: Readonly<Record<string, readonly number[]>>;
  readonly error: { readonly message: string; readonly bar: number } | null;
  /** Of a strategy. */
  readonly broker: PlainBroker | null;
}

export function interpret(program: CheckedProgram, bars: BarColumns, options: OracleOptions = {}): OracleResult {
  const wanted = Number(program.settings.calc_bars_count ?? 0);
  const leftOut = wanted > 0 ? Math.max(0, bars.count - wanted) : 0;
  const run = new Interpreter(program, withoutFirst(bars, leftOut), options);
  const error = run.all();
  const na = Array<number>(leftOut).fill(Number.NaN);
  const plots = new Map([...run.plots].map(([place, values]) => [place, [...na, ...values]]));
  const series = [...plots].map(([place, values]) => {
    const { title, name } = program.outputs[place]!;
    return [title ?? `${name} ${place + 1}`, values] as const;
  });
  const shifted = error === null ? null : { ...error, bar: error.bar + leftOut };
  return { plots, series: Object.fromEntries(series), error: shifted, broker: run.strategy?.broker ?? null };
}

/** As if the chart began that many bars later. */
const withoutFirst = (bars: BarColumns, leftOut: number): BarColumns => ({
  count: bars.count - leftOut,
  time: bars.time.slice(leftOut),
  open: bars.open.slice(leftOut),
  high: bars.high.slice(leftOut),
  low: bars.low.slice(leftOut),
  close: bars.close.slice(leftOut),
  volume: bars.volume.slice(leftOut),
});

/** A run for an expression that was requested, by the innermost of these calls. */
interface Requested {
  readonly by: readonly BuiltinCallExpr[];
  readonly script: BarColumns;
  readonly chart: RequestingChart;
}

export class Interpreter {
  readonly plots = new Map<number, number[]>();
  bar = 0;
  private turns = 0;
  private readonly program: CheckedProgram;
  private readonly options: OracleOptions;
  private readonly chart: Chart;
  private readonly calls: BuiltinCalls;
  private readonly journal = new Journal();
  private readonly enums = new Map<UserEnum, readonly EnumMember[]>();
  private readonly requests: OracleRequests;
  /** The bars of the script's own chart. */
  private readonly script: BarColumns;
  /** The requests whose expression this run is for, the innermost last. */
  private readonly requestedBy: readonly BuiltinCallExpr[];
  /** What the requested expression was worth, by bar. */
  private readonly captured: unknown[] = [];
  readonly strategy: OracleStrategy | null;

  constructor(program: CheckedProgram, bars: BarColumns, options: OracleOptions, requested: Requested | null = null) {
    this.program = program;
    this.options = options;
    this.requestedBy = requested?.by ?? [];
    this.script = requested?.script ?? bars;
    this.requests = new OracleRequests(this.script, requested?.chart ?? hours(bars), (call, chart) =>
      this.runRequested(call, chart),
    );
    const facts: Readonly<Record<string, unknown>> = { 'syminfo.mintick': 0.01, ...options.facts };
    this.chart = new Chart(bars, facts);
    this.calls = new BuiltinCalls(program, this.chart, this.journal, facts['syminfo.mintick'] as number);
    const fact = (name: string, usual: number): number => (facts[`syminfo.${name}`] as number | undefined) ?? usual;
    const market = {
      pricescale: fact('pricescale', 100),
      minmove: fact('minmove', 1),
      pointvalue: fact('pointvalue', 1),
    };
    const isStrategy = program.scriptType === 'strategy';
    this.strategy = isStrategy
      ? new OracleStrategy(program, bars, { ...market, mincontract: fact('mincontract', 0.000001) }, options.range)
      : null;
    for (const userEnum of program.enums) this.enums.set(userEnum, defineEnum(userEnum.key, userEnum.members));
    for (const [place, { call }] of program.outputs.entries())
      if (call.arguments.some(({ parameter }) => parameter.name === 'series')) this.plots.set(place, []);
  }

  private runRequested(call: BuiltinCallExpr, chart: RequestingChart): readonly unknown[] {
    const requested = { by: [...this.requestedBy, call], script: this.script, chart };
    const run = new Interpreter(this.program, chart.bars, this.options, requested);
    // What else the script does there may fail where the expression alone would not.
    if (run.all() !== null) throw new OracleGap('a request on whose bars the script ends with an error');
    // In a block the call is passed over on some of those bars, while its expression sees all of them.
    for (let bar = 0; bar < chart.bars.count; bar += 1)
      if (!(bar in run.captured)) throw new OracleGap('a request that is not reached on every bar');
    return run.captured;
  }

  private request(call: BuiltinCallExpr, frame: Frame): unknown {
    if (frame !== frame.root) throw new OracleGap('requests in functions');
    const na = naOf(call.type.shape, frame.version);
    // On the bars it asks for it is the plain value; through another request it would go round for ever.
    if (call === this.requestedBy.at(-1)) {
      this.captured[this.bar] = this.value(requestedExpression(call), frame);
      return this.captured[this.bar];
    }
    if (this.requestedBy.includes(call)) return na;
    return this.requests.valueAt(call, this.bar) ?? na;
  }

  /** Runs every bar; ends early with the script's own error. */
  all(): OracleResult['error'] {
    const frame = new Frame(this.program.version);
    for (this.bar = 0; this.bar < this.chart.bars.count; this.bar += 1) {
      try {
        if (this.strategy === null) this.block(this.program.main, frame);
        else this.runWithBroker(this.strategy, frame);
        frame.settle();
      } catch (error) {
        if (error instanceof PineRuntimeError) return { message: error.message, bar: this.bar };
        throw error;
      }
    }
    return null;
  }

  /** Fills come before the script, which runs again from the start of the bar where fills ask for it. */
  private runWithBroker(strategy: OracleStrategy, frame: Frame): void {
    const drawn = [...this.plots.values()].map((values) => [values, values.length] as const);
    const undo = frame.keep();
    this.journal.save();
    strategy.begin(this.bar);
    for (let isInside = true; isInside; ) {
      isInside = strategy.broker.advance();
      strategy.remember();
      this.block(this.program.main, frame);
      if (!isInside) break;
      if (this.program.types.length > 0) throw new OracleGap('objects in a script that runs on fills');
      this.journal.restore();
      frame.restoreStates(this.bar);
      undo();
      for (const [values, length] of drawn) values.length = length;
    }
    strategy.broker.finish();
  }

  /** Runs the statements; the value of a block that has none is undefined. */
  block({ statements, value }: Block, frame: Frame): unknown {
    for (const statement of statements) this.statement(statement, frame);
    return value === null ? undefined : this.value(value, frame);
  }

  countTurn(): void {
    this.turns += 1;
    if (this.turns > MOST_TURNS) throw new OracleGap(`more than ${MOST_TURNS} turns of loops`);
  }

  give(variable: Variable, frame: Frame, value: unknown): void {
    frame.give(variable, this.bar, value);
  }

  private statement(statement: Stmt, frame: Frame): void {
    switch (statement.kind) {
      case 'declare': {
        const { variable } = statement;
        const kept = variable.mode === 'plain' ? undefined : frame.find(variable);
        if (kept !== undefined) this.give(variable, frame, kept.value);
        else if (variable.mode === 'plain') this.give(variable, frame, this.value(statement.value, frame));
        else this.give(variable, frame, this.firstValue(statement.value, frame));
        return;
      }
      case 'declare-tuple': {
        const values = this.value(statement.value, frame) as readonly unknown[];
        for (const [place, variable] of statement.variables.entries())
          if (variable !== null) this.give(variable, frame, values[place]);
        return;
      }
      case 'assign':
        this.give(statement.variable, frame, this.value(statement.value, frame));
        return;
      case 'assign-field':
        this.assignField(statement, frame);
        return;
      case 'evaluate':
        this.value(statement.value, frame);
        return;
      default:
        throw new LoopJump(statement.kind);
    }
  }

  /** The value of a `var` when it is first reached; a loop there stops after its first turn. */
  private firstValue(expr: Expr, frame: Frame): unknown {
    const isLoop = expr.kind === 'for' || expr.kind === 'for-in' || expr.kind === 'while';
    return isLoop ? runStructure(this, expr, frame, 1) : this.value(expr, frame);
  }

  private assignField({ target, operator, value }: AssignFieldStmt, frame: Frame): void {
    const { owner, field } = target;
    if (owner === 'chart.point') throw new OracleGap('fields of a chart.point');
    const { name, shape } = owner.fields[field]!;
    const object = this.value(target.object, frame) as Instance | null;
    if (object === null) throw fieldOfNa(owner.name, name);
    // Read before the right side is worked out, which may change the field.
    const before = object.read(field);
    const given = this.value(value, frame);
    const kind = isNumber(shape) ? 'float' : 'string';
    const sign = operator.slice(0, -1) as '+' | '-' | '*' | '/' | '%';
    object.write(field, operator === ':=' ? given : binary(sign, kind, before, given));
  }

  value(expr: Expr, frame: Frame): unknown {
    switch (expr.kind) {
      case 'constant':
        return expr.value;
      case 'variable':
        return frame.find(expr.variable)!.value;
      case 'builtin':
        return this.builtin(expr, frame);
      case 'history':
        return this.history(expr, frame);
      case 'call':
        return this.builtinCall(expr, frame);
      case 'user-call':
        return this.userCall(expr, frame);
      case 'field': {
        const { owner, field } = expr;
        if (owner === 'chart.point') throw new OracleGap('fields of a chart.point');
        const object = this.value(expr.object, frame) as Instance | null;
        if (object === null) throw fieldOfNa(owner.name, owner.fields[field]!.name);
        return object.read(field);
      }
      case 'new': {
        const fields = expr.fields.map((field) => this.value(field, frame));
        return new Instance(this.journal, fields);
      }
      case 'copy': {
        const object = this.value(expr.object, frame) as Instance | null;
        return object === null ? null : object.copy();
      }
      case 'enum':
        return this.enums.get(expr.userEnum)![expr.member];
      case 'unary': {
        const operand = this.value(expr.operand, frame);
        if (expr.operator === 'not') return !holds(operand);
        return expr.operator === '-' ? -(operand as number) : operand;
      }
      case 'binary': {
        const { operator } = expr;
        const left = this.value(expr.left, frame);
        if (operator !== 'and' && operator !== 'or')
          return binary(operator, expr.operands, left, this.value(expr.right, frame));
        const decided = holds(left) === (operator === 'or');
        if (expr.lazy && decided) return operator === 'or';
        const right = holds(this.value(expr.right, frame));
        return decided ? operator === 'or' : right;
      }
      case 'conditional':
        return this.value(holds(this.value(expr.condition, frame)) ? expr.whenTrue : expr.whenFalse, frame);
      case 'tuple':
        return expr.elements.map((element) => this.value(element, frame));
      case 'to-bool':
        return toBool(this.value(expr.operand, frame));
      default:
        return runStructure(this, expr, frame);
    }
  }

  private builtin(expr: Expr & { kind: 'builtin' }, frame: Frame): unknown {
    const { name } = expr;
    if (frame === frame.root || !PER_INSTANCE.has(name)) return this.chartValue(name, this.bar);
    const site = frame.states.get(expr) ?? { state: TA_KERNELS[name]!.create(), bar: -1 };
    frame.states.set(expr, site);
    if (site.bar === this.bar) site.state.restore();
    else site.state.save();
    site.bar = this.bar;
    return this.chart.stepVariable(name, site.state as AnyKernel, this.bar);
  }

  private history(expr: HistoryExpr, frame: Frame): unknown {
    const { operand, type } = expr;
    const now = this.value(operand, frame);
    const isOwn = operand.kind !== 'variable' && !(operand.kind === 'builtin' && this.isChartWide(operand.name, frame));
    const past = operand.kind === 'variable' ? frame.find(operand.variable)!.past : frame.pastOf(operand);
    if (isOwn) past.record(this.bar, now);
    const offset = this.value(expr.offset, frame) as number;
    const na = naOf(type.shape, frame.version);
    if (offset < 0 || offset > LONGEST_HISTORY) throw wrongOffset(offset);
    if (offset === 0 || Number.isNaN(offset)) return now;
    if (isOwn || operand.kind === 'variable') return past.asOf(this.bar - offset) ?? na;
    return this.chartValue((operand as Expr & { kind: 'builtin' }).name, this.bar - offset) ?? na;
  }

  /** A variable of the chart or of the account. */
  private chartValue(name: string, bar: number): unknown {
    if (!name.startsWith('strategy.')) return this.chart.valueOf(name, bar);
    if (this.strategy === null) throw new OracleGap(name);
    return this.strategy.variable(name, bar);
  }

  private isChartWide(name: string, frame: Frame): boolean {
    return frame === frame.root || !PER_INSTANCE.has(name);
  }

  private userCall(expr: UserCallExpr, frame: Frame): unknown {
    const { callee } = expr;
    const values = expr.arguments.map((argument) => this.value(argument, frame));
    const inside = frame.through(expr, callee);
    for (const [place, parameter] of callee.parameters.entries()) this.give(parameter, inside, values[place]);
    return this.block(callee.body, inside);
  }

  private builtinCall(expr: BuiltinCallExpr, frame: Frame): unknown {
    const { name, place } = expr;
    if (name === 'input' || name.startsWith('input.')) return this.input(expr, frame);
    if (name === 'request.security') return this.request(expr, frame);
    if (name === 'strategy') return undefined;
    const given: Given = new Map(
      expr.arguments
        .filter(({ values }) => values.length > 0)
        .map(({ parameter, values }) => [parameter.name, values.map((value) => this.value(value, frame))]),
    );
    if (name.startsWith('strategy.') && this.strategy !== null) return this.strategy.call(expr, given);
    if (place === undefined) return this.calls.call({ expr, frame, bar: this.bar, given });
    const drawn = given.get('series')?.[0];
    const value = drawn === null || drawn === undefined ? Number.NaN : Number(drawn);
    // A division by zero counts as na.
    this.plots.get(place)?.push(Number.isFinite(value) ? value : Number.NaN);
    return place;
  }

  private input(expr: BuiltinCallExpr, frame: Frame): unknown {
    const spec = this.program.inputs[expr.place!]!;
    const override = this.options.inputs?.[spec.title];
    if (override === undefined) return this.value(expr.arguments[0]!.values[0]!, frame);
    if (spec.kind === 'source') return this.chart.valueOf(override as string, this.bar);
    if (spec.kind === 'color' && typeof override === 'string') return parseColor(override);
    if (spec.userEnum === null) return override;
    return this.enums.get(spec.userEnum)!.find(({ name, title }) => name === override || title === override);
  }
}
