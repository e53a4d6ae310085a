// What a program declares, as JavaScript: classes of user types, members of enums, functions with their frames.

import type { FieldExpr, FunctionInstance, UserEnum, UserType } from '../check/tree.ts';
import { Body } from './body.ts';
import { Frame } from './frame.ts';
import { literal } from './literals.ts';
import type { Module } from './module.ts';

const POINT_FIELDS = ['time', 'index', 'price'];

export const typeClass = (type: UserType): string => `T${type.id}`;

export const fieldName = (owner: FieldExpr['owner'], field: number): string =>
  owner === 'chart.point' ? POINT_FIELDS[field]! : owner.fields[field]!.name;

/** Reserves the members of an enum; they are made with the run's constants. */
export function enumConstant(module: Module, { name, members }: UserEnum): string {
  const list = members.map((member) => `{ name: ${literal(member.name)}, title: ${literal(member.title)} }`);
  return module.constant(`${module.library('defineEnum')}(${literal(name)}, [${list.join(', ')}])`);
}

export function typeSource(module: Module, type: UserType): string {
  const fields = type.fields.map((_, index) => `f${index}`);
  const listed = fields.map((field) => `, ${field}`).join('');
  const own = fields.map((field) => `, this.${field}`).join('');
  return [
    `class ${typeClass(type)} extends ${module.library('PineObject')} {`,
    `constructor(journal${listed}) { super(journal); ${fields.map((field) => `this.${field} = ${field};`).join(' ')} }`,
    `copy() { return new ${typeClass(type)}(this.journal${own}); }`,
    '}',
  ].join('\n');
}

interface WrittenFunction {
  readonly frame: Frame | null;
  readonly source: string;
}

const written = new WeakMap<Module, Map<FunctionInstance, WrittenFunction>>();

/** The frame class of a function's calls, or null when nothing of it outlives a call. */
export const frameOf = (caller: Body, callee: FunctionInstance): Frame | null => write(caller, callee).frame;

/** A function is written when its first call is: what it calls comes before it. */
function write({ module, emitters }: Body, callee: FunctionInstance): WrittenFunction {
  const functions = written.get(module) ?? new Map<FunctionInstance, WrittenFunction>();
  written.set(module, functions);
  const known = functions.get(callee);
  if (known !== undefined) return known;
  const frame = new Frame(`F${callee.id}`);
  const repeats = module.analysis.repeated.has(callee);
  const body = new Body({
    module,
    emitters,
    frame,
    frameName: 'F',
    version: callee.version,
    isMain: false,
    isForeign: callee.library !== null,
    repeats,
  });
  for (const parameter of callee.parameters) {
    body.declareHistory(parameter);
    body.remember(parameter);
  }
  body.block(callee.body, { kind: 'return' });
  const parameters = callee.parameters.map((parameter) => `, ${body.storage(parameter)}`).join('');
  const source = body.source(`function f${callee.id}(F, i${parameters})`);
  const result = { frame: frame.isEmpty ? null : frame, source };
  functions.set(callee, result);
  return result;
}

const all = (module: Module): WrittenFunction[] => [...(written.get(module)?.values() ?? [])];

export const frameSources = (module: Module): string[] =>
  all(module).flatMap(({ frame }) => (frame === null ? [] : [frame.source()]));

export const functionSources = (module: Module): string[] => all(module).map(({ source }) => source);
