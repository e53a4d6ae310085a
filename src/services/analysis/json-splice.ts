// Puts finished JSON together: fields before the first of an object that is encoded already, without reading it again.

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The object with these fields in front; `fields` must not be empty. */
export function withFields(fields: object, json: Uint8Array): readonly Uint8Array[] {
  if (json[0] !== OPEN_BRACE) throw new Error('an answer is not a JSON object; the script engine must encode one');
  const head = JSON.stringify(fields).slice(0, -1);
  const isEmpty = json[1] === CLOSE_BRACE;
  return [Buffer.from(isEmpty ? head : `${head},`), json.subarray(1)];
}

export const jsonBytes = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
