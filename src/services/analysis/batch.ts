// POST /run/batch: several requests at once, each with a status of its own.

import type { EndpointHandler } from '../../http/endpoint.ts';
import { CLIENT_GONE_STATUS, ClientGone } from '../../http/errors.ts';
import type { Kit } from '../../http/kit.ts';
import { checkStrict } from '../../http/strict-body.ts';
import { jsonBytes, withFields } from './json-splice.ts';
import { jsonAnswer, type RunDeps } from './run.ts';
import { batchHeadSchema } from './schemas.ts';

const OK = 200;
const COMMA = Buffer.from(',');
const END = Buffer.from(']}');

export function createBatch({ evaluate, takeRate, readLarge }: RunDeps, fail: Kit['fail']): EndpointHandler {
  return async (c) => {
    const body = await readLarge(c);
    const { requests } = checkStrict(batchHeadSchema, body);
    const { requestId, clientAddress } = c.var;
    const caller = { requestId, signal: c.req.raw.signal };
    const answers = requests.map(async (value, index) => {
      try {
        // Each counts for itself: a batch must not be a way around the limit.
        takeRate(clientAddress);
        return withFields({ status_code: OK }, await evaluate(value, caller, `requests.${index}`));
      } catch (thrown) {
        const { status, body: error } = fail(thrown, requestId);
        if (status === CLIENT_GONE_STATUS) throw new ClientGone('The client closed the connection early.');
        return withFields({ status_code: status }, jsonBytes(error));
      }
    });
    const results = await Promise.all(answers);
    const head = Buffer.from(`{"status":"success","count":${results.length},"results":[`);
    const items = results.flatMap((pieces, index) => (index === 0 ? pieces : [COMMA, ...pieces]));
    return jsonAnswer(c, [head, ...items, END]);
  };
}
