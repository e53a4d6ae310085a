// A refusal of this service: its code is one of the table's, checked by the compiler.

import { Refusal, type RefusalOptions } from '../../http/errors.ts';
import type { ScriptsErrorCode } from './errors.ts';

export type ScriptsRefusal = Refusal<ScriptsErrorCode>;

export const refusal = (code: ScriptsErrorCode, message?: string, options?: RefusalOptions): ScriptsRefusal =>
  new Refusal(code, message, options);
