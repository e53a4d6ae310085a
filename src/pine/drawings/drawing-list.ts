// The drawings of one kind that are on the chart, oldest first, with every change in constant time.

import type { Drawing } from './drawing.ts';

/** Linked through the drawings themselves. */
export class DrawingList {
  first: Drawing | null = null;
  last: Drawing | null = null;
  count = 0;

  append(drawing: Drawing): void {
    this.insertAfter(this.last, drawing);
  }

  /** Null: at the very front. */
  insertAfter(previous: Drawing | null, drawing: Drawing): void {
    const next = previous === null ? this.first : previous.next;
    drawing.previous = previous;
    drawing.next = next;
    if (previous === null) this.first = drawing;
    else previous.next = drawing;
    if (next === null) this.last = drawing;
    else next.previous = drawing;
    this.count += 1;
  }

  remove(drawing: Drawing): void {
    const { previous, next } = drawing;
    if (previous === null) this.first = next;
    else previous.next = next;
    if (next === null) this.last = previous;
    else next.previous = previous;
    drawing.previous = null;
    drawing.next = null;
    this.count -= 1;
  }

  toList(): Drawing[] {
    const drawings: Drawing[] = [];
    for (let drawing = this.first; drawing !== null; drawing = drawing.next) drawings.push(drawing);
    return drawings;
  }
}
