// The answer of the evaluate contract as the bytes of its JSON; numbers are what an answer takes its time for.

import { ByteWriter } from '../../library/byte-writer.ts';
import { answerBesideSeries, type BarColumns, colorSeries, type RunResult } from '../../pine/index.ts';

const COMMA = 44;

/** The same as `answerOf` gives, with what only the caller knows: the names of the script and of the run, and warnings. */
export function answerJson(
  result: RunResult,
  bars: BarColumns,
  more: Readonly<Record<string, unknown>>,
): Uint8Array<ArrayBuffer> {
  const { plot_meta, meta, ...rest } = answerBesideSeries(result, bars);
  const { plot_meta: _again, ...ofScript } = meta;
  const json = new ByteWriter();
  json.text('{"status":"success","series":{');
  const first = writeSeries(result, json);
  json.text('},"plots":');
  // The first series stands in an answer twice.
  if (first === undefined) json.text('[]');
  else json.again(first.from, first.to);
  json.text(',"plot_meta":');
  const from = json.length;
  json.text(JSON.stringify(plot_meta));
  const to = json.length;
  json.text(`,"meta":${JSON.stringify(ofScript).slice(0, -1)},"plot_meta":`);
  json.again(from, to);
  json.text(`},${JSON.stringify({ ...rest, ...more }).slice(1)}`);
  return json.done();
}

/** Gives the place of the first series of numbers. */
function writeSeries(result: RunResult, json: ByteWriter): { readonly from: number; readonly to: number } | undefined {
  let first: { readonly from: number; readonly to: number } | undefined;
  let comma = '';
  for (const [name, column] of result.series) {
    json.text(`${comma}${JSON.stringify(name)}:`);
    const from = json.length;
    writeNumbers(column, json);
    first ??= { from, to: json.length };
    comma = ',';
  }
  for (const [title, colors] of colorSeries(result)) {
    json.text(`${comma}${JSON.stringify(title)}:${JSON.stringify(colors)}`);
    comma = ',';
  }
  return first;
}

/** JSON knows neither NaN nor infinity. */
function writeNumbers(column: Float64Array, json: ByteWriter): void {
  json.text('[');
  for (let i = 0; i < column.length; i += 1) {
    if (i > 0) json.letter(COMMA);
    if (Number.isFinite(column[i]!)) json.number(column, i);
    else json.text('null');
  }
  json.text(']');
}
