// Gives the numbers of desk events in the order of their commits, also where several processes write: whoever follows the
// events by their numbers misses none. A number is given only while nobody else has one that is not committed.

import type { Sql } from '../sql/sql.ts';

/** They are the last of a transaction (desk-event-mutations.ts), so others wait for little more than its commit. */
const GIVES_NUMBERS = /^INSERT INTO desk_events\b/;
const TAKE_TURN = `SELECT pg_advisory_xact_lock(hashtext('desk events of ' || current_schema()))`;

export function inEventOrder(sql: Sql): Sql {
  let hasTurn = false;
  return {
    ...sql,
    async insert(text, ...values) {
      if (!hasTurn && GIVES_NUMBERS.test(text)) {
        // It fails with the whole transaction, which the next statement tells; waiting for its answer would cost one more way.
        sql.get(TAKE_TURN).catch(() => undefined);
        hasTurn = true;
      }
      return sql.insert(text, ...values);
    },
  };
}
