// The description of /agent is valid, its examples are accepted, and it lists the routes that there are.

import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { buildOpenApi } from '../../src/http/openapi.ts';
import { AGENT_DOCS } from '../../src/services/gateway/agent-docs.ts';
import {
  agentStatusSchema,
  agentUsageSchema,
  agentUsageViewSchema,
  chatAnswerSchema,
  visionAnswerSchema,
} from '../../src/services/gateway/agent-schemas.ts';
import { errorSchema } from '../../src/services/gateway/index.ts';
import { answerOf } from '../../src/services/gateway/schemas.ts';
import { openAgentDoor } from '../support/agent.ts';
import { startModelServer } from '../support/model-servers/model-server.ts';
import { openaiProtocol } from '../support/model-servers/openai-protocol.ts';

const DOCS = Object.values(AGENT_DOCS);

it('is valid OpenAPI', async () => {
  const description = buildOpenApi({
    ...{ title: 'x', version: '1', description: 'x', serverUrl: 'http://localhost' },
    ...{ endpoints: DOCS, errorShapeSchema: errorSchema },
  });
  expect(await new Validator().validate(structuredClone(description) as Record<string, unknown>)).toEqual({
    valid: true,
  });
});

it('lists the routes that there are, and every answer has the shape it says', async () => {
  const server = await startModelServer(openaiProtocol);
  const door = await openAgentDoor({ servers: [server] });
  const listed = DOCS.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const registered = door.app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path}`);
  expect(registered.sort()).toEqual([...listed].sort());
  const usage = answerOf(agentUsageViewSchema);
  const schemas = [chatAnswerSchema, visionAnswerSchema, agentStatusSchema, agentUsageSchema, usage];
  for (const [at, { method, path, bodyExample }] of door.app.endpoints.entries()) {
    const { status, body } = await door.request(method.toUpperCase(), path, bodyExample);
    expect([path, status]).toEqual([path, 200]);
    expect(schemas[at]?.strict().parse(body)).toEqual(body);
  }
  await server.close();
});
