import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { newFolder, sharedFolder } from '../../support/folder.ts';
import { root } from '../../support/root.ts';
import { exits, type Finished, rowcast, startRowcast } from '../../support/rowcast.ts';
import { startForwardingProxy } from './forwarding-proxy.ts';
import { withTenure } from './personas.ts';
import { binOf, environmentOf, sourceOf } from './places.ts';
import { recordResponses } from './record-responses.ts';
import { type ModelServer, RunningServer } from './running-server.ts';
import { writeDefinition } from './write-definition.ts';

const ROWS = 20_000;
/** How far a probability may be from that of the same model in Python. */
const TOLERANCE = 1e-9;
const MAX_REQUESTS = 30;

/** Tests a real model server: that its predictions arrive, and what its failures cost. */
export function testServer(server: ModelServer): void {
  const environment = environmentOf(server.name);
  const skip = !existsSync(environment) && `not installed: npm run test:servers -- --install ${server.name}`;
  describe(`a run with ${server.name}`, { skip }, () => {
    let running: RunningServer;
    let folder: string;
    let personas: string;
    let truth: string[];
    before(async () => {
      folder = await sharedFolder();
      await promisify(execFile)(join(binOf(server.name), 'python'), [
        join(sourceOf('model'), 'train.py'),
        join(root, 'fixtures/telecom-history.csv'),
        folder,
        String(ROWS),
      ]);
      personas = await readFile(join(folder, 'personas.csv'), 'utf8');
      truth = (await readFile(join(folder, 'truth.csv'), 'utf8')).trim().split('\n');
      running = await RunningServer.on(server, folder, environment);
      await running.prepare();
      await running.start();
    });
    after(() => running?.kill());

    const define = (own: string, input: string, score: object = {}, url = running.url): Promise<string> =>
      writeDefinition(server, { folder: own, input, url, score });
    const run = async (t: TestContext, text: string, score: object = {}): Promise<Run> => {
      const own = await newFolder(t);
      const input = join(own, 'personas.csv');
      await writeFile(input, text);
      const proxy = await startForwardingProxy(running.url);
      t.after(() => proxy.close());
      const finished = await rowcast([
        'run',
        '--trust-definition',
        await define(own, input, score, proxy.url),
      ]);
      return {
        finished,
        output: await readFile(join(own, 'scored.csv'), 'utf8').catch(() => ''),
        rejects: await readFile(join(own, 'scored.csv.rejects'), 'utf8').catch(() => ''),
        requests: proxy.exchanges.filter(({ method }) => method === 'POST').length,
      };
    };

    it(`gives each of ${ROWS} rows the probabilities that the model gives in Python`, async t => {
      const { finished, output } = await run(t, personas);
      assert.equal(finished.code, 0, finished.stderr);
      const { difference, unscored } = compared(output, truth);
      t.diagnostic(`the largest difference is ${difference}`);
      assert.deepEqual(unscored, []);
      assert.ok(difference <= TOLERANCE);
    });

    it('loses one row to one bad value', async t => {
      const { finished, output, rejects, requests } = await run(
        t,
        withTenure(personas, row => row === 7_777),
        server.untyped,
      );
      assert.equal(finished.code, 1, finished.stderr);
      assert.match(rejects, /^[^\n]*\n[^\n]*P-007777[^\n]*\n$/);
      const { difference, unscored } = compared(output, truth);
      assert.deepEqual(unscored, [7_777]);
      assert.ok(difference <= TOLERANCE);
      t.diagnostic(`${requests} requests: ${rejects.split('\n')[1]?.split(',').slice(0, 4).join()}`);
    });

    for (const [what, change] of [
      ['wrong in all rows', (text: string) => withTenure(text, () => true)],
      ['missing', (text: string) => text.replace('tenure', 'months')],
    ] as const)
      it(`stops early, with the server’s message, if a column is ${what}`, async t => {
        const { finished, requests } = await run(t, change(personas), server.untyped);
        t.diagnostic(`${requests} requests: ${finished.stderr}`);
        assert.ok([2, 3].includes(finished.code ?? 0), finished.stderr);
        assert.match(finished.stderr, /the service responded with \d+: \w|column .*"tenure"/);
        assert.ok(requests <= MAX_REQUESTS, `${requests} requests`);
      });

    it('gives the same bytes if it is killed and run again', async t => {
      const own = await newFolder(t);
      const input = join(folder, 'personas.csv');
      const whole = join(own, 'whole.csv');
      const scored = join(own, 'scored.csv');
      const start = performance.now();
      assert.equal(
        (await rowcast(['run', '--trust-definition', await define(own, input, { output: whole })])).code,
        0,
      );
      const duration = performance.now() - start;
      const definition = await define(own, input, { 'checkpoint-interval': '50ms' });
      let resumed = 0;
      for (const share of [0.5, 0.7, 0.9]) {
        const { child, finished } = startRowcast(['run', '--trust-definition', definition]);
        await wait(share * duration);
        child.kill('SIGKILL');
        if (isResumed(await finished)) resumed++;
      }
      const last = await exits(rowcast(['run', '--trust-definition', definition]), 0);
      if (isResumed(last)) resumed++;
      t.diagnostic(`${resumed} of 4 runs resumed`);
      assert.ok(resumed > 0);
      assert.ok((await readFile(scored)).equals(await readFile(whole)));
    });

    it('gives the same bytes if the server is killed and started again', async t => {
      const own = await newFolder(t);
      const input = join(folder, 'personas.csv');
      const whole = join(own, 'whole.csv');
      const start = performance.now();
      assert.equal(
        (await rowcast(['run', '--trust-definition', await define(own, input, { output: whole })])).code,
        0,
      );
      const duration = performance.now() - start;
      const { finished } = startRowcast(['run', '--trust-definition', await define(own, input)]);
      await wait(duration / 2);
      await running.kill();
      await running.start();
      const { code, stderr } = await finished;
      assert.equal(code, 0, stderr);
      assert.match(stderr, /will keep trying/);
      assert.ok((await readFile(join(own, 'scored.csv'))).equals(await readFile(whole)));
    });

    it('is recorded', { skip: !process.env.RECORD_SERVERS && 'only with --record' }, () =>
      recordResponses(server, running, personas),
    );
  });
}

interface Run {
  finished: Finished;
  output: string;
  rejects: string;
  requests: number;
}

const isResumed = ({ stderr }: Finished): boolean => stderr.includes('resum');

/** The rows of an output without probabilities, and the largest difference of a probability from the truth. */
function compared(output: string, truth: readonly string[]): { difference: number; unscored: number[] } {
  const [header, ...lines] = output.trimEnd().split('\n');
  assert.match(header ?? '', /,probability_no,probability_yes$/);
  assert.equal(lines.length, truth.length);
  const unscored: number[] = [];
  let difference = 0;
  for (const [row, line] of lines.entries()) {
    assert.ok(line.startsWith(`P-${String(row).padStart(6, '0')},`), line);
    const found = line.split(',').slice(-2);
    if (found.join() === ',') unscored.push(row);
    else
      for (const [i, expected] of (truth[row] ?? '').split(',').entries())
        difference = Math.max(difference, Math.abs(Number(found[i]) - Number(expected)));
  }
  return { difference, unscored };
}
