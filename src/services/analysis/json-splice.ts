// Puts finished JSON together: fields before the first or after the last of an object that is encoded already, without
// reading it again.

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The object with these fields in front; `fields` must not be empty. */
export function withFields(fields: object, json: Uint8Array): readonly Uint8Array[] {
  checkObject(json);
  const head = JSON.stringify(fields).slice(0, -1);
  return [Buffer.from(isEmpty(json) ? head : `${head},`), json.subarray(1)];
}

/** The object with these fields behind its own; `fields` must not be empty. */
export function withLastFields(json: Uint8Array, fields: object): readonly Uint8Array[] {
  checkObject(json);
  const tail = JSON.stringify(fields).slice(1);
  return [json.subarray(0, -1), Buffer.from(isEmpty(json) ? tail : `,${tail}`)];
}

function checkObject(json: Uint8Array): void {
  if (json[0] === OPEN_BRACE && json.at(-1) === CLOSE_BRACE) return;
  throw new Error('an answer is not a JSON object; the script engine must encode one');
}

const isEmpty = (json: Uint8Array): boolean => json[1] === CLOSE_BRACE;

export const jsonBytes = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));

/** In memory of its own, so that it can be handed to another thread. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
