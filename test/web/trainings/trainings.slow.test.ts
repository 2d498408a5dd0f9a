import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOfNumbers } from '../../../src/base/contract/schemas.ts';
import { readReport } from '../../../src/models/store/report-store.ts';
import { newFolder } from '../../support/folder.ts';
import { problemOf } from '../../support/service/client.ts';
import { allEvents, openEvents } from '../../support/web/events.ts';
import { servingPlatform, signIn } from '../../support/web/platform.ts';
import { slowHistory } from '../../support/web/slow-history.ts';
import { columnOf, idIn, platformWithData, startTraining } from '../../support/web/started-training.ts';
import { fixture, uploaded } from '../../support/web/uploaded.ts';

describe('a training on the platform', () => {
  it('uses the types and exclusions of the data', async t => {
    const csv = await fixture('telecom-history.csv', 100);
    const home = await newFolder(t);
    const data = await uploaded(home, csv);
    const { DataStore } = await import('../../../src/web/data/data-store.ts');
    const store = await DataStore.open(home, 2 ** 30);
    await store.changeSettings(data, () => ({
      types: [['support_calls', 'categorical']],
      excluded: ['tenure'],
    }));
    const target = await servingPlatform(t, { home });
    const at = { ...target, data, browser: await signIn(target) };
    assert.match(
      await at.browser.page(`/data/${data}/predict?column=${columnOf(csv, 'churned')}`),
      /tenure.*you excluded it/,
    );
    const id = await idIn(await startTraining(at, { column: columnOf(csv, 'churned'), report: 'r' }));
    await allEvents(await openEvents(at.browser, `/platform/trainings/${id}/events`));
    const { columns } = await readReport(home, 'r');
    assert.equal(
      columns.find(({ name }) => name === 'tenure'),
      undefined,
    );
    assert.equal(columns.find(({ name }) => name === 'support_calls')?.type, 'categorical');
  });

  it('replaces a report only if it was told to', async t => {
    const csv = await fixture('telecom-history.csv', 100);
    const at = await platformWithData(t, csv);
    const column = columnOf(csv, 'churned');
    const train = async (more: Record<string, string>) => {
      const response = await startTraining(at, { column, report: 'r', ...more });
      if (response.ok)
        await allEvents(await openEvents(at.browser, `/platform/trainings/${await idIn(response)}/events`));
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

  it('predicts amounts as numbers, or those that may be classes', async t => {
    const csv = await fixture('telecom-history.csv', 100);
    const at = await platformWithData(t, csv);
    for (const [column, more] of [
      ['monthly', {}],
      ['support_calls', { target: 'numbers', bins: '4' }],
    ] as const) {
      const body = { column: columnOf(csv, column), report: column, ...more };
      const id = await idIn(await startTraining(at, body));
      await allEvents(await openEvents(at.browser, `/platform/trainings/${id}/events`));
      const report = await readReport(at.home, column);
      assert.ok(isOfNumbers(report));
      assert.equal(report.predicts, column);
    }
  });

  it('predicts ranges of amounts', async t => {
    const csv = await fixture('telecom-history.csv', 100);
    const at = await platformWithData(t, csv);
    const id = await idIn(
      await startTraining(at, { column: columnOf(csv, 'monthly'), report: 'r', target: 'ranges', bins: '3' }),
    );
    await allEvents(await openEvents(at.browser, `/platform/trainings/${id}/events`));
    assert.equal((await readReport(at.home, 'r')).classes?.length, 3);
  });

  it('is aborted when the service shuts down, and reported as interrupted by the next one', async t => {
    const home = await newFolder(t);
    const data = await uploaded(home, slowHistory.csv());
    const { openPlatform } = await import('../../../src/web/platform.ts');
    const { startServer } = await import('../../../src/server/server.ts');
    const platform = openPlatform({ dataBytes: 2 ** 30 });
    const service = await startServer({ home, host: '127.0.0.1', port: 0, extension: platform });
    const browser = await signIn({ url: service.url, home, platform });
    const at = { url: service.url, home, platform, data, browser };
    const id = await idIn(await startTraining(at, { column: slowHistory.column, report: 'r' }));
    const events = allEvents(await openEvents(browser, `/platform/trainings/${id}/events`));
    assert.equal(await service.close(), 0, 'no connection was cut');
    assert.equal((await events).at(-1)?.event, 'closed');
    const next = await servingPlatform(t, { home });
    assert.match(await (await signIn(next)).page(`/data/${data}/predict?training=${id}`), /was interrupted/);
  });
});
