import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { RowcastError } from '../../src/base/errors.ts';
import { connectReports } from '../../src/client/protocols/report/report-client.ts';
import type { ServiceClientOptions } from '../../src/client/service-client.ts';
import { readProxy } from '../../src/client/transport/http-proxy.ts';
import { authority, noOpenssl, pems } from '../support/certificates.ts';
import { newFolder } from '../support/folder.ts';
import { startProxy } from '../support/proxy.ts';
import { job } from '../support/scoring/job.ts';
import { score } from '../support/scoring/score.ts';
import { assertScored } from '../support/scoring/scored.ts';
import { slow } from '../support/slow.ts';
import { type Exchange, response, startWire, withId } from '../support/stub/wire.ts';

const rows = Array.from({ length: 400 }, (_, row) => `${row},row ${row}\n`);
const input = Buffer.from(`id,text\n${rows.join('')}`);
const ROWS = 10;

interface Outcome {
  output: Buffer | undefined;
  retries: Record<string, number>;
  failure: RowcastError | undefined;
  /** Names of all files in the run's folder. */
  files: string[];
}

/** Starts the service, and says how a client reaches it. */
type Reach = (
  t: TestContext,
  respond: (exchange: Exchange) => void,
) => Promise<Pick<ServiceClientOptions, 'url' | 'proxy' | 'tls'>>;

/** Scores 400 rows, ten per request, with a service that responds with `respond`. */
async function scoreWith(
  t: TestContext,
  respond: (exchange: Exchange) => void,
  concurrency = 4,
  reach: Reach = async (t, respond) => ({ url: new URL(await startWire(t, respond)) }),
): Promise<Outcome> {
  const folder = await newFolder(t);
  const [from, output] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
  await writeFile(from, input);
  const reached = await reach(t, respond);
  const client = connectReports({ ...reached, key: 'a-key', name: 'wire', concurrency });
  t.after(() => client.close());
  const options = job({ input: from, output, batchRows: ROWS, classes: ['no', 'yes'] });
  const failure = await score(options, client).then(
    () => undefined,
    error => error,
  );
  return {
    output: await readFile(output).catch(() => undefined),
    retries: Object.fromEntries(client.statistics.retries),
    failure,
    files: await readdir(folder),
  };
}

/** Asserts that all rows have their own probabilities, and that retries had this reason. */
function assertRight({ output, retries, failure }: Outcome, code?: string): void {
  assert.equal(failure, undefined);
  assertScored(output ?? Buffer.alloc(0), input);
  if (code === undefined) assert.deepEqual(retries, {});
  else assert.ok((retries[code] ?? 0) > 0, JSON.stringify(retries));
}

describe('no row gets the response to another request', { concurrency: 4 }, () => {
  it('if a second response comes late and each carries its request id', async t => {
    const outcome = await scoreWith(t, ({ number, connection, id, response, write, later }) => {
      write(withId(response, id));
      // A batch that got three of them would stop the run.
      if (number === 2 && connection < 3) later(1, withId(response, id));
    });
    assert.equal(outcome.failure, undefined);
    assertScored(outcome.output ?? Buffer.alloc(0), input);
  });

  slow('if two connections get each other’s responses and each carries its request id', async t => {
    let waiting: Exchange | undefined;
    let swaps = 0;
    const outcome = await scoreWith(t, exchange => {
      if (exchange.path !== '/user/batch-persona' || exchange.number < 2 || swaps > 5)
        return exchange.write(withId(exchange.response, exchange.id));
      if (waiting === undefined) {
        waiting = exchange;
        return undefined;
      }
      swaps++;
      exchange.write(withId(waiting.response, waiting.id));
      waiting.write(withId(exchange.response, exchange.id));
      waiting = undefined;
      return undefined;
    });
    assertRight(outcome, 'other_response');
  });

  it('if an error response belongs to another request', async t => {
    let other = '';
    const outcome = await scoreWith(t, ({ number, connection, id, path, response: own, write }) => {
      const isOther = number === 3 && connection < 3 && other !== '';
      if (isOther) write(withId(response({ code: 'bad' }, { status: 422 }), other));
      else write(withId(own, id));
      if (path === '/user/batch-persona') other = id;
    });
    assertRight(outcome, 'other_response');
  });

  it('if the id of another request comes in addition to its own', async t => {
    let other = '';
    const outcome = await scoreWith(t, ({ number, connection, response, id, write }) => {
      const isOther = number === 3 && connection < 3 && other !== '';
      write(withId(response, isOther ? `${other}, ${id}` : id));
      other = id;
    });
    assertRight(outcome, 'other_response');
  });

  it('if a second response comes together with the first', async t => {
    const outcome = await scoreWith(t, ({ number, connection, response, write }) =>
      write(number === 1 && connection === 2 ? response + response : response),
    );
    assertRight(outcome, 'surplus_bytes');
  });

  for (const [what, concurrency] of [
    ['one request after the other', 1],
    ['several requests at once', 4],
  ] as const)
    it(`or the run stops and keeps nothing: a late second response shifts those after it, ${what}`, async t => {
      const { failure, files } = await scoreWith(
        t,
        ({ number, connection, response, write, later }) => {
          if (connection > 1 || number < 4) return write(response);
          if (number === 4) write(response);
          return later(5, response);
        },
        concurrency,
      );
      assert.equal(failure?.code, 'mixed_up_responses');
      assert.equal(failure.severity, 'stopped');
      assert.equal((failure.location.row ?? 0) % ROWS, 1);
      assert.deepEqual(files, ['in.csv']);
    });

  for (const what of ['predictions', 'error responses'] as const)
    it(`or the run stops and keeps nothing: surplus ${what} shift the others, and the last one is withheld`, async t => {
      const previous = new Map<number, string>();
      const { failure, files } = await scoreWith(t, ({ number, connection, response: own, write }) => {
        const shifted = previous.get(connection);
        previous.set(connection, own);
        if (connection > 1 || number < 4) write(own);
        else if (number > 4) write(shifted ?? own);
        else write(what === 'predictions' ? (shifted ?? own) : response({}, { status: 503 }));
      });
      assert.equal(failure?.code, 'mixed_up_responses');
      assert.deepEqual(files, ['in.csv']);
    });

  it('or the run finishes although the report can no longer be fetched', async t => {
    let reports = 0;
    const outcome = await scoreWith(t, ({ path, response: own, write }) =>
      write(path !== '/user/batch-persona' && reports++ > 0 ? response({}, { status: 403 }) : own),
    );
    assertRight(outcome);
  });

  it('or the run stops and names the first row written from that connection', async t => {
    let first = '';
    const { failure } = await scoreWith(t, ({ number, connection, response, write, body }) => {
      if (connection === 2 && number === 1) [, first = ''] = /"id":(\d+)/.exec(body) ?? [];
      write(connection === 2 && number === 6 ? response + response : response);
    });
    assert.equal(failure?.code, 'mixed_up_responses');
    assert.equal(failure.location.row, Number(first) + 1);
  });

  it('or the run stops if every response is followed by extra bytes', async t => {
    const { failure, retries } = await scoreWith(t, ({ response, write }) => write(`${response}x`));
    assert.equal(failure?.code, 'surplus_bytes');
    assert.deepEqual(retries, { surplus_bytes: 2 });
  });
});

