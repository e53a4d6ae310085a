// Calls of `input*()`: the value is a constant of the run; only a source changes from bar to bar.

import type { BuiltinCallExpr } from '../check/tree.ts';
import type { Body } from './body.ts';
import { enumConstant } from './declarations.ts';

export function emitInput(body: Body, call: BuiltinCallExpr): string {
  const place = call.place!;
  const spec = body.module.program.inputs[place]!;
  if (spec.kind === 'source') {
    const chosen = body.module.constant(`R.sourceOf(${place})`);
    const fallback = body.expr(call.arguments[0]!.values[0]!);
    return `(${chosen} === null ? ${fallback} : ${chosen}(i & R.mask))`;
  }
  if (spec.userEnum === null) return body.module.constant(`R.input(${place})`);
  const members = enumConstant(body.module, spec.userEnum);
  return body.module.constant(`${members}.find((member) => member.name === R.input(${place}))`);
}
