import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { listen } from '../listen.ts';
import { key } from '../secrets.ts';
import { probabilitiesOf } from '../stub/service.ts';

/** The rows of a request for predictions, by column. */
export type Rows = Record<string, unknown>[];

/** What a stub of a model server understands and responds. */
export interface Dialect {
  /** The path of requests for predictions, and their content type. */
  readonly path: string;
  readonly type: string;
  /** The body of the responses to other paths. */
  readonly others?: Readonly<Record<string, string>>;
  /** Whether requests must have the key as a bearer token. */
  readonly needsKey: boolean;
  /** The rows of a body. @throws for one that the server would not understand */
  rowsOf(body: string, request: Pick<IncomingMessage, 'headers'>): Rows;
  /** The body of a response, with the probabilities of each row: text, or what is written as JSON. */
  respond(predictions: Record<string, number>[], body: string): unknown;
  /** The body of an error with this message. */
  error(message: string): unknown;
}

export interface ModelCall {
  /** From 1 on. */
  number: number;
  request: IncomingMessage;
  response: ServerResponse;
  body: string;
  rows: Rows;
  /** What the server would respond. */
  usual: string;
}

export interface ModelServer {
  url: string;
  calls: ModelCall[];
}

/** Called first for each request for predictions; true means that it responds itself. */
export type Behave = (call: ModelCall) => boolean;

/** A model server without a model. The prediction of a row is a hash of its values. */
export async function startModelServer(
  t: TestContext,
  dialect: Dialect,
  behave: Behave = () => false,
): Promise<ModelServer> {
  const calls: ModelCall[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return undefined;
    const { url = '', headers } = request;
    const fail = (status: number, message: string): void => {
      response.writeHead(status).end(JSON.stringify(dialect.error(message)));
    };
    if (dialect.needsKey && headers.authorization !== `Bearer ${key}`) return fail(401, 'who is it?');
    const other = dialect.others?.[url];
    if (other !== undefined) return response.end(other);
    if (url !== dialect.path) return fail(404, 'there is nothing here');
    if (headers['content-type'] !== dialect.type) return fail(500, 'the content type');
    let rows: Rows;
    try {
      rows = dialect.rowsOf(body, request);
    } catch (error) {
      return fail(400, String(error));
    }
    const predictions = rows.map(row => probabilitiesOf(row, ['no', 'yes']));
    const answer = dialect.respond(predictions, body);
    const usual = typeof answer === 'string' ? answer : JSON.stringify(answer);
    const call = { number: calls.length + 1, request, response, body, rows, usual };
    calls.push(call);
    return behave(call) ? undefined : response.end(usual);
  });
  return { url: await listen(t, server), calls };
}
