// What the list of deployments says is wrong with one: why it does not run, or its last error, and where its books differ.

import type { Deployment } from '../../server/deployments.ts';

export const whatIsWrong = ({ lastError, drift }: Pick<Deployment, 'lastError' | 'drift'>): string =>
  [lastError, drift].filter((words) => words !== null).join(' ');
