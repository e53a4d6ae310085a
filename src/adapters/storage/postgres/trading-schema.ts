// Where the trading database is kept: its schema, and the SQL files that make it.

export const TRADING_SCHEMA = 'trading';
export const TRADING_MIGRATIONS = new URL('./migrations/trading/', import.meta.url);
