// Calls of `request.*`: the call is an object that finds the bar of the other chart; its expression is a program of its own.

import type { Shape } from '../builtins/types.ts';
import type { BuiltinCallExpr, Expr } from '../check/tree.ts';
import type { Body } from './body.ts';
import { enumConstant } from './declarations.ts';
import { plainObject } from './kernels.ts';
import type { LibraryName } from './library.ts';
import { isNumber, literal, naOf } from './literals.ts';
import { CAPTURE, originOf } from './requests/flatten.ts';
import { REQUESTS } from './requests/own-instances.ts';

const argument = (call: BuiltinCallExpr, name: string): Expr | undefined =>
  call.arguments.find(({ parameter }) => parameter.name === name)?.values[0];

export function emitRequest(body: Body, call: BuiltinCallExpr): string {
  const { name } = call;
  if (name === CAPTURE) return emitCapture(body, call);
  const { requestedBy } = body.module;
  if (REQUESTS.has(name) && requestedBy.includes(originOf(call))) return emitOwnRequest(body, call);
  if (name === 'request.security') return emitSecurity(body, call);
  if (name === 'request.security_lower_tf') return emitLowerTimeframe(body, call);
  if (name === 'request.currency_rate') return emitCurrencyRate(body, call);
  return `(R.requests.unavailable(${literal(name)}, R.lineOf(${body.placeOf(call)})), ${naOf(call.type.shape, body.version)})`;
}

/**
 * A request whose expression depends on its own value. On the requested bars it asks for those bars themselves, so that
 * it is the plain value there; through another request it would go round for ever, and is na.
 */
function emitOwnRequest(body: Body, call: BuiltinCallExpr): string {
  const isPlain = body.module.requestedBy.at(-1) === originOf(call) && call.name === 'request.security';
  if (isPlain) return body.expr(argument(call, 'expression')!);
  const { shape } = call.type;
  if (shape.kind !== 'tuple') return naOf(shape, body.version);
  return `[${shape.items.map((item) => naOf(item.shape, body.version)).join(', ')}]`;
}

/**
 * The object of a call. Nearly always what it is made of is known before the first bar; the loop is shorter without it,
 * and short functions are made faster.
 */
function site(body: Body, call: BuiltinCallExpr, kind: LibraryName): string {
  const make = `new ${body.library(kind)}(R.requests, ${settings(body, call)})`;
  return hasKnownSettings(call) ? body.module.own(make) : plainObject(body, make);
}

const SETTINGS = {
  gaps: 'gaps',
  lookahead: 'lookahead',
  ignore_invalid_symbol: 'ignoreSymbol',
  ignore_invalid_timeframe: 'ignoreTimeframe',
  calc_bars_count: 'bars',
  currency: 'currency',
} as const;

/** Whether what is asked for besides symbol and timeframe is known at compile time. */
const hasKnownSettings = (call: BuiltinCallExpr): boolean =>
  Object.keys(SETTINGS)
    .map((name) => argument(call, name))
    .every((value) => value === undefined || value.kind === 'constant' || isUnsaid(call, value));

/** The default of the currency, which says nothing: that of the requested symbol itself. */
const isUnsaid = (call: BuiltinCallExpr, { kind, span }: Expr): boolean =>
  kind === 'builtin' && span.start === call.span.start;

/** What a request asks for, besides symbol and timeframe, as the text of an object. */
function settings(body: Body, call: BuiltinCallExpr): string {
  const index = body.module.requests.push(call) - 1;
  const shapes = elementsOf(call);
  const parts = [
    `request: ${index}`,
    `isNumber: [${shapes.map(isNumber).join(', ')}]`,
    `na: [${shapes.map((shape) => naOf(shape, body.version)).join(', ')}]`,
  ];
  for (const [parameter, field] of Object.entries(SETTINGS)) {
    const value = argument(call, parameter);
    if (value === undefined || isUnsaid(call, value)) continue;
    parts.push(`${field}: ${body.maybe(() => body.expr(value))}`);
  }
  return `{ ${parts.join(', ')} }`;
}

/** The shapes of the requested values: of a tuple those of its elements. */
function elementsOf(call: BuiltinCallExpr): readonly Shape[] {
  const { shape } = argument(call, 'expression')!.type;
  return shape.kind === 'tuple' ? shape.items.map((item) => item.shape) : [shape];
}

