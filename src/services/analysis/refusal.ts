// The refusals of this service, by the codes of its table.

import { Refusal } from '../../http/errors.ts';
import type { AnalysisErrorCode } from './errors.ts';

export type AnalysisRefusal = Refusal<AnalysisErrorCode>;

export const refusal = (
  code: AnalysisErrorCode,
  message?: string,
  options?: ConstructorParameters<typeof Refusal>[2],
): AnalysisRefusal => new Refusal(code, message, options);

/** Whether a script was stopped at its time limit. */
export const isTimeout = (error: unknown): boolean => error instanceof Refusal && error.code === 'TIMEOUT';
