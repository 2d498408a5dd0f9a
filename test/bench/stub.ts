import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Prediction services of several protocols in a process of their own, which respond immediately, so that the client is
 * what is measured: they count the rows of a request and give each the same probabilities. Prints their URL. Its
 * argument: milliseconds that each request takes, 0 by default.
 */
const DELAY_MS = Number(process.argv[2] ?? 0);

interface Dialect {
  isOf: (path: string) => boolean;
  rowsOf: (body: Buffer) => number;
  response: (rows: number) => string;
}

const PROBABILITIES = [0.7312, 0.2688];
const listOf = (rows: number, text: string): string =>
  `[${Array.from({ length: rows }, () => text).join(',')}]`;
const lists = (rows: number): string => listOf(rows, JSON.stringify(PROBABILITIES));
const VALUES =
  '{"prediction":"No","predictionValues":[{"label":"Yes","value":0.2688},{"label":"No","value":0.7312}]}';

function count(body: Buffer, text: string): number {
  const needle = Buffer.from(text);
  let found = 0;
  for (let at = body.indexOf(needle); at !== -1; at = body.indexOf(needle, at + needle.length)) found++;
  return found;
}

const dialects: readonly Dialect[] = [
  {
    isOf: path => path === '/user/batch-persona',
    rowsOf: body => count(body, '"features"'),
    response: rows =>
      `{"id":"R","predictions":${listOf(rows, '{"probabilities":{"No":0.7312,"Yes":0.2688}}')}}`,
  },
  {
    isOf: path => path === '/invocations',
    rowsOf: body => count(body, '],[') + 1,
    response: rows => `{"predictions":${lists(rows)}}`,
  },
  { isOf: path => path.startsWith('/score'), rowsOf: body => count(body, '],[') + 1, response: lists },
  {
    isOf: path => path.endsWith(':predict'),
    rowsOf: body => count(body, '},{') + 1,
    response: rows => `{"predictions":${lists(rows)}}`,
  },
  {
    isOf: path => path.endsWith('/infer'),
    rowsOf: body => Number(/"shape":\[(\d+)/.exec(body.toString('latin1', 0, 1000))?.[1]),
    response: rows =>
      `{"model_name":"R","outputs":[{"name":"predict_proba","datatype":"FP64","shape":[${rows},2],"data":[${Array.from({ length: rows }, () => PROBABILITIES.join(',')).join(',')}]}]}`,
  },
  {
    isOf: path => path.startsWith('/predApi'),
    rowsOf: body => count(body, '\n') - 1,
    response: rows => `{"data":${listOf(rows, VALUES)}}`,
  },
];

const known = new Map<Dialect, Map<number, string>>(dialects.map(dialect => [dialect, new Map()]));

function respond(path: string, body: Buffer): string | undefined {
  const dialect = dialects.find(({ isOf }) => isOf(path));
  const responses = dialect && known.get(dialect);
  if (dialect === undefined || responses === undefined) return undefined;
  const rows = dialect.rowsOf(body);
  const text = responses.get(rows) ?? dialect.response(rows);
  responses.set(rows, text);
  // Only the Open Inference protocol has an id that must be returned.
  const id = /"id":"([\w.-]+)"/.exec(body.toString('latin1', 0, 200))?.[1];
  return path.endsWith('/infer') ? `{"id":"${id}",${text.slice(1)}` : text;
}

const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  const { url = '/', method } = request;
  if (method === 'GET') {
    const description = url.startsWith('/v2/models')
      ? '{"name":"R","platform":"","inputs":[],"outputs":[]}'
      : '{"tech_specs":{},"drivers":[]}';
    response.end(url === '/ping' ? '\n' : description);
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    const text = respond(url, Buffer.concat(chunks));
    if (text === undefined) response.writeHead(404);
    if (DELAY_MS === 0) response.end(text);
    else setTimeout(() => response.end(text), DELAY_MS);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a path
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