const market = (body: Body, call: BuiltinCallExpr): string =>
  `i, ${body.expr(argument(call, 'symbol')!)}, ${body.expr(argument(call, 'timeframe')!)}`;

/** How to read the elements of a request that is the same on every bar: without a call, which would box each number. */
export function requestedNumbers(body: Body, call: BuiltinCallExpr): ((element: number) => string) | null {
  const isStatic = body.isMain && !body.conditional && !body.repeats && body.module.analysis.parts.length === 1;
  if (call.name !== 'request.security' || !isStatic || !hasKnownSettings(call)) return null;
  if (body.module.requestedBy.includes(originOf(call))) return null;
  if (!elementsOf(call).every(isNumber)) return null;
  const asked = [argument(call, 'symbol')!, argument(call, 'timeframe')!].map((value) => body.expr(value));
  if (!asked.every((text) => /^(c\d+|"[^"]*")$/.test(text))) return null;
  const object = site(body, call, 'SecuritySite');
  body.opening(`R.at = ${body.placeOf(call)}; const ${object}x = ${object}.indexOf(${asked.join(', ')});`);
  const place = body.temporary();
  return (element) => {
    const column = `${object}v${element}`;
    body.opening(`const ${column} = ${object}.numbersOf(${element});`);
    const history = `((${place} = ${object}x[i]) < 0 ? NaN : ${column}[${place}])`;
    return `(i < ${object}x.length ? ${history} : ${object}.liveNumber(i, ${element}))`;
  };
}

function emitSecurity(body: Body, call: BuiltinCallExpr): string {
  const numbers = requestedNumbers(body, call);
  if (numbers !== null) {
    const texts = elementsOf(call).map((_, element) => numbers(element));
    return argument(call, 'expression')!.type.shape.kind === 'tuple' ? `[${texts.join(', ')}]` : texts[0]!;
  }
  const object = site(body, call, 'SecuritySite');
  const { shape } = argument(call, 'expression')!.type;
  if (shape.kind === 'tuple') return `${object}.tuple(${market(body, call)})`;
  if (isNumber(shape)) return `${object}.number(${market(body, call)})`;
  return ownMember(body, shape, `${object}.item(${market(body, call)})`);
}

/** Members of an enum are made for each chart; the one of the other chart is told by its place. */
function ownMember(body: Body, shape: Shape, text: string): string {
  const userEnum = shape.kind === 'enum' ? body.module.program.enums.find(({ key }) => key === shape.name) : undefined;
  if (userEnum === undefined) return text;
  const member = body.temporary();
  return `((${member} = ${text}) === null ? null : ${enumConstant(body.module, userEnum)}[${member}.ordinal])`;
}

function emitLowerTimeframe(body: Body, call: BuiltinCallExpr): string {
  const object = site(body, call, 'LowerTimeframeSite');
  const { shape } = argument(call, 'expression')!.type;
  return `${object}.${shape.kind === 'tuple' ? 'tuple' : 'array'}(${market(body, call)})`;
}

function emitCurrencyRate(body: Body, call: BuiltinCallExpr): string {
  const [from, to, ignore] = ['from', 'to', 'ignore_invalid_currency'].map((name) => body.expr(argument(call, name)!));
  return `R.requests.currencyRate(${body.column('time')}[${body.slot()}], ${from}, ${to}, ${ignore})`;
}

/** In the program of a requested expression: keeps its values on this bar, each in its column. */
function emitCapture(body: Body, call: BuiltinCallExpr): string {
  const expr = argument(call, 'expression')!;
  const shapes = elementsOf(call);
  const steps: string[] = [];
  let parts: string[];
  if (expr.kind === 'tuple') parts = expr.elements.map((element) => body.expr(element));
  else if (expr.type.shape.kind === 'tuple') {
    const whole = body.temporary();
    steps.push(`${whole} = ${body.expr(expr)}`);
    parts = shapes.map((_, place) => `${whole}[${place}]`);
  } else parts = [body.expr(expr)];
  for (const [place, shape] of shapes.entries()) {
    const column = body.module.columns.push({ output: -1, parameter: '' }) - 1;
    if (isNumber(shape)) steps.push(`${body.output(column)} = ${parts[place]}`);
    else {
      const items = body.module.own(`(R.items[${column}] = [])`);
      steps.push(`${items}[${body.slot()}] = ${body.library('transfer')}(${parts[place]}, R.journal)`);
    }
  }
  return `(${steps.join(', ')})`;
}
