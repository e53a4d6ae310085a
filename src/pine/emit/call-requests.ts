// Calls of `request.*`: the call is an object that finds the bar of the other chart; its expression is a program of its own.

import type { Shape } from '../builtins/types.ts';
import type { BuiltinCallExpr, Expr } from '../check/tree.ts';
import type { Body } from './body.ts';
import { enumConstant } from './declarations.ts';
import { plainObject } from './kernels.ts';
import { isNumber, literal, naOf } from './literals.ts';
import { CAPTURE } from './requests/flatten.ts';

const argument = (call: BuiltinCallExpr, name: string): Expr | undefined =>
  call.arguments.find(({ parameter }) => parameter.name === name)?.values[0];

export function emitRequest(body: Body, call: BuiltinCallExpr): string {
  const { name } = call;
  if (name === CAPTURE) return emitCapture(body, call);
  if (name === 'request.security') return emitSecurity(body, call);
  if (name === 'request.security_lower_tf') return emitLowerTimeframe(body, call);
  if (name === 'request.currency_rate') return emitCurrencyRate(body, call);
  return `(R.requests.unavailable(${literal(name)}, R.lineOf(${body.placeOf(call)})), ${naOf(call.type.shape, body.version)})`;
}

/** What a request asks for, besides symbol and timeframe, as the text of an object. */
function settings(body: Body, call: BuiltinCallExpr): string {
  const index = body.module.requests.push(call) - 1;
  const shapes = elementsOf(call);
  const parts = [
    `request: ${index}`,
    `isNumber: [${shapes.map(isNumber).join(', ')}]`,
    `na: [${shapes.map((shape) => naOf(shape, body.version)).join(', ')}]`,
  ];
  const names = { gaps: 'gaps', lookahead: 'lookahead', ignore_invalid_timeframe: 'ignoreTimeframe' } as const;
  for (const [parameter, field] of Object.entries({ ...names, calc_bars_count: 'bars', currency: 'currency' })) {
    const value = argument(call, parameter);
    // A default that says nothing: the currency of the requested symbol itself.
    if (value === undefined || (parameter === 'currency' && value.span.start === call.span.start)) continue;
    parts.push(`${field}: ${body.maybe(() => body.expr(value))}`);
  }
  const ignore = argument(call, 'ignore_invalid_symbol');
  if (ignore !== undefined) parts.push(`ignoreSymbol: ${body.maybe(() => body.expr(ignore))}`);
  return `{ ${parts.join(', ')} }`;
}

/** The shapes of the requested values: of a tuple those of its elements. */
function elementsOf(call: BuiltinCallExpr): readonly Shape[] {
  const { shape } = argument(call, 'expression')!.type;
  return shape.kind === 'tuple' ? shape.items.map((item) => item.shape) : [shape];
}

const market = (body: Body, call: BuiltinCallExpr): string =>
  `i, ${body.expr(argument(call, 'symbol')!)}, ${body.expr(argument(call, 'timeframe')!)}`;

function emitSecurity(body: Body, call: BuiltinCallExpr): string {
  const site = plainObject(body, `new ${body.library('SecuritySite')}(R.requests, ${settings(body, call)})`);
  const { shape } = argument(call, 'expression')!.type;
  if (shape.kind === 'tuple') return `${site}.tuple(${market(body, call)})`;
  if (isNumber(shape)) return `${site}.number(${market(body, call)})`;
  return ownMember(body, shape, `${site}.item(${market(body, call)})`);
}

/** Members of an enum are made for each chart; the one of the other chart is told by its place. */
function ownMember(body: Body, shape: Shape, text: string): string {
  const userEnum = shape.kind === 'enum' ? body.module.program.enums.find(({ key }) => key === shape.name) : undefined;
  if (userEnum === undefined) return text;
  const member = body.temporary();
  return `((${member} = ${text}) === null ? null : ${enumConstant(body.module, userEnum)}[${member}.ordinal])`;
}

function emitLowerTimeframe(body: Body, call: BuiltinCallExpr): string {
  const site = plainObject(body, `new ${body.library('LowerTimeframeSite')}(R.requests, ${settings(body, call)})`);
  const { shape } = argument(call, 'expression')!.type;
  return `${site}.${shape.kind === 'tuple' ? 'tuple' : 'array'}(${market(body, call)})`;
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
