// POST /run/batch: several requests at once, each with a status of its own.

import type { EndpointHandler } from '../../http/endpoint.ts';
import { CLIENT_GONE_STATUS, ClientGone } from '../../http/errors.ts';
import type { Kit } from '../../http/kit.ts';
import { jsonBytes, withFields } from './json-splice.ts';
import { anonymous, jsonAnswer, onlyAnswer, type RunDeps } from './run.ts';

const OK = 200;
const COMMA = Buffer.from(',');
const END = Buffer.from(']}');

export function createBatch({ forwarder, takeRate }: RunDeps, fail: Kit['fail']): EndpointHandler {
  return async (c) => {
    const { requestId, clientAddress } = c.var;
    const { signal } = c.req.raw;
    const caller = anonymous(clientAddress);
    const batch = await forwarder.serve(c, { kind: 'run-batch', caller });
    if (batch.kind !== 'split') throw new Error('a batch was not split');
    const answers = batch.bodies.map(async (body, index) => {
      try {
        // Each counts for itself: a batch must not be a way around the limit.
        takeRate(clientAddress);
        const request = { kind: 'run', caller, requestId, signal, at: `requests.${index}` } as const;
        return withFields({ status_code: OK }, onlyAnswer(await forwarder.pass(body, request)).json);
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