describe('responses are told apart through a proxy too', { skip: noOpenssl }, () => {
  // A proxy that forwards requests is a service like any other; the one in the URL is never reached.
  const forwarded: Reach = async (t, respond) => ({
    url: new URL('http://127.0.0.1:9'),
    proxy: readProxy(await startWire(t, respond)),
  });
  const tunnelled: Reach = async (t, respond) => {
    const { ca, server } = await authority();
    const url = new URL(await startWire(t, respond, undefined, pems(server)));
    const { url: proxy } = await startProxy(t);
    return { url, proxy: readProxy(proxy), tls: { ca: readFileSync(ca) } };
  };
  for (const [what, reach] of Object.entries({ forwarded, tunnelled })) {
    it(`if requests are ${what}: a second response that comes together with the first`, async t => {
      const respond = ({ number, connection, response, write }: Exchange): void =>
        write(number === 1 && connection === 2 ? response + response : response);
      assertRight(await scoreWith(t, respond, 4, reach), 'surplus_bytes');
    });

    slow(`if requests are ${what}: a late second response`, async t => {
      const respond = ({ number, connection, response, write, later }: Exchange): void => {
        const isLate = connection === 1 && number >= 4;
        if (!isLate || number === 4) write(response);
        if (isLate) later(5, response);
      };
      const { failure, files } = await scoreWith(t, respond, 4, reach);
      assert.equal(failure?.code, 'mixed_up_responses');
      assert.deepEqual(files, ['in.csv']);
    });
  }
});

describe('a run is not disturbed', { concurrency: 4 }, () => {
  it('by response ids that it never sent', async t => {
    let count = 0;
    const outcome = await scoreWith(t, ({ response, write }) =>
      write(withId(response, `gateway-${++count % 3}`)),
    );
    assertRight(outcome);
  });

  slow('by ids of a gateway in addition to its own', async t => {
    const outcome = await scoreWith(t, ({ response, id, write }) =>
      write(withId(withId(response, id), `gateway, ${id}`)),
    );
    assertRight(outcome);
  });

  const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
  for (const [what, before] of Object.entries({
    '100 Continue': [interim],
    'several of them': [interim + interim + interim],
    'one with headers': ['HTTP/1.1 100 Continue\r\nserver: x\r\ndate: y\r\n\r\n'],
    'one after and before 103 Early Hints': [interim + hints + interim + hints],
    'one in pieces': ['HTTP/1.1 1', '00 Contin', 'ue\r', '\n\r\n'],
    'one byte after byte': [...interim],
    'one of HTTP/1.0': ['HTTP/1.0 100 Continue\r\n\r\n'],
    'blank lines and one': [`\r\n\r\n${interim}`],
  }))
    (before.length > 1 ? it : slow)(`by ${what} before a response`, async t => {
      const outcome = await scoreWith(t, ({ response, write, inPieces }) => {
        if (before.length === 1) write(before + response);
        else inPieces([...before, response]);
      });
      assertRight(outcome);
    });

  for (const ms of [undefined, 0, 3])
    (ms === 0 ? it : slow)(
      `by 100 Continue after a response, ${ms === undefined ? 'together with it' : `${ms} ms later`}`,
      async t => {
        const respond = ({ response, write, later }: Exchange): void => {
          write(ms === undefined ? response + interim : response);
          if (ms !== undefined) later(ms, interim);
        };
        assertRight(await scoreWith(t, respond, 2));
      },
    );
});
