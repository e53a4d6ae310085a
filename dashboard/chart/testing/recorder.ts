// A canvas that draws nothing and writes down every stroke, with the colors in use, for the tests that compare pictures.

export type Stroke = readonly [name: string, ...values: (string | number)[]];

/** From which color to which, and where. */
class GradientWords {
  readonly #ends: readonly number[];
  readonly #stops: string[] = [];

  constructor(ends: readonly number[]) {
    this.#ends = ends;
  }

  addColorStop(share: number, color: string): void {
    this.#stops.push(`${share} ${color}`);
  }

  values(): readonly (string | number)[] {
    return ['gradient', ...this.#ends, ...this.#stops];
  }
}

/** Has what is used of a 2D context. */
export class Recorder {
  readonly strokes: Stroke[] = [];
  fillStyle: string | object = '';
  strokeStyle: string | object = '';
  lineWidth = 1;
  lineJoin = '';
  font = '';
  save(): void {}
  restore(): void {}
  clip(): void {}
  beginPath = () => this.#note('begin');
  closePath = () => this.#note('close');
  moveTo = (x: number, y: number) => this.#note('move', x, y);
  lineTo = (x: number, y: number) => this.#note('line', x, y);
  rect = (...box: number[]) => this.#note('rect', ...box);
  roundRect = (...box: number[]) => this.#note('round', ...box);
  arc = (...circle: number[]) => this.#note('arc', ...circle);
  fill = () => this.#note('fill', ...paintValues(this.fillStyle));
  stroke = () => this.#note('stroke', ...paintValues(this.strokeStyle), this.lineWidth);
  fillRect = (...box: number[]) => this.#note('fillRect', ...box, ...paintValues(this.fillStyle));
  fillText = (text: string, x: number, y: number) =>
    this.#note('text', x, y, text, fontPx(this.font), ...paintValues(this.fillStyle));
  setLineDash = (parts: number[]) => this.#note('dash', ...parts);
  createLinearGradient = (...ends: number[]) => new GradientWords(ends);

  #note(name: string, ...values: (string | number)[]): void {
    const exact = (value: string | number) => (typeof value === 'number' ? Math.round(value * 1000) / 1000 : value);
    this.strokes.push([name, ...values.map(exact)]);
  }
}

const paintValues = (style: string | object): readonly (string | number)[] =>
  style instanceof GradientWords ? style.values() : [String(style)];

export const fontPx = (font: string): number => Number(/([\d.]+)px/.exec(font)?.[1] ?? Number.NaN);
