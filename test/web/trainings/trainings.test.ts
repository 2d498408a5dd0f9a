import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { isOfNumbers, problem } from '../../../src/base/contract/schemas.ts';
import { readReport } from '../../../src/models/store/report-store.ts';
import { startServer } from '../../../src/server/server.ts';
import { trainReport } from '../../../src/training/train.ts';
import { DataStore } from '../../../src/web/data/data-store.ts';
import { openPlatform } from '../../../src/web/platform.ts';
import { newTimedId } from '../../../src/web/stored-json.ts';
import { TrainingStore } from '../../../src/web/training-store.ts';
import { newFolder } from '../../support/folder.ts';
import { parquetOf } from '../../support/parquet.ts';
import { problemOf } from '../../support/service/client.ts';
import { slow } from '../../support/slow.ts';
import { allEvents, openEvents } from '../../support/web/events.ts';
import { ownedPlatform, signIn, signInWithKey } from '../../support/web/platform.ts';
import { slowHistory } from '../../support/web/slow-history.ts';
import {
  columnOf,
  idIn,
  platformWithData,
  startTraining,
  stateIn,
  stateOf,
  statesOf,
  trained,
} from '../../support/web/started-training.ts';
import { fixture, uploaded } from '../../support/web/uploaded.ts';
import { upload } from '../../support/web/uploads.ts';

