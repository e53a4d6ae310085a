// An endpoint is one value: method, path, door, schemas, limits, description and handler; everything else reads it.
import type { z } from 'zod';
import type { Answer } from './answer.ts';
import type { KitContext } from './context.ts';

/**
 * Who may enter.
 *
 * - `public`: anybody. What the handler asks of them itself, such as the webhook key in a body, is its own business.
 * - `analysisKey`, `scriptKey`: whoever holds a key of that service.
 * - `internal`: the owner, by INTERNAL_TOKEN, or without one whoever is on this very machine.
 * - `loopback`: this very machine also while a token is set; others with the token.
 * - `admin`: whoever holds ADMIN_TOKEN.
 */
export type Door = 'public' | 'analysisKey' | 'scriptKey' | 'internal' | 'loopback' | 'admin';

/** What a caller shows at a door, or to a handler that asks for itself because it depends on the call. */
export type Credential = Exclude<Door, 'public'> | 'internalAndWalletToken' | 'scriptKeyIfRequired';

export interface ResponseDoc {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Of an answer that is no JSON, such as text/html. */
  readonly mediaType?: string;
}

/** Everything about an endpoint but what it does. */
export interface EndpointDoc {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With parameters in braces: `/trades/{requestId}`. */
  readonly path: string;
  /** An endpoint that declares no door is internal: what nobody thought about must not be open. */
  readonly door?: Door;
  /** For the description alone: what a handler behind a public door asks for itself, because it depends on the call. */
  readonly asksFor?: Credential;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly body?: z.ZodType;
  /** A body that works as it is, with variables of sample-variables.ts for what only the reader has, such as $WEBHOOK_KEY. */
  readonly bodyExample?: unknown;
  /** The most bytes of a body that are read; the app's own limit when left out. */
  readonly bodyLimitBytes?: number;
  readonly query?: z.ZodObject;
  /** What becomes of words in the query that the endpoint does not know, where its door alone does not say it (unknown-query.ts). */
  readonly unknownQuery?: 'ignored' | 'refused';
  /** Each with an example, which may be such a variable: the docs page puts it in the path. */
  readonly params?: z.ZodObject;
  /** Error statuses without a schema of their own get the service's error shape. */
  readonly responses: Readonly<Record<number, ResponseDoc>>;
}

export type EndpointHandler = (c: KitContext) => Promise<Response> | Response;

/** A call as bytes. */
export interface Call {
  readonly requestId: string;
  readonly body: Uint8Array;
  readonly clientAddress: string;
  readonly headers: (name: string) => string | undefined;
}

export type AnswerCall = (call: Call) => Promise<Answer> | Answer;

export type OnUnread = (fault: unknown, call: Pick<Call, 'requestId' | 'clientAddress'>) => void;

/** `answer` instead of `handler`: turns the bytes of a body into an answer, and knows nothing of the web framework. */
export type Endpoint = EndpointDoc & {
  /** Told of a body that was not read, because it is too large or its sender is gone. Must not throw. */
  readonly onUnread?: OnUnread;
} & (
    | { readonly handler: EndpointHandler; readonly answer?: never }
    | { readonly answer: AnswerCall; readonly handler?: never }
  );

export const doorOf = ({ door = 'internal' }: Pick<EndpointDoc, 'door'>): Door => door;

/** The value of a parameter in the path; the route does not match without it. */
export const paramOf = (c: KitContext, name: string): string => c.req.param(name) ?? '';
