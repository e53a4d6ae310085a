// What a statement of POST /query may touch: the tables with their columns, and the functions. Both walls read it here.

import { sameCase } from '../same-case.ts';

/** Tables and views by name, each with its columns as the migrations made them; a test compares the two. */
export const READABLE: Readonly<Record<string, readonly string[]>> = {
  trade_signals: words('seq signal_id timestamp symbol signal_type source decision alert_id'),
  trades: words(`seq request_id received_at updated_at source key_label exchange mode action symbol market quantity
    price leverage idempotency_key claim body_digest notify state order_id executed_quantity average_price error closes_all
    account strategy comment nothing_placed quantity_type time_in_force post_only
    cancel_after_seconds alert_id alert_claim prev_market_position prev_market_position_size`),
  current_trades: words(`seq request_id received_at updated_at source key_label exchange mode action symbol market
    quantity price leverage idempotency_key claim body_digest notify state order_id executed_quantity average_price error
    closes_all account strategy comment nothing_placed quantity_type time_in_force post_only
    cancel_after_seconds alert_id alert_claim prev_market_position prev_market_position_size current_state`),
  orders: words(`trade_seq leg client_order_id exchange mode market side position_side reduce_only quantity price state
    order_id executed_quantity average_price reason fills created_at sent_after_step updated_at account netted given_up`),
  fills: words('trade_seq client_order_id fill_id quantity price fee realized_pnl at shares'),
  positions: words('exchange mode account market side quantity entry_price realized_pnl fees updated_at cost'),
  strategy_books: words(
    'exchange mode account market side strategy quantity entry_price realized_pnl fees updated_at cost',
  ),
  events: words('trade_seq step at kind detail'),
};

/** The journal, and everything else that trading relies on, is written by Signalbox alone. */
export const WRITABLE = 'trade_signals';

/** Rows are numbered by the database. A number chosen by hand could be the largest there is, and then none comes after. */
export const ROW_NUMBER_NAMES: ReadonlySet<string> = new Set(['seq', 'rowid', 'oid', '_rowid_']);

/** What the views are made of; inside a view a statement reaches this and nothing more. */
export const VIEWS: Readonly<Record<string, { tables: readonly string[]; functions: readonly string[] }>> = {
  current_trades: { tables: ['trades', 'orders'], functions: ['iif'] },
  events: { tables: ['trades', 'orders', 'stored_events'], functions: ['row_number'] },
  fills: { tables: ['orders', 'json_each'], functions: ['->>', 'replace', 'rtrim', 'char'] },
};

/**
 * Left out on purpose: whatever loads code, tells about the database instead of the data, or makes much out of little
 * (printf, zeroblob, randomblob), and whatever spells text without a parameter (char, unistr, unhex).
 */
export const FUNCTIONS: ReadonlySet<string> = new Set([
  ...words('count sum total avg min max median percentile percentile_cont percentile_disc group_concat string_agg'),
  ...words('row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value'),
  ...words('abs round ceil ceiling floor trunc sign mod pow power sqrt exp ln log log2 log10 pi random'),
  ...words('sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh degrees radians'),
  ...words('date time datetime julianday unixepoch strftime timediff current_date current_time current_timestamp'),
  ...words(
    'lower upper length octet_length trim ltrim rtrim substr substring instr replace concat concat_ws unicode hex',
  ),
  ...words('coalesce ifnull nullif iif if typeof like glob'),
  ...words('json json_extract json_type json_valid json_array_length json_array json_object -> ->>'),
  ...words('json_group_array json_group_object'),
]);

function words(text: string): readonly string[] {
  return text.split(/\s+/);
}

export const isReadable = (table: string): boolean => Object.hasOwn(READABLE, sameCase(table));

/** None for a table that cannot be read; `constructor` and the like are no tables. */
export const columnsOf = (table: string): readonly string[] =>
  isReadable(table) ? (READABLE[sameCase(table)] ?? []) : [];

export const viewOf = (name: string | null): { tables: readonly string[]; functions: readonly string[] } | undefined =>
  name !== null && Object.hasOwn(VIEWS, sameCase(name)) ? VIEWS[sameCase(name)] : undefined;
