// The smallest whole answer of the evaluate contract, for tests whose engine runs nothing.

import type { z } from 'zod';
import type { runAnswerSchema } from '../run-contract.ts';

export type RunAnswer = z.infer<typeof runAnswerSchema>;

export const runAnswer = (fields: Partial<RunAnswer> = {}): RunAnswer => ({
  status: 'success',
  series: {},
  plots: [],
  plot_meta: {},
  events: [],
  trades: [],
  equity: [],
  metrics: {},
  drawings: [],
  alerts: [],
  inputs: [],
  logs: [],
  profile: null,
  meta: { plot_meta: {} },
  count: 0,
  mode: 'compile',
  script_id: '0123456789abcdef',
  run_id: 'run-1',
  ...fields,
});
