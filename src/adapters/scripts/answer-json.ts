// The answer of the evaluate contract as the bytes of its JSON; numbers are what an answer takes its time for.

import { ByteWriter } from '../../library/byte-writer.ts';
import { answerOf, type RunResult } from '../../pine/index.ts';

const COMMA = 44;

export function answerJson(result: RunResult, ids: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const { status, series: _series, plots: _plots, ...rest } = answerOf({ ...result, series: new Map() });
  const json = new ByteWriter();
  json.text(`{"status":${JSON.stringify(status)},"series":{`);
  let first: { readonly from: number; readonly to: number } | undefined;
  for (const [name, column] of result.series) {
    json.text(`${first === undefined ? '' : ','}${JSON.stringify(name)}:`);
    const from = json.length;
    writeNumbers(column, json);
    first ??= { from, to: json.length };
  }
  json.text('},"plots":');
  // The first series stands in an answer twice.
  if (first === undefined) json.text('[]');
  else json.again(first.from, first.to);
  json.text(`,${JSON.stringify({ ...rest, ...ids }).slice(1)}`);
  return json.done();
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
