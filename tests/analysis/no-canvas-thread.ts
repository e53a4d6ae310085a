// A thread of the Analysis API on a machine that the drawing library has no binary for.

import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@napi-rs/canvas'))
      throw new Error(`Cannot find module '${specifier}'\nRequire stack:\n- x`);
    return next(specifier, context);
  },
});

await import('../../src/composition/analysis-thread.ts');
