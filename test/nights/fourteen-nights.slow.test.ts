import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fillDisk, noSmallDisk } from '../cluster/harness/small-disk.ts';
import { root } from '../support/root.ts';
import { NightlyJob } from './job.ts';

const personas = readFileSync(join(root, 'fixtures/telecom-personas.csv'), 'utf8');
const [header = ''] = personas.split('\n', 1);
const rows = personas.slice(header.length + 1);

/** The export of a day: ten times the 2,000 customers of the fixture. */
const exportOf = (day: number): string =>
  `${header}\n${Array.from({ length: 10 }, (_, i) => rows.replaceAll('P-', `D${day}-${i}-`)).join('')}`;

it('fourteen nights of the shipped job need a person only where a person has to decide', {
  timeout: 600_000,
}, async t => {
  const job = await NightlyJob.begin(t);
  let exports = 0;
  /** An export that was complete before the first attempt. */
  const personasOf = async (text: string) => {
    await writeFile(job.path('personas.csv'), text);
    const anHourAgo = Date.now() / 1000 - 3_600;
    await utimes(job.path('personas.csv'), anHourAgo, anHourAgo + exports++);
  };
  const arrives = (text: string) => writeFile(job.path('personas.csv'), text);
  const scored = () => readFile(job.path('scored.csv'), 'utf8');

  /** The attempt has scored the whole export of the day, and nobody is told anything. */
  const assertWell = async (attempt: { code: number; mail: string }, day: number) => {
    assert.deepEqual(attempt, { code: 0, mail: '' });
    const { status, rows, exit_code } = await job.summary();
    assert.deepEqual(
      { status, scored: rows.scored, exit_code },
      { status: 'finished', scored: 20_000, exit_code: 0 },
    );
    const metrics = await job.metrics();
    assert.equal(metrics.get('exit_code'), 0);
    assert.equal(metrics.get('rows scored'), 20_000);
    const output = await scored();
    assert.ok(output.includes(`D${day}-9-`), 'it has the rows of the day');
    assert.equal(output.split('\n').length, exportOf(day).split('\n').length);
  };
  /** What the last good night has found is still there, and the metrics say how tonight has ended. */
  const assertFailed = async (code: number, error: string) => {
    const summary = await job.summary();
    assert.deepEqual([summary.exit_code, summary.error?.code], [code, error]);
    assert.equal((await job.metrics()).get('exit_code'), code);
  };

  await t.test('1: all is well', async () => {
    await personasOf(exportOf(1));
    await assertWell(await job.attempt(), 1);
    // The other attempts of the night find the work done.
    assert.deepEqual(await job.attempt('last'), { code: 0, mail: '' });
    const { status, last } = await job.summary();
    assert.deepEqual([status, last?.rows.scored], ['skipped', 20_000]);
    assert.equal((await job.metrics()).get('rows scored'), 20_000);
  });

  await t.test('2: the export is late', async () => {
    await rm(job.path('personas.csv'));
    assert.deepEqual(await job.attempt('usual', { isFast: true }), { code: 75, mail: '' });
    await assertFailed(75, 'input_not_ready');
    const waiting = job.attempt();
    await job.says(/waiting for/);
    await arrives(exportOf(2));
    await assertWell(await waiting, 2);
  });

  await t.test('3: the export is still being written', async () => {
    const whole = exportOf(3);
    const part = Math.ceil(whole.length / 10);
    await arrives(whole.slice(0, part));
    const waiting = job.attempt();
    for (let end = 2 * part; end < whole.length + part; end += part) {
      await sleep(200);
      await arrives(whole.slice(0, end));
    }
    await assertWell(await waiting, 3);
  });

  await t.test(
    '3, still: the export is cut off in the middle of a row, and nobody writes it any more',
    async () => {
      const before = await scored();
      await personasOf(exportOf(4).slice(0, -1_500_000));
      const { code, mail } = await job.attempt();
      assert.equal(code, 3, mail);
      assert.match(mail, /fewer than 50% of the 20,000 of the last good run \[under_min_rows\]/);
      await assertFailed(3, 'under_min_rows');
      assert.equal(await scored(), before);
      // It is written once more.
      await personasOf(exportOf(4));
      await assertWell(await job.attempt(), 4);
    },
  );

  await t.test('4: the export is empty', async () => {
    await personasOf('');
    assert.deepEqual(await job.attempt('usual', { isFast: true }), { code: 75, mail: '' });
    await personasOf(`${header}\n`);
    const { code, mail } = await job.attempt('last', { isFast: true });
    assert.equal(code, 75);
    assert.match(mail, /personas\.csv: .*\[input_not_ready\]/);
    await assertFailed(75, 'input_not_ready');
    assert.ok((await scored()).includes('D4-0-'), 'the output of yesterday is still there');
  });

  await t.test('5: the export is that of yesterday', async () => {
    await personasOf(exportOf(5));
    await assertWell(await job.attempt(), 5);
    await personasOf(exportOf(5));
    const { code, mail } = await job.attempt();
    assert.equal(code, 3);
    assert.match(mail, /\[same_as_last\]/);
    await assertFailed(3, 'same_as_last');
  });

  await t.test('6: its columns have other names', async () => {
    await personasOf(exportOf(6).replace('tenure', 'Tenure'));
    const { code, mail } = await job.attempt();
    assert.equal(code, 3);
    assert.match(mail, /personas\.csv:1: .*"tenure" \[missing_columns\]/);
    await assertFailed(3, 'missing_columns');
  });

  await t.test('7: the model was trained again', async () => {
    const history = readFileSync(join(root, 'fixtures/telecom-history.csv'), 'utf8').split('\n');
    await writeFile(job.path('history.csv'), `${history.slice(0, 4_000).join('\n')}\n`);
    const train = ['--predict', 'churned', '--report', 'churn', '--if-exists', 'replace'];
    await job.administer('train', job.path('history.csv'), ...train);
    await personasOf(exportOf(7));
    await assertWell(await job.attempt(), 7);
  });

  await t.test('8: the service is down for an hour', async () => {
    await personasOf(exportOf(8));
    await job.service.shut();
    assert.deepEqual(await job.attempt('usual', { isFast: true }), { code: 75, mail: '' });
    await assertFailed(75, 'service_unreachable');
    assert.deepEqual(await job.attempt('usual', { isFast: true }), { code: 75, mail: '' });
    await job.service.open();
    await assertWell(await job.attempt(), 8);
  });

  await t.test('9: the machine is killed', async () => {
    await personasOf(exportOf(9));
    const held = job.service.holdAfter(100_000);
    const run = job.start();
    await Promise.race([held, once(run, 'close')]);
    while (!existsSync(job.path('scored.csv.checkpoint'))) await sleep(10);
    run.kill('SIGKILL');
    await once(run, 'close');
    job.service.release();
    await assertWell(await job.attempt(), 9);
    const { runs } = await job.summary();
    const [{ attempts, resumed_from_row } = {}] = runs ?? [];
    assert.equal(attempts, 2);
    assert.ok(Number(resumed_from_row) > 1);
  });

  await t.test('10: the disk is full', { skip: noSmallDisk }, async () => {
    await personasOf(exportOf(10));
    const free = fillDisk(job.folder);
    assert.deepEqual(await job.attempt(), { code: 75, mail: '' });
    free();
    await assertWell(await job.attempt('last'), 10);
  });

  await t.test('11: two attempts run at the same time', async () => {
    await personasOf(exportOf(11));
    const held = job.service.holdAfter(2_000);
    const first = job.attempt();
    await held;
    const second = await job.attempt('last');
    assert.equal(second.code, 75);
    assert.match(second.mail, /another run is writing this file/);
    job.service.release();
    await assertWell(await first, 11);
  });

  await t.test('12: the machine is off, and the night after it is as any other', async () => {
    await personasOf(exportOf(12));
    await personasOf(exportOf(13));
    await assertWell(await job.attempt(), 13);
  });

  await t.test('13: the customers have changed', async () => {
    await personasOf(exportOf(14).replaceAll(/,(?:"?)(?:North|South)(?:"?),/g, ',West,'));
    assert.deepEqual(await job.attempt(), { code: 0, mail: '' });
    const { warnings } = await job.summary();
    assert.ok(
      warnings.some(({ code }) => code === 'drift'),
      JSON.stringify(warnings),
    );
    assert.match(readFileSync(job.path('nightly.log'), 'utf8'), /significant change in "region"/);
    const [, psi] =
      readFileSync(job.path('metrics.prom'), 'utf8').match(
        /^rowcast_run_column_psi\{.*column="region".*\} (.*)$/m,
      ) ?? [];
    assert.ok(Number(psi) > 0.25, psi);
  });

  await t.test('14: the key was rotated', async () => {
    await personasOf(exportOf(15));
    const key = await job.addKey('next');
    await job.administer('keys', 'revoke', 'night');
    const { code, mail } = await job.attempt();
    assert.notEqual(code, 0);
    assert.match(mail, /ROWCAST_API_KEY/);
    job.key = key;
    await assertWell(await job.attempt('last'), 15);
  });
});
