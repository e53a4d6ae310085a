// The whole program as one JavaScript module: classes, functions, constants of a run, and the function of a bar.

import type { CheckedProgram } from '../check/tree.ts';
import { MAX_LOOP_TURNS } from '../run/limits.ts';
import type { Emitted, Script } from '../run/script.ts';
import { Body, type Emitters } from './body.ts';
import { frameSources, functionSources, typeSource } from './declarations.ts';
import { emit } from './expressions.ts';
import { LIBRARY } from './library.ts';
import { Module } from './module.ts';
import { emitBlock } from './statements.ts';

const EMITTERS: Emitters = { expression: emit, block: emitBlock };

export function emitProgram(program: CheckedProgram): Emitted {
  const module = new Module(program);
  const main = new Body({
    module,
    emitters: EMITTERS,
    frame: module.mainFrame,
    version: program.version,
    isMain: true,
    isForeign: false,
    repeats: false,
  });
  main.block(program.main, { kind: 'none' });
  const bar = main.source('function bar(i)');
  const functions = functionSources(module);
  const types = program.types.map((type) => typeSource(module, type));
  const source = [
    '"use strict";',
    module.imports(),
    // Classes are made once: were they made for every run, their objects would be of another shape in each.
    ...types,
    module.mainFrame.source(),
    ...frameSources(module),
    'return (R) => {',
    'const C = R.columns;',
    ...module.constants(),
    'const G = new Main();',
    ...functions,
    bar,
    'const run = (from, to) => {',
    'for (let i = from; i < to; i++) {',
    `R.bar = i; R.budget = ${MAX_LOOP_TURNS};`,
    ...module.prologue,
    'bar(i);',
    '}',
    '};',
    'return { run, save: () => G.save(), restore: () => G.restore() };',
    '};',
  ].join('\n');
  const { refused, columns } = module;
  if (refused.length > 0) return { create: null, refused, columns, source };
  // The only place where text becomes code; the text is the emitter's own (see literals.ts).
  const build = new Function('L', source) as (library: typeof LIBRARY) => (runtime: object) => Script;
  return { create: build(LIBRARY), refused, columns, source };
}
