// What a call that draws or alerts once per bar is known by before the script runs.

import { CallConstants, orRefusal, type SpecRefusal } from './constants-of-call.ts';
import type { BuiltinCallExpr, OutputSpec } from './tree.ts';

/** Only the title is read here; colors, widths and the like may depend on inputs and are settings of the run. */
export function outputSpec(call: BuiltinCallExpr): OutputSpec | SpecRefusal {
  return orRefusal(() => {
    const title = new CallConstants(call).text('title');
    // An empty title names nothing; the output is then found by its kind and number.
    return { name: call.name, title: title === '' ? null : title, call };
  });
}
