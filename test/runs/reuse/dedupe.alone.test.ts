import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { parquetOf } from '../../support/parquet.ts';
import { runs } from '../../support/random-tests.ts';
import { csv, history } from '../../support/service/history.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { type Stub, send, startStub } from '../../support/stub/service.ts';
import { rejectBadPlans } from './bad-plans.ts';

interface Row {
  plan: string;
  x: number | '';
  isMalformed: boolean;
}

/** A service that rejects a plan, and stops runs at its calls with these numbers. */
const service = (t: TestContext, stopsAt = new Set<number>()): Promise<Stub> =>
  startStub(t, {
    report: { classes: ['no', 'yes'], model_sha256: 'a'.repeat(64) },
    behave(call) {
      if (!stopsAt.delete(call.number)) return rejectBadPlans(call);
      send(call.response, 401, { error: 'no such key' });
      return true;
    },
  });

const formats = ['csv', 'csv.gz', 'jsonl', 'parquet'] as const;

/** Ids are not sent, so that rows are equal. */
async function fileOf(rows: readonly Row[], format: (typeof formats)[number]): Promise<Buffer> {
  const lines = rows.map(({ plan, x, isMalformed }, id) =>
    format === 'jsonl'
      ? JSON.stringify({ id, plan, x: x === '' ? null : x }) + (isMalformed ? '}' : '')
      : `${id},"${plan}",${x}${isMalformed && format !== 'parquet' ? ',1' : ''}`,
  );
  const text = `${(format === 'jsonl' ? lines : ['id,plan,x', ...lines]).join('\n')}\n`;
  if (format === 'parquet') return parquetOf(text, { groupRows: 7 });
  return format === 'csv.gz' ? gzipSync(text) : Buffer.from(text);
}

const files = fc.record({
  rows: fc.array(
    fc.record<Row>({
      plan: fc.constantFrom('a', 'b', 'bad', 'é\n'),
      x: fc.oneof({ weight: 9, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.constant('' as const) }),
      isMalformed: fc.integer({ min: 0, max: 14 }).map(number => number === 0),
    }),
    { minLength: 1, maxLength: 120 },
  ),
  format: fc.constantFrom(...formats),
  options: fc.constantFrom<string[]>([], ['--prediction', '--decimals', '2'], ['--rename', 'x=y']),
  batchRows: fc.integer({ min: 1, max: 30 }),
  stopsAt: fc.array(fc.integer({ min: 2, max: 12 }), { maxLength: 3 }),
});

const sentTo = ({ bodies }: Stub): string[] =>
  bodies.flatMap(({ personas }) => personas.map(({ features }) => JSON.stringify(features)));

describe('--dedupe', () => {
  it('gives the bytes of a run that sends all rows, also resumed, and sends each once', async t => {
    const stopsAt = new Set<number>();
    const stub = await service(t, stopsAt);
    const folder = await newFolder(t);
    const { env } = stub;
    await fc.assert(
      fc.asyncProperty(files, async ({ rows, format, options, batchRows, stopsAt: calls }) => {
        if (rows.every(({ isMalformed, plan }) => isMalformed || plan === 'bad')) return;
        const input = `in.${format}`;
        await writeFile(join(folder, input), await fileOf(rows, format));
        const outputs = ['full', 'once', 'stopped', 'reused'].map(name => `${name}.${format}`);
        const [full = '', once = '', stopped = '', reused = ''] = outputs;
        for (const name of outputs)
          for (const suffix of ['', '.rejects', '.reuse', '.checkpoint', '.partial'])
            await rm(join(folder, name + suffix), { force: true });
        const run = async (output: string, others: readonly string[]): Promise<number> => {
          const args = ['score', input, '-o', output, '--report', 'r', '--features', 'plan,x', ...options];
          args.push(
            '--batch-rows',
            `${batchRows}`,
            '--max-rejects',
            '100%',
            '--summary',
            'summary.json',
            ...others,
          );
          const { code, stderr } = await rowcast(args, { cwd: folder, env });
          assert.ok(code === 0 || code === 1 || stopsAt.size < calls.length, stderr);
          return Number(code);
        };
        const expectSame = async (output: string): Promise<void> => {
          for (const suffix of ['', '.rejects']) {
            const [one, other] = await Promise.all(
              [full, output].map(name => readFile(join(folder, name + suffix)).catch(() => undefined)),
            );
            assert.deepEqual(other, one, output + suffix);
          }
        };
        stub.bodies.length = 0;
        await run(full, []);
        const all = sentTo(stub);

        stub.bodies.length = 0;
        await run(once, ['--dedupe', '--reuse', 'none']);
        await expectSame(once);
        assert.deepEqual(sentTo(stub).toSorted(), [...new Set(all)].toSorted());
        const { rows: counts } = JSON.parse(await readFile(join(folder, 'summary.json'), 'utf8'));
        const scored = all.filter(each => !each.includes('"bad"'));
        assert.equal(counts.scored, scored.length);
        assert.equal(counts.equal, scored.length - new Set(scored).size);

        stub.bodies.length = 0;
        for (const call of calls) stopsAt.add(call);
        const args = ['--dedupe', '--checkpoint-interval', '0', '--concurrency', '2'];
        for (let attempt = 0; (await run(stopped, args)) > 1; attempt++) assert.ok(attempt < 4);
        stopsAt.clear();
        await expectSame(stopped);

        stub.bodies.length = 0;
        await run(reused, ['--dedupe', '--reuse', once]);
        await expectSame(reused);
        const rejected = new Set(all.filter(each => each.includes('"bad"')));
        assert.deepEqual(sentTo(stub).toSorted(), [...rejected].toSorted());
      }),
      { numRuns: runs(300, 6) },
    );
  });

  it('is refused for a local report', async t => {
    const folder = await newFolder(t);
    await writeFile(join(folder, 'in.csv'), csv(history({ rows: 20, seed: 1 })));
    await exits(
      rowcast(['score', 'in.csv', '-o', 'out.csv', '--report', 'one', '--dedupe'], {
        cwd: folder,
        env: { ROWCAST_HOME: await trainedHome() },
      }),
      2,
      /--dedupe: a local report predicts a row in the time/,
    );
  });
});
