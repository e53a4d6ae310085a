// The outermost scope of a long script in several functions: JavaScript engines leave a very long one as it is.

import type { Block, Stmt, Variable } from '../check/tree.ts';
import { walkBlock, walkStatement, walkStatements } from './walk-tree.ts';

/** Expressions in one function; V8 optimizes none that is many times longer, and short ones sooner. */
const MAX_EXPRESSIONS = 600;

export function partsOfMain({ statements, value }: Block): Block[] {
  const parts: Stmt[][] = [[]];
  let size = 0;
  for (const statement of statements) {
    const own = sizeOf(statement);
    if (size > 0 && size + own > MAX_EXPRESSIONS) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)!.push(statement);
    size += own;
  }
  const last = parts.length - 1;
  return parts.map((part, index) => ({ statements: part, value: index === last ? value : null }));
}

function sizeOf(statement: Stmt): number {
  let size = 1;
  walkStatement(statement, () => {
    size += 1;
  });
  return size;
}

/** Variables declared in one part and read or set in another. */
export function crossing(parts: readonly Block[]): Set<Variable> {
  const found = new Set<Variable>();
  if (parts.length === 1) return found;
  const home = new Map<Variable, Block>();
  for (const part of parts) {
    const use = (variable: Variable): void => {
      const declared = home.get(variable);
      if (declared !== undefined && declared !== part) found.add(variable);
    };
    for (const statement of part.statements)
      for (const variable of declaredBy(statement)) if (variable.scope === 'global') home.set(variable, part);
    walkStatements(part.statements, (statement) => {
      if (statement.kind === 'assign') use(statement.variable);
    });
    walkBlock(part, (expr) => {
      if (expr.kind === 'variable') use(expr.variable);
    });
  }
  return found;
}

function declaredBy(statement: Stmt): readonly Variable[] {
  if (statement.kind === 'declare') return [statement.variable];
  if (statement.kind !== 'declare-tuple') return [];
  return statement.variables.filter((variable) => variable !== null);
}
