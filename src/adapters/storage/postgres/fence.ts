// Keeps a process from writing that has lost its lease and does not know it: each of its steps asks for the lease with its own
// token, in one packet with its first statement, and holds it until the commit. A claim of somebody else skips a row that is
// held so; and once somebody else has the lease, the row with the old token is gone, and nothing of the step is stored.

import { FencedError } from '../../../errors/storage-error.ts';
import type { Lease } from '../../../trading/leases.ts';
import type { InOneStep } from '../sql/sql.ts';

export interface Fence extends Pick<Lease, 'name' | 'token'> {
  /** The schema whose table has the lease: a twin is written under that of the desk. */
  readonly schema: string;
}

export function fenced(inOneStep: InOneStep, { schema, name, token }: Fence): InOneStep {
  const hold = `SELECT 1 AS held FROM ${schema}.leases WHERE name = ? AND token = ? FOR KEY SHARE`;
  return (work) =>
    inOneStep(async (sql) => {
      const held = sql.get(hold, name, token);
      // It is awaited below; until then nobody else may see it fail.
      held.catch(() => undefined);
      try {
        return await work(sql);
      } finally {
        // Also where the work has failed: what the new holder has written may be in its way.
        if ((await held) === undefined) throwOvertaken(name);
      }
    });
}

function throwOvertaken(name: string): never {
  throw new FencedError(`another process has taken over (lease ${name}); try again, it answers there`);
}
