import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { rowcast } from '../support/in-process.ts';
import { portOf } from '../support/listen.ts';
import { root } from '../support/root.ts';
import { key } from '../support/secrets.ts';
import { probabilitiesOf } from '../support/stub/service.ts';

/**
 * A golden case is a folder: a definition with its input, the replies of the service, and the expected output.
 *
 *     definition.yaml   the run; its output goes to stdout
 *     replies.json      the report, and the replies to the batch-persona requests, in order
 *     expected.csv      stdout, byte for byte
 *     expected.txt      the exit code, then stderr without times
 *     requests.txt      the bodies of the batch-persona requests, one per line; consecutive retries are listed once
 */
export const casesFolder = join(root, 'test/golden/cases');

interface Reply {
  status: number;
  headers?: Record<string, string>;
  /** JSON, or text that is sent unchanged. */
  body: unknown;
}

interface Replies {
  report: object;
  calls: Reply[];
}

export interface Outcome {
  csv: Buffer;
  text: string;
  requests: string;
}

export const caseNames = async (): Promise<string[]> => (await readdir(casesFolder)).sort();

/** The expected results of a case. */
export async function expectedOf(name: string): Promise<Outcome> {
  const folder = join(casesFolder, name);
  return {
    csv: await readFile(join(folder, 'expected.csv')),
    text: await readFile(join(folder, 'expected.txt'), 'utf8'),
    requests: await readFile(join(folder, 'requests.txt'), 'utf8'),
  };
}

/** Runs a case against a service that sends the replies of the case. */
export async function play(name: string): Promise<Outcome> {
  const replies: Replies = JSON.parse(await readFile(join(casesFolder, name, 'replies.json'), 'utf8'));
  return runCase(name, replies);
}

/** Records the expected results of a case; missing replies are those of the stub. */
export async function record(name: string): Promise<void> {
  const folder = join(casesFolder, name);
  const file = join(folder, 'replies.json');
  const replies: Partial<Replies> = JSON.parse(await readFile(file, 'utf8'));
  const whole = { report: { tech_specs: {}, drivers: [] }, calls: [], ...replies };
  const { csv, text, requests } = await runCase(name, whole);
  await writeFile(join(folder, 'expected.csv'), csv);
  await writeFile(join(folder, 'expected.txt'), text);
  await writeFile(join(folder, 'requests.txt'), requests);
  await writeFile(file, `${JSON.stringify(whole, null, 2)}\n`);
}

async function runCase(name: string, replies: Replies): Promise<Outcome> {
  const requests: string[] = [];
  const outcome = await withService(replies, requests, url => runAgainst(name, url));
  const distinct = requests.filter((body, index) => body !== requests[index - 1]);
  return { ...outcome, requests: distinct.map(body => `${body}\n`).join('') };
}

async function runAgainst(name: string, url: string): Promise<Omit<Outcome, 'requests'>> {
  const { code, stdout, stderr } = await rowcast(
    ['run', join('test/golden/cases', name, 'definition.yaml'), '--trust-definition'],
    {
      env: { ROWCAST_URL: url, ROWCAST_API_KEY: key },
    },
  );
  const steady = stderr
    .replaceAll(url, 'http://service')
    .replace(/in [\d.]+ s(, [\d,]+ rows\/s)?/g, 'in … s')
    .replace(/\(p50[^)]*\)/g, '(…)')
    // Such lines are printed only occasionally, by the clock: only the first one is certain.
    .replace(
      /(rowcast: .*; (?:will keep trying|trying again).*\n)(rowcast: .*; (?:will keep|trying|retrying).*\n)+/g,
      '$1',
    )
    .replaceAll(`${root}/`, '');
  return { csv: stdout, text: `exit ${code}\n${steady}` };
}

/** @param requests receives the bodies of the batch-persona requests, in order */
async function withService<T>(
  replies: Replies,
  requests: string[],
  use: (url: string) => Promise<T>,
): Promise<T> {
  let calls = 0;
  const recorded = replies.calls.length > 0;
  const server: Server = createServer(async (request, response) => {
    const body = await text(request);
    const isReport = request.method === 'GET';
    if (!isReport) requests.push(body);
    if (!isReport && !recorded) replies.calls[calls] = stubReply(body);
    const reply: Reply = isReport
      ? { status: 200, body: replies.report }
      : (replies.calls[calls++] ?? { status: 404, body: 'no more replies' });
    const isText = typeof reply.body === 'string';
    response.writeHead(reply.status, {
      'content-type': isText ? 'text/html' : 'application/json',
      ...reply.headers,
    });
    response.end(isText ? reply.body : JSON.stringify(reply.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(`http://127.0.0.1:${portOf(server)}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function stubReply(body: string): Reply {
  const { id, personas }: { id: string; personas: { features: Record<string, unknown> }[] } =
    JSON.parse(body);
  const predictions = personas.map(({ features }) => {
    const { no = 0 } = probabilitiesOf(features, ['no', 'yes']);
    const rounded = Math.round(no * 1000) / 1000;
    return { probabilities: { no: rounded, yes: Math.round((1 - rounded) * 1000) / 1000 } };
  });
  return { status: 200, body: { id, predictions } };
}
