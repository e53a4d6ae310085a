// Lines of the account that can be taken and moved up and down; what is chosen is only told, never done here.

import type { Level } from './level.ts';
import type { MarketChart } from './market-chart.ts';

export interface DraggableLevel extends Level {
  readonly canMove: boolean;
}

export interface LevelDragOptions {
  readonly levels: () => readonly DraggableLevel[];
  /** The nearest price at which it can stand. */
  readonly rounded: (level: DraggableLevel, price: number) => number;
  readonly onDropped: (level: DraggableLevel, price: number) => void;
}

/** How near a line counts as taken: with a mouse, and with a finger. */
const REACH_PX = { mouse: 5, touch: 14 };

export class LevelDrag {
  readonly #chart: MarketChart;
  readonly #place: HTMLElement;
  readonly #options: LevelDragOptions;
  readonly #end = new AbortController();
  #taken: DraggableLevel | undefined;
  #price = Number.NaN;

  constructor(place: HTMLElement, chart: MarketChart, options: LevelDragOptions) {
    this.#place = place;
    this.#chart = chart;
    this.#options = options;
    // Before the library sees them: a line that is moved does not move the chart.
    const before = { capture: true, passive: false, signal: this.#end.signal };
    place.addEventListener('pointerdown', this.#take, before);
    place.addEventListener('pointermove', this.#follow, before);
    place.addEventListener('pointerup', this.#drop, before);
    place.addEventListener('pointercancel', this.#letGo, before);
    for (const name of ['mousedown', 'touchstart', 'touchmove'])
      place.addEventListener(name, (event) => void (this.#taken && hold(event)), before);
  }

  close(): void {
    this.#end.abort();
  }

  #levelAt(event: PointerEvent): DraggableLevel | undefined {
    const levels = this.#options.levels().filter(({ canMove }) => canMove);
    // To ask where the chart stands may make the browser lay out the page: not with every move of a pointer for nothing.
    if (levels.length === 0) return undefined;
    const y = event.clientY - this.#place.getBoundingClientRect().top;
    const reach = REACH_PX[event.pointerType === 'touch' ? 'touch' : 'mouse'];
    return levels.find(({ price }) => {
      const at = this.#chart.candles.priceToCoordinate(price);
      return at !== null && Math.abs(at - y) <= reach;
    });
  }

  readonly #take = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    this.#taken = this.#levelAt(event);
    if (this.#taken === undefined) return;
    this.#price = this.#taken.price;
    this.#place.setPointerCapture(event.pointerId);
    hold(event);
  };

  readonly #follow = (event: PointerEvent): void => {
    if (this.#taken === undefined) {
      this.#place.classList.toggle('grabs', event.pointerType !== 'touch' && this.#levelAt(event) !== undefined);
      return;
    }
    hold(event);
    const price = this.#chart.candles.coordinateToPrice(event.clientY - this.#place.getBoundingClientRect().top);
    if (price === null) return;
    this.#price = this.#options.rounded(this.#taken, price);
    this.#chart.levels.move({ ...this.#taken, price: this.#price });
  };

  readonly #drop = (event: PointerEvent): void => {
    const taken = this.#taken;
    if (taken === undefined) return;
    hold(event);
    this.#taken = undefined;
    if (this.#price !== taken.price) this.#options.onDropped(taken, this.#price);
  };

  readonly #letGo = (): void => {
    if (this.#taken !== undefined) this.#chart.levels.move(this.#taken);
    this.#taken = undefined;
  };
}

function hold(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
