// The broker emulator: a small machine beside the bar loop that fills a strategy's orders and keeps its books.

export { Broker } from './broker.ts';
export type { PriceColumns } from './current-bar.ts';
export type { ExitWords } from './exit-order.ts';
export type { OrderFill } from './fill-watch.ts';
export type { ClosedTrade, Lot } from './lot.ts';
export { Magnifier } from './magnifier.ts';
export { MAX_EVENTS, type OrderEvent } from './order-events.ts';
export { RecordingBroker } from './recording-broker.ts';
export { type BrokerMarket, type BrokerSettings, brokerSettings, type TradeRange } from './settings.ts';
export type { Calls } from './strategy-calls.ts';
