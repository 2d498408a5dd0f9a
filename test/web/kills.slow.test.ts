import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { addKey } from '../../src/server/auth/key-store.ts';
import { serve } from '../cli/commands/serving.ts';
import { newFolder } from '../support/folder.ts';
import { problemOf } from '../support/service/client.ts';
import { ownTrainedHome } from '../support/service/serving.ts';
import { until } from '../support/until.ts';
import { openEvents } from '../support/web/events.ts';
import { browserAt, cookiesOf, type SignedIn, submitKey } from '../support/web/platform.ts';
import { createdRun, filesOfRun } from '../support/web/runs.ts';
import { slowHistory } from '../support/web/slow-history.ts';
import { idIn, startTraining, stateIn } from '../support/web/started-training.ts';
import { uploaded } from '../support/web/uploaded.ts';
import { slowUpload } from '../support/web/uploads.ts';

/** A server in a process of its own, and a browser that has signed in. */
async function serving(t: TestContext, home: string, key: string) {
  const server = await serve(t, { ROWCAST_HOME: home });
  return { ...server, browser: await browserAt(server.url, cookiesOf(await submitKey(server.url, key))) };
}

const everything = { reports: 'all', scopes: ['predict', 'platform'] } as const;

const kill = async (
  child: { kill(signal: NodeJS.Signals): boolean } & NodeJS.EventEmitter,
): Promise<void> => {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
};

const start = (browser: SignedIn, data: string): Promise<Response> =>
  startTraining({ browser, data }, { column: slowHistory.column, report: 'slow' });

describe('a server that is killed', () => {
  it('in a training: another server does not take it for interrupted before, and everyone does after', async t => {
    const home = await newFolder(t);
    const data = await uploaded(home, slowHistory.csv());
    const key = await addKey(home, 'ann', everything);
    const [first, second] = [await serving(t, home, key), await serving(t, home, key)];
    const id = await idIn(await start(first.browser, data));
    for await (const event of await openEvents(first.browser, `/platform/trainings/${id}/events`))
      if (stateIn(event.data).step === 'comparing models') break;

    const page = `/data/${data}/predict?training=${id}`;
    assert.match(await second.browser.page(page), /data-status="running"/);
    const refused = await start(second.browser, data);
    assert.ok((await refused.clone().text()).includes(id));
    assert.equal(await problemOf(refused), '409 training_running');
    const cancel = await second.browser.fetch(`/platform/trainings/${id}/cancel`, { method: 'POST' });
    assert.equal(await problemOf(cancel), '409 not_running_here');

    await kill(first.child);
    assert.match(await second.browser.page(page), /The training was interrupted/);
    const third = await serving(t, home, key);
    assert.match(await third.browser.page(page), /The training was interrupted/);
    const next = await start(third.browser, data);
    assert.equal(next.status, 201, 'the lock of the killed one is taken over');
    assert.match(await third.browser.page(page), /The training was interrupted/);
    await kill(third.child);
    await second.end();
  });

  it('while it scores a file: the run is interrupted, has no output, and can be deleted', async t => {
    const home = await ownTrainedHome(t);
    const key = await addKey(home, 'ann', everything);
    const first = await serving(t, home, key);
    const id = await createdRun(first.browser);
    const upload = slowUpload(first, 'PUT', `/platform/runs/${id}/input`);
    upload.write(`monthly amount,plan,__proto__\n${'25.5,Basic,3\n'.repeat(5_000)}`);
    await until(async () => (await filesOfRun({ home }, id)).includes('input'), 'it is stored');
    const download = assert.rejects(first.browser.fetch(`/platform/runs/${id}/output`), 'it is cut off');
    await kill(first.child);
    await download;

    const second = await serving(t, home, key);
    assert.match(
      await second.browser.page('/runs'),
      new RegExp(`data-run="${id}" data-status="interrupted"`),
    );
    const output = await second.browser.fetch(`/platform/runs/${id}/output`);
    assert.equal(await problemOf(output), '404 no_output');
    assert.equal((await second.browser.submit(`/platform/runs/${id}/delete`)).status, 303);
    assert.match(await second.browser.page('/runs'), /No file was scored here yet/);
    await second.end();
  });
});
