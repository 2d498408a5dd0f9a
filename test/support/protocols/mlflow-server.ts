import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { describedProtocol } from '../../../src/client/protocols/described/described-protocol.ts';
import { mlflow } from '../../../src/client/protocols/described/descriptions.ts';
import { ServiceClient, type ServiceClientOptions } from '../../../src/client/service-client.ts';
import { key } from '../secrets.ts';
import { probabilitiesOf } from '../stub/service.ts';

/** The rows of a request for predictions, by column. */
export type Rows = Record<string, unknown>[];

export interface Invocation {
  /** From 1 on. */
  number: number;
  request: IncomingMessage;
  response: ServerResponse;
  body: string;
  rows: Rows;
  /** What the server would respond. */
  predictions: unknown[];
}

export interface MlflowOptions {
  /** Called first for each request for predictions; true means that it responds itself. */
  behave?: (invocation: Invocation) => boolean;
  /** The model returns probabilities as lists, or as objects by class; or labels; or numbers. */
  returns?: Returned;
}

type Returned = 'lists' | 'objects' | 'labels' | 'numbers';

/** A client of an MLflow server without a model. The prediction of a row is a hash of its values. */
export async function connectMlflow(
  t: TestContext,
  { behave, returns = 'lists', ...options }: MlflowOptions & Partial<ServiceClientOptions> = {},
): Promise<{ client: ServiceClient; invocations: Invocation[] }> {
  const invocations: Invocation[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url, headers } = request;
    if (url === '/ping') return response.end('\n');
    if (headers.authorization !== `Bearer ${key}`)
      return refuse(response, 401, 'UNAUTHENTICATED', 'the token is not valid');
    if (url !== '/invocations') return response.writeHead(404).end('Not Found');
    if (headers['content-type'] !== 'application/json') return response.writeHead(415).end('content type');
    const body = Buffer.concat(chunks).toString();
    const rows = rowsOf(body);
    if (rows === undefined) return refuse(response, 400, 'BAD_REQUEST', 'the input is not a dataframe');
    const predictions = predictionsOf(rows, returns);
    const invocation = { number: invocations.length + 1, request, response, body, rows, predictions };
    invocations.push(invocation);
    if (behave?.(invocation)) return undefined;
    return response.end(predictionsText(predictions, invocation.number));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a path
  const client = new ServiceClient({
    url: new URL(`http://127.0.0.1:${port}`),
    key,
    name: 'mlflow-server',
    concurrency: 4,
    protocol: describedProtocol(mlflow),
    ...options,
  });
  t.after(async () => {
    await client.close();
    server.close();
    server.closeAllConnections();
  });
  return { client, invocations };
}

/** Responds with an error as MLflow does. */
export function refuse(response: ServerResponse, status: number, error_code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error_code, message, sqlstate: null, error_class: null }));
}

/**
 * The rows of a body, as pandas reads them; undefined if it is not `dataframe_split`, or a row has too many or too few
 * cells.
 */
export function rowsOf(body: string): Rows | undefined {
  const { dataframe_split: frame, ...others } = JSON.parse(body);
  if (frame === undefined || Object.keys(others).length > 0) return undefined;
  const { columns, data }: { columns: string[]; data: unknown[][] } = frame;
  if (data.some(({ length }) => length !== columns.length)) return undefined;
  return data.map(cells => Object.fromEntries(columns.map((name, at) => [name, cells[at]])));
}

export function predictionsOf(rows: Rows, returns: Returned): unknown[] {
  return rows.map(row => {
    const probabilities = probabilitiesOf(row, ['no', 'yes']);
    if (returns === 'labels') return labelOf(probabilities);
    if (returns === 'numbers') return probabilities.no;
    if (returns === 'lists') return Object.values(probabilities);
    // A dict of Python keeps the order in which its members were set.
    return rows.length % 2 === 0 ? probabilities : { yes: probabilities.yes, no: probabilities.no };
  });
}

/** A label that has to be quoted, or one that has not. */
export const labelOf = ({ no = 0, yes = 0 }: Record<string, number>): string =>
  no > yes ? 'no, "never"' : 'yes';

/** A response: the servers in front of which there is a proxy, and versions of MLflow, differ in spaces and members. */
export function predictionsText(predictions: unknown[], number: number): string {
  const response = number % 3 === 0 ? { predictions, databricks_output: { trace: null } } : { predictions };
  return number % 2 === 0 ? JSON.stringify(response) : JSON.stringify(response, null, 1);
}
