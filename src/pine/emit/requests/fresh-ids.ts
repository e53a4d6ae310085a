// Numbers for variables and functions that a program does not have yet.

import type { Block, CheckedProgram, FunctionInstance, Variable } from '../../check/tree.ts';
import { walkBlock } from '../walk-tree.ts';
import { cloneTree } from './clone-tree.ts';

export class FreshIds {
  #last = 0;

  constructor({ main, functions }: CheckedProgram) {
    const seen = new Set<FunctionInstance>();
    const note = (id: number): void => {
      this.#last = Math.max(this.#last, id);
    };
    const look = (block: Block): void => {
      for (const id of variableIds(block)) note(id);
      walkBlock(block, (expr) => {
        if (expr.kind === 'user-call') enter(expr.callee);
      });
    };
    const enter = (callee: FunctionInstance): void => {
      if (seen.has(callee)) return;
      seen.add(callee);
      note(callee.id);
      for (const { id } of callee.parameters) note(id);
      look(callee.body);
    };
    look(main);
    for (const callee of functions) enter(callee);
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }
}

/** The numbers of all variables that a block names. */
function variableIds(block: Block): Set<number> {
  const ids = new Set<number>();
  const variable = (known: Variable): Variable => {
    ids.add(known.id);
    return known;
  };
  cloneTree(block, { variable, callee: (callee) => callee });
  return ids;
}