describe('a training on the platform', () => {
  for (const format of ['csv', 'parquet'])
    slow(`makes the same report as the command line, and tells each step: ${format}`, async t => {
      const csv = await fixture('telecom-history.csv', 600);
      const at = await platformWithData(t, csv);
      if (format === 'parquet')
        at.data = (await upload(at.browser, await parquetOf(csv), 'history.parquet')).id;
      const column = columnOf(csv, 'churned');
      const page = await at.browser.page(`/data/${at.data}/predict?column=${column}`);
      assert.match(page, /value="history-churned"/);
      const answer = await at.browser.submit('/platform/trainings', {
        data: at.data,
        column: String(column),
        report: 'churn',
        seed: '5',
      });
      assert.equal(answer.status, 303);
      const path = answer.headers.get('location') ?? '';
      const id = new URL(path, at.url).searchParams.get('training');
      assert.match(await at.browser.page(path), new RegExp(`data-training="${id}" data-status="running"`));
      const events = await allEvents(await openEvents(at.browser, `/platform/trainings/${id}/events`));
      const states = events.map(({ data }) => stateIn(data));
      assert.equal(states.at(-1)?.status, 'finished');
      assert.ok(states.some(({ step }) => step === 'comparing models'));
      const numbers = events.map(event => Number(event.id));
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
      );
      // Who comes later gets the end only.
      assert.deepEqual(await statesOf(at, id ?? ''), states.slice(-1));
      assert.match(await at.browser.page(path), /href="\/predictions\/churn"/);

      const home = await newFolder(t);
      const report = await trainReport({
        historyFile: join(at.home, 'data', at.data, `data.${format}`),
        predict: 'churned',
        id: 'churn',
        seed: 5,
        home,
      });
      assert.deepEqual(await readReport(at.home, 'churn'), report);
    });

  slow('is the only one at a time, can be watched twice and cancelled, and leaves nothing', async t => {
    const at = await platformWithData(t, slowHistory.csv());
    const first = await startTraining(at, { column: slowHistory.column, report: 'slow' });
    assert.equal(first.status, 201);
    const { id, started_at } = stateIn(await first.json());
    const streams = [
      await openEvents(at.browser, `/platform/trainings/${id}/events`),
      await openEvents(at.browser, `/platform/trainings/${id}/events`),
    ];

    const second = await startTraining(at, { column: slowHistory.column, report: 'other' });
    assert.equal(second.status, 409);
    const { code, detail } = problem.parse(await second.json());
    assert.equal(code, 'training_running');
    for (const told of [id, '“outcome”', '“slow”', started_at]) assert.ok(detail.includes(told), detail);
    const page = await at.browser.page(`/data/${at.data}/predict?column=${slowHistory.column}`);
    assert.match(page, /Only one runs at a time/);
    assert.match(page, /<button class="button primary" type="submit" disabled>/);
    const whileBusy = await at.browser.submit('/platform/trainings', {
      data: at.data,
      column: slowHistory.column,
      report: 'other',
    });
    assert.equal(whileBusy.status, 409);
    assert.match(await whileBusy.text(), /Only one training runs at a time/);
    assert.equal((await at.browser.fetch(`/platform/data/${at.data}`, { method: 'DELETE' })).ok, false);

    const cancelled = await at.browser.submit(`/platform/trainings/${id}/cancel`);
    assert.equal(cancelled.status, 303);
    for (const stream of streams) {
      const last = (await allEvents(stream)).at(-1);
      assert.equal(stateIn(last?.data).status, 'cancelled');
    }
    assert.match(
      await at.browser.page(`/data/${at.data}/predict?training=${id}`),
      /The training was cancelled/,
    );
    assert.ok(!(await readdir(at.home)).includes('reports'));
    // The next one may start.
    const next = await startTraining(at, { column: slowHistory.column, report: 'next' });
    assert.equal(next.status, 201);
    await at.browser.submit(`/platform/trainings/${await idIn(next)}/cancel`);
  });

  slow('ends with the reason that training gives, and its place in the file', async t => {
    const rows = Array.from({ length: 60 }, (_, row) => `${row},same,${row % 2}`);
    const at = await platformWithData(t, `n,constant,y\n${rows.join('\n')}\n`);
    const { id, last } = await trained(at, { column: '2', report: 'r' });
    assert.deepEqual([last?.status, last?.problem?.code], ['failed', 'no_usable_columns']);
    assert.match(await at.browser.page(`/data/${at.data}/predict?training=${id}`), /No usable columns/);
  });

  it('is nothing for keys that are bound to reports', async t => {
    const csv = await fixture('telecom-history.csv', 100);
    const at = await platformWithData(t, csv);
    const bound = await signInWithKey(at, 'bound', { reports: ['churn'] });
    assert.equal(
      (await bound.fetch(`/data/${at.data}/predict`, { headers: { accept: 'text/html' } })).status,
      403,
    );
    for (const path of ['/platform/trainings', `/platform/trainings/${'0'.repeat(20)}/cancel`])
      assert.equal((await bound.submit(path, { _csrf: bound.csrfToken })).status, 403);
  });

  slow('refuses what it cannot train', async t => {
    const csv = await fixture('telecom-history.csv', 100);
    const at = await platformWithData(t, csv);
    const column = columnOf(csv, 'churned');
    for (const [fields, expected] of [
      [{ column: '99', report: 'r' }, '422 invalid_value'],
      [{ column: '-1', report: 'r' }, '400 malformed'],
      [{ report: 'r' }, '400 malformed'],
      [{ column, report: '../r' }, '422 invalid_value'],
      [{ column, report: '' }, '422 invalid_value'],
      [{ column, report: 'r', seed: 'x' }, '422 invalid_value'],
      [{ column, report: 'r', seed: '1e99' }, '422 invalid_value'],
      [{ column, report: 'r', bins: '21' }, '422 invalid_value'],
      [{ column: columnOf(csv, 'customer'), report: 'r' }, '422 invalid_value'],
      [{ column: columnOf(csv, 'monthly'), report: 'r', target: 'classes' }, '422 invalid_value'],
      [{ column, report: 'r', target: 'numbers' }, '422 invalid_value'],
      [{ column, report: 'r', target: 'other' }, '400 malformed'],
      [{ data: '../../keys', column, report: 'r' }, '404 no_such_data'],
      [{ data: '0'.repeat(16), column, report: 'r' }, '404 no_such_data'],
    ] as const)
      assert.equal(await problemOf(await startTraining(at, fields)), expected, JSON.stringify(fields));
    for (const id of ['0'.repeat(20), '..%2F..%2Fkeys', 'x'])
      assert.equal(
        await problemOf(await at.browser.fetch(`/platform/trainings/${id}/events`)),
        '404 no_such_training',
      );
  });

  slow('uses the types and exclusions of the data', async t => {
    const csv = await fixture('telecom-history.csv', 100);
    const home = await newFolder(t);
    const data = await uploaded(home, csv);
    const store = await DataStore.open(home, 2 ** 30);
    await store.changeSettings(data, () => ({
      types: [['support_calls', 'categorical']],
      excluded: ['tenure'],
    }));
    const at = { ...(await ownedPlatform(t, { home })), data };
    assert.match(
      await at.browser.page(`/data/${data}/predict?column=${columnOf(csv, 'churned')}`),
      /tenure.*you excluded it/,
    );
    await trained(at, { column: columnOf(csv, 'churned'), report: 'r' });
    const { columns } = await readReport(home, 'r');
    assert.equal(
      columns.find(({ name }) => name === 'tenure'),
      undefined,
    );
    assert.equal(columns.find(({ name }) => name === 'support_calls')?.type, 'categorical');
  });

  slow('replaces a report only if it was told to', async t => {
    const csv = await fixture('telecom-history.csv', 100);
    const at = await platformWithData(t, csv);
    const column = columnOf(csv, 'churned');
    const train = async (more: Record<string, string>) => {
      const response = await startTraining(at, { column, report: 'r', ...more });
      if (response.ok) await statesOf(at, await idIn(response.clone()));
      return response;
    };
    assert.equal((await train({})).status, 201);
    assert.equal(await problemOf(await train({})), '409 report_exists');
    assert.match(
      await (
        await at.browser.submit('/platform/trainings', { data: at.data, column: String(column), report: 'r' })
      ).text(),
      /there is already a report/i,
    );
    assert.equal((await train({ replace: 'yes', seed: '9' })).status, 201);
  });

  slow('predicts amounts as numbers, those that may be classes too, or ranges of them', async t => {
    const csv = await fixture('telecom-history.csv', 100);
    const at = await platformWithData(t, csv);
    for (const [column, more] of [
      ['monthly', {}],
      ['support_calls', { target: 'numbers', bins: '4' }],
    ] as const) {
      await trained(at, { column: columnOf(csv, column), report: column, ...more });
      const report = await readReport(at.home, column);
      assert.ok(isOfNumbers(report));
      assert.equal(report.predicts, column);
    }
    await trained(at, { column: columnOf(csv, 'monthly'), report: 'r', target: 'ranges', bins: '3' });
    assert.equal((await readReport(at.home, 'r')).classes?.length, 3);
  });

  slow('is aborted when the service shuts down, and reported as interrupted by the next one', async t => {
    const home = await newFolder(t);
    const data = await uploaded(home, slowHistory.csv());
    const platform = openPlatform({ dataBytes: 2 ** 30 });
    const service = await startServer({ home, host: '127.0.0.1', port: 0, extension: platform });
    const browser = await signIn({ url: service.url, home, platform });
    const at = { url: service.url, home, platform, data, browser };
    const id = await idIn(await startTraining(at, { column: slowHistory.column, report: 'r' }));
    const events = allEvents(await openEvents(browser, `/platform/trainings/${id}/events`));
    assert.equal(await service.close(), 0, 'no connection was cut');
    assert.equal((await events).at(-1)?.event, 'closed');
    const next = await ownedPlatform(t, { home });
    assert.match(await next.browser.page(`/data/${data}/predict?training=${id}`), /was interrupted/);
  });
});

