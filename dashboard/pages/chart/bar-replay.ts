// Bars once more, one after the other: how many of them are shown, and how fast they come.
//
// | state   | begin(n)             | step()        | play()  | pause() | end()     |
// |---------|----------------------|---------------|---------|---------|-----------|
// | off     | paused at n bars     |               |         |         |           |
// | paused  | paused at n bars     | one bar more  | playing |         | off       |
// | playing | paused at n bars     | one bar more  |         | paused  | off       |
//
// A step beyond the last bar pauses.

export interface ReplayState {
  readonly isOn: boolean;
  /** Bars that are shown. */
  readonly shown: number;
  readonly isPlaying: boolean;
  readonly barsPerSecond: number;
}

export const SPEEDS = [1, 3, 10, 30] as const;

export interface BarReplayOptions {
  /** How many bars there are. */
  readonly count: () => number;
  /** `added` is whether one bar came; otherwise all of them are to be shown anew. */
  readonly onChange: (state: ReplayState, added: boolean) => void;
}

const OFF: ReplayState = { isOn: false, shown: 0, isPlaying: false, barsPerSecond: SPEEDS[1] };

export class BarReplay {
  readonly #options: BarReplayOptions;
  #state = OFF;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: BarReplayOptions) {
    this.#options = options;
  }

  get state(): ReplayState {
    return this.#state;
  }

  begin(shown: number): void {
    const inside = Math.max(1, Math.min(Math.round(shown), this.#options.count()));
    this.#set({ ...this.#state, isOn: true, shown: inside, isPlaying: false });
  }

  step(): void {
    if (!this.#state.isOn) return;
    if (this.#state.shown >= this.#options.count()) this.pause();
    else this.#set({ ...this.#state, shown: this.#state.shown + 1 }, true);
  }

  play(): void {
    if (this.#state.isOn) this.#set({ ...this.#state, isPlaying: true });
  }

  pause(): void {
    this.#set({ ...this.#state, isPlaying: false });
  }

  setSpeed(barsPerSecond: number): void {
    this.#set({ ...this.#state, barsPerSecond });
  }

  /** The past grew by so many bars: the same ones are shown. */
  moveBy(bars: number): void {
    if (this.#state.isOn) this.#state = { ...this.#state, shown: this.#state.shown + bars };
  }

  end(): void {
    if (this.#state.isOn) this.#set({ ...this.#state, isOn: false, isPlaying: false });
  }

  #set(state: ReplayState, added = false): void {
    const isSameSpeed = state.isPlaying === this.#state.isPlaying && state.barsPerSecond === this.#state.barsPerSecond;
    this.#state = state;
    if (!isSameSpeed) {
      clearInterval(this.#timer);
      this.#timer = state.isPlaying ? setInterval(() => this.step(), 1000 / state.barsPerSecond) : undefined;
    }
    this.#options.onChange(state, added);
  }
}
