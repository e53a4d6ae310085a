// A broker that also keeps what the script asked of it. Only runs whose answer lists the events pay for it.

import { Broker } from './broker.ts';
import type { PriceColumns } from './current-bar.ts';
import { OrderEvents } from './order-events.ts';
import { RecordedCalls } from './recorded-calls.ts';
import type { BrokerMarket, BrokerSettings } from './settings.ts';

export class RecordingBroker extends Broker {
  readonly events = new OrderEvents();
  private readonly recorded: RecordedCalls;

  constructor(settings: BrokerSettings, market: BrokerMarket) {
    super(settings, market);
    this.recorded = new RecordedCalls(this.calls, this.events, this);
    this.calls = this.recorded;
  }

  override begin(index: number, slot: number, columns: PriceColumns): void {
    this.recorded.beginBar(index, slot, columns);
    super.begin(index, slot, columns);
  }
}
