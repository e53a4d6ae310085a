// The series of a run as CSV: the time of each bar in milliseconds, then one column per series, empty where it is na.

import { ByteWriter } from '../library/byte-writer.ts';
import type { RunResult } from '../pine/index.ts';
import { csvName } from '../pine/light.ts';

/** Large enough that writing a piece costs little beside making it, small enough that nobody waits for the first. */
const PIECE_BYTES = 256 * 1024;
/** The last row of a piece may go beyond; most fit. */
const SPARE_BYTES = 4 * 1024;
const COMMA = 44;
const LINE_FEED = 10;

export function* seriesCsv(times: Float64Array, { count, series }: RunResult): Generator<Uint8Array> {
  const columns = [...series.values()];
  let piece = new ByteWriter(PIECE_BYTES + SPARE_BYTES);
  piece.text(`${['time', ...series.keys()].map(csvName).join(',')}\n`);
  for (let bar = 0; bar < count; bar += 1) {
    piece.number(times, bar);
    for (let at = 0; at < columns.length; at += 1) {
      const column = columns[at]!;
      piece.letter(COMMA);
      if (!Number.isNaN(column[bar]!)) piece.number(column, bar);
    }
    piece.letter(LINE_FEED);
    if (piece.length < PIECE_BYTES) continue;
    yield piece.done();
    piece = new ByteWriter(PIECE_BYTES + SPARE_BYTES);
  }
  yield piece.done();
}
