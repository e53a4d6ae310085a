// Gives the numbers of desk events in the order of their commits, also where several processes write: whoever follows the
// events by their numbers misses none. A number is given only while nobody else has one that is not committed.

import type { Sql } from '../sql/sql.ts';

/** They are the last of a transaction (desk-event-mutations.ts), so others wait for little more than its commit. */
const GIVES_NUMBERS = /^INSERT INTO desk_events\b/;
/** Of a table that is hardly ever written; an advisory lock could be held by every role of the database. */
const TAKE_TURN = 'LOCK TABLE desk_event_epochs IN SHARE ROW EXCLUSIVE MODE';

export function inEventOrder(sql: Sql): Sql {
  let hasTurn = false;
  return {
    ...sql,
    async insert(text, ...values) {
      if (!hasTurn && GIVES_NUMBERS.test(text)) {
        // It fails with the whole transaction, which the next statement tells; waiting for its answer would cost one more way.
        sql.run(TAKE_TURN).catch(() => undefined);
        hasTurn = true;
      }
      return sql.insert(text, ...values);
    },
  };
}
