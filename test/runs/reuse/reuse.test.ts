import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { newFolder } from '../../support/folder.ts';
import { rowcast } from '../../support/in-process.ts';
import { parquetOf } from '../../support/parquet.ts';
import { runs } from '../../support/random-tests.ts';
import { type Stub, startStub } from '../../support/stub/service.ts';
import { rejectBadPlans } from './bad-plans.ts';

/** A row: its id is not sent, so that rows may be equal. */
interface Row {
  id: number;
  plan: string;
  x: number | '';
  isMalformed: boolean;
}

/** A service that states its version, and rejects a plan. */
const service = (t: TestContext): Promise<Stub> =>
  startStub(t, {
    report: { classes: ['no', 'yes'], model_sha256: 'a'.repeat(64) },
    behave: rejectBadPlans,
  });

const formats = ['csv', 'csv.gz', 'jsonl', 'jsonl.gz', 'parquet'] as const;
type FormatName = (typeof formats)[number];

const HEADER = ['id', 'plan', 'x'];

async function fileOf(rows: readonly Row[], format: FormatName): Promise<Buffer> {
  const csv = (some: readonly Row[]): string =>
    `${[
      HEADER.join(','),
      ...some.map(
        ({ id, plan, x, isMalformed }) =>
          `${id},"${plan.replaceAll('"', '""')}",${x}${isMalformed ? ',1' : ''}`,
      ),
    ].join('\n')}\n`;
  if (format === 'parquet') return parquetOf(csv(rows.filter(row => !row.isMalformed)), { groupRows: 7 });
  const isLines = format.startsWith('jsonl');
  const text = isLines
    ? `${rows
        .map(
          ({ id, plan, x, isMalformed }) =>
            JSON.stringify({ id, plan, x: x === '' ? null : x }) + (isMalformed ? '}' : ''),
        )
        .join('\n')}\n`
    : csv(rows);
  return format.endsWith('.gz') ? gzipSync(text) : Buffer.from(text);
}

const plans = ['a', 'b', 'c,"d"', 'bad', 'é\n'];
const row = fc.record<Row>({
  id: fc.nat(1000),
  plan: fc.constantFrom(...plans),
  x: fc.oneof({ weight: 9, arbitrary: fc.nat(30) }, { weight: 1, arbitrary: fc.constant('' as const) }),
  isMalformed: fc.integer({ min: 0, max: 14 }).map(number => number === 0),
});

/** What becomes of a row of yesterday. */
const change = fc.oneof(
  { weight: 12, arbitrary: fc.constant({ kind: 'kept' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'deleted' } as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('changed' as const), by: row }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('inserted' as const), by: row }) },
);

const options = fc.constantFrom<string[]>(
  [],
  ['--prediction'],
  ['--decimals', '2', '--prediction'],
  ['--probabilities', 'yes', '--prediction'],
  ['--threshold', 'yes=0.9', '--probabilities', 'none'],
  ['--rename', 'x=y,probability_no=p'],
  ['--prefix', 'p'],
);

const nights = fc.record({
  rows: fc.array(fc.tuple(row, change), { minLength: 1, maxLength: 60 }),
  format: fc.constantFrom(...formats),
  options,
  isShuffled: fc.boolean(),
  batchRows: fc.integer({ min: 1, max: 20 }),
  order: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
});

const sentTo = ({ bodies }: Stub): string[] =>
  bodies.flatMap(({ personas }) => personas.map(({ features }) => JSON.stringify(features)));

describe('--reuse', () => {
  it('gives the bytes of a run that sends all rows, and sends those that it must', async t => {
    const stub = await service(t);
    const folder = await newFolder(t);
    await fc.assert(
      fc.asyncProperty(nights, async ({ rows, format, options: given, isShuffled, batchRows, order }) => {
        const before = rows.map(([own]) => own);
        let after = rows.flatMap(([own, what]) => {
          if (what.kind === 'kept') return [own];
          if (what.kind === 'deleted') return [];
          return what.kind === 'changed' ? [what.by] : [own, what.by];
        });
        if (isShuffled) {
          const places = new Map(after.map(each => [each, order.next().value ?? 0]));
          after = after.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
        }
        if (after.every(({ isMalformed }) => isMalformed) || before.every(({ isMalformed }) => isMalformed))
          return;
        const [old, now] = [`old.${format}`, `now.${format}`];
        await writeFile(join(folder, old), await fileOf(before, format));
        await writeFile(join(folder, now), await fileOf(after, format));
        const run = async (input: string, output: string, others: readonly string[]): Promise<string[]> => {
          stub.bodies.length = 0;
          const all = [
            'score',
            input,
            '-o',
            output,
            ...'--report r --features plan,x --max-rejects 100% --batch-rows'.split(' '),
            `${batchRows}`,
          ];
          const { code, stderr } = await rowcast([...all, ...given, ...others], {
            cwd: folder,
            env: stub.env,
          });
          assert.ok(code === 0 || code === 1, stderr);
          return sentTo(stub);
        };
        const outputs = ['first', 'reused', 'full'].map(name => `${name}.${format}`);
        const [first = '', reused = '', full = ''] = outputs;
        for (const name of outputs)
          for (const suffix of ['', '.rejects', '.reuse'])
            await rm(join(folder, name + suffix), { force: true });
        const known = new Set(await run(old, first, ['--reuse', 'none-yet']));
        const all = await run(now, full, []);
        const sent = await run(now, reused, ['--reuse', first, '--summary', 'summary.json']);
        for (const suffix of ['', '.rejects']) {
          const [one, other] = await Promise.all(
            [full, reused].map(name => readFile(join(folder, name + suffix)).catch(() => undefined)),
          );
          assert.deepEqual(other, one, suffix);
        }
        const wanted = all.filter(each => !known.has(each) || each.includes('"bad"'));
        assert.deepEqual(sent.toSorted(), wanted.toSorted());
        const { rows: counts } = JSON.parse(await readFile(join(folder, 'summary.json'), 'utf8'));
        assert.equal(counts.reused, all.length - wanted.length);
      }),
      { numRuns: runs(300, 6) },
    );
  });
});