async function storeFor(t: TestContext): Promise<{ home: string; store: TrainingStore }> {
  const home = await newFolder(t);
  const store = new TrainingStore(home);
  await (await store.lock('none'))();
  return { home, store };
}

describe('stored trainings', () => {
  it('are running while a process holds the lock for them, and interrupted after it', async t => {
    const { home, store } = await storeFor(t);
    const running = stateOf();
    const release = await store.lock(running.id);
    await store.write(running);
    const other = new TrainingStore(home);
    assert.equal((await other.read(running.id))?.status, 'running');
    assert.deepEqual(await other.running(), running);
    await release();
    assert.equal((await other.read(running.id))?.status, 'interrupted');
    assert.equal(await other.running(), undefined);
  });

  it('are interrupted even if another training runs', async t => {
    const { store } = await storeFor(t);
    const [killed, running] = [stateOf(), stateOf()];
    await store.write(killed);
    const release = await store.lock(running.id);
    await store.write(running);
    const statuses = (await store.list()).map(({ id, status }) => [id === killed.id, status]);
    assert.deepEqual(
      new Map(statuses as [boolean, string][]),
      new Map([
        [true, 'interrupted'],
        [false, 'running'],
      ]),
    );
    await release();
  });

  it('are locked out by a process that trains', async t => {
    const { store } = await storeFor(t);
    const release = await store.lock(newTimedId());
    await assert.rejects(store.lock(newTimedId()), { code: 'locked' });
    await release();
    await (await store.lock(newTimedId()))();
  });

  it('are listed from the newest, and the oldest are forgotten', async t => {
    const { store } = await storeFor(t);
    const ids: string[] = [];
    for (let i = 0; i < 60; i++) {
      const id = i.toString(16).padStart(20, '0');
      ids.push(id);
      await store.write(stateOf({ id, status: 'finished' }));
    }
    await store.prune();
    assert.deepEqual(
      (await store.list()).map(({ id }) => id),
      ids.reverse().slice(0, 50),
    );
  });

  it('are kept as long as the report that they made exists', async t => {
    const { home, store } = await storeFor(t);
    await mkdir(join(home, 'reports', 'churn'), { recursive: true });
    const made = stateOf({ id: '1'.padStart(20, '0'), status: 'finished' });
    await store.write({ ...made, id: '0'.repeat(20) });
    await store.write(made);
    for (let i = 2; i < 60; i++)
      await store.write(stateOf({ id: i.toString(16).padStart(20, '0'), status: 'cancelled' }));
    await store.prune();
    const kept = await store.list();
    assert.deepEqual([kept.length, kept.at(-1)], [51, made]);
  });

  it('that are damaged, and other files, are left out', async t => {
    const { home, store } = await storeFor(t);
    const whole = stateOf({ status: 'failed', problem: { code: 'one_class', message: 'm', hint: null } });
    await store.write(whole);
    const folder = join(home, 'trainings');
    await writeFile(join(folder, `${'a'.repeat(20)}.json`), '{"format": 1');
    await writeFile(join(folder, `${'b'.repeat(20)}.json`), '{"format": 2}');
    await writeFile(join(folder, 'notes.json'), '{}');
    await mkdir(join(folder, 'c'.repeat(20)));
    assert.deepEqual(await store.list(), [whole]);
    for (const id of ['', '../keys/own', 'a'.repeat(21), '..', `${'a'.repeat(20)}\n`])
      assert.equal(await store.read(id), undefined);
    assert.ok((await readdir(folder)).includes('notes.json'));
  });
});
