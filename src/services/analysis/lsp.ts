// POST /lsp/completion, /lsp/hover, /lsp/diagnostics and /lsp/convert: help for whoever writes a script in an editor.

import type { EndpointHandler } from '../../http/endpoint.ts';
import type { RequestKind } from '../../library/request-runner.ts';
import { jsonAnswer, onlyAnswer, type RunDeps } from './run.ts';

export function createLsp({ forwarder, takeRate }: RunDeps, kind: RequestKind): EndpointHandler {
  return async (c) => {
    const { clientAddress, bodyLimitBytes } = c.var;
    const headers = takeRate(clientAddress);
    const request = { kind, caller: { class: 'editor', id: clientAddress } } as const;
    return jsonAnswer(c, [onlyAnswer(await forwarder.serve(c, request, bodyLimitBytes)).json], 200, headers);
  };
}
