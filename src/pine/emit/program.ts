// The whole program as one JavaScript module: classes, functions, constants of a run, and the loop over the bars.

import type { CheckedProgram } from '../check/tree.ts';
import { MAX_LOOP_TURNS } from '../run/limits.ts';
import type { Emitted, Script } from '../run/script.ts';
import { Body, type Emitters } from './body.ts';
import { brokerSteps } from './call-strategy.ts';
import { frameSources, functionSources, typeSource } from './declarations.ts';
import { emit } from './expressions.ts';
import { Frame } from './frame.ts';
import { LIBRARY } from './library.ts';
import { Module } from './module.ts';
import { findingsOf } from './refuse.ts';
import { emitRequests, MAX_DEPTH } from './requests/emit-requests.ts';
import { withOwnInstances } from './requests/own-instances.ts';
import { emitBlock } from './statements.ts';

const EMITTERS: Emitters = { expression: emit, block: emitBlock };

export function emitProgram(program: CheckedProgram): Emitted {
  const { program: whole, isTooLarge } = withOwnInstances(program);
  return emitModule(new Module(whole), isTooLarge ? MAX_DEPTH : 0);
}

/** `depth`: how many requests the program lies in. */
function emitModule(module: Module, depth: number): Emitted {
  const { program } = module;
  const { main, parts } = mainOf(module);
  const functions = functionSources(module);
  const types = program.types.map((type) => typeSource(module, type));
  const frames = [{ name: 'G', frame: module.mainFrame }, ...parts];
  const trading = brokerSteps(main);
  const budget = module.hasLoops ? [`R.budget = ${MAX_LOOP_TURNS};`] : [];
  const opening = ['R.bar = i;', ...budget, ...trading.opening, ...module.prologue];
  const onAll = (method: 'save' | 'restore'): string => frames.map(({ name }) => `${name}.${method}();`).join(' ');
  const source = [
    '"use strict";',
    module.imports(),
    // Classes are made once: were they made for every run, their objects would be of another shape in each.
    ...types,
    ...frames.map(({ frame }) => frame.source()),
    ...frameSources(module),
    'return (R) => {',
    'const C = R.columns;',
    ...module.constants(),
    ...frames.map(({ name, frame }) => `const ${name} = new ${frame.className}();`),
    ...functions,
    ...parts.map(({ source }) => source),
    main.loop('function run(from, to)', opening, [...module.epilogue, ...trading.closing]),
    `return { run, save() { ${onAll('save')} }, restore() { ${onAll('restore')} } };`,
    '};',
  ].join('\n');
  const { columns } = module;
  const requests = emitRequests(module, depth, emitModule);
  const refused = [...findingsOf(module.refused), ...module.findings];
  const raisesAlerts = module.uses('AlertSite');
  const followsTicks =
    module.followsTicks || module.program.types.some(({ fields }) => fields.some(({ varip }) => varip));
  const facts = { refused, columns, raisesAlerts, followsTicks, requests, source };
  if (refused.length > 0) return { create: null, ...facts };
  return { create: lazily(source), ...facts };
}

/**
 * The only place where text becomes code; the text is the emitter's own (see literals.ts). It does so at the first run:
 * whoever only wants to know what is wrong with a script may be where no text can, such as a page with a strict policy.
 */
function lazily(source: string): (runtime: object) => Script {
  let create: ((runtime: object) => Script) | undefined;
  return (runtime) => {
    create ??= (new Function('L', source) as (library: typeof LIBRARY) => (runtime: object) => Script)(LIBRARY);
    return create(runtime);
  };
}

interface Part {
  /** Of its frame. */
  readonly name: string;
  readonly frame: Frame;
  readonly source: string;
}

/** The body of the loop; that of a long script calls its parts, each with a frame of its own. */
function mainOf(module: Module): { main: Body; parts: Part[] } {
  const main = mainBody(module, module.mainFrame, 'G');
  const blocks = module.analysis.parts;
  if (blocks.length === 1) {
    main.block(blocks[0]!, { kind: 'none' });
    return { main, parts: [] };
  }
  const parts = blocks.map((block, index) => {
    const frame = new Frame(`Part${index}`);
    const name = `P${index}`;
    const body = mainBody(module, frame, name);
    body.block(block, { kind: 'none' });
    main.line(`part${index}(i);`);
    return { name, frame, source: body.source(`function part${index}(i)`) };
  });
  return { main, parts };
}

const mainBody = (module: Module, frame: Frame, frameName: string): Body =>
  new Body({
    module,
    emitters: EMITTERS,
    frame,
    frameName,
    version: module.program.version,
    isMain: true,
    // Places in it mean the request, which the chart knows.
    isForeign: module.isRequested,
    repeats: false,
  });
