import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { firstAttempt } from '../../../src/runs/attempt.ts';
import type { Checkpoint } from '../../../src/runs/checkpoint/checkpoint.ts';
import { type RepairOptions, repair } from '../../../src/runs/repair/repair.ts';
import { newRowCounts } from '../../../src/scoring/row-counts.ts';
import { identity } from '../../support/file-output.ts';
import { runs } from '../../support/random-tests.ts';
import { repairBench } from '../../support/scoring/repairs.ts';

/** Lines of an input: a row that is scored, rejected by the service or malformed, or a blank line. */
type Line = 'good' | 'bad' | 'short' | 'blank' | 'quoted';
const texts: Readonly<Record<Line, (id: number) => string>> = {
  good: id => `${id},x`,
  bad: id => `${id},bad`,
  short: id => `${id}`,
  blank: () => '',
  quoted: id => `${id},"two\nlines"`,
};
/** What becomes of the rejected rows: their records in the rejects file end in these. */
const correct = (text: string, isLeft: (id: number) => boolean = () => false): string =>
  text
    .replaceAll(/^(.*,)(\d+),bad$/gm, (record, start, id) =>
      isLeft(Number(id)) ? record : `${start}${id},good`,
    )
    .replaceAll(/^(\d+,\d+,too_few_fields,"[^"]*",)(\d+)$/gm, (record, start, id) =>
      isLeft(Number(id)) ? record : `${start}${id},good`,
    );

async function bench(t: TestContext) {
  const { repairing, verifying, ...others } = await repairBench(t, 'in.csv');
  const { at, read, scoring } = others;
  /** Corrects the rejects file, and scores it. */
  const scoreCorrected = async (isLeft?: (id: number) => boolean): Promise<void> => {
    await writeFile(at('corrected'), correct(await read('out.csv.rejects'), isLeft));
    await scoring('corrected', 'corrected.csv');
  };
  return {
    ...others,
    repairing: (more: Partial<RepairOptions> = {}) => repairing('out.csv', more),
    verifying: (output = 'out.csv', more = {}) => verifying(output, more),
    scoreCorrected,
  };
}

const inputOf = (lines: readonly Line[], ending = '\n'): string =>
  `id,value${ending}${lines.map((kind, id) => texts[kind](id) + ending).join('')}`;

describe('a repaired output', () => {
  it('is the output of the corrected input, byte for byte, and verifies', async t => {
    const { folder, at, scoring, repairing, verifying, read, scoreCorrected } = await bench(t);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<Line>('good', 'bad', 'short', 'blank', 'quoted'), { maxLength: 30 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.func(fc.boolean()),
        async (lines, ending, isLeft) => {
          for (const name of await readdir(folder)) await rm(at(name));
          const [first, ...others] = lines;
          const kinds: Line[] = [...(first === undefined ? [] : [first]), ...others, 'short'];
          const text = inputOf(kinds, ending);
          await writeFile(at('in.csv'), text);
          // Also if all of its rows are malformed.
          await scoring('in.csv', 'out.csv', { maxRejects: { percent: 100 } });
          const before = kinds.filter(kind => kind === 'bad' || kind === 'short').length;

          // Some of them first, then all that are left.
          await scoreCorrected(isLeft);
          const { placed, left } = await repairing();
          assert.equal(placed + left, before);
          const tally = await verifying();
          assert.deepEqual([tally.repaired, tally.unscored + tally.malformed], [placed, left]);
          if (left > 0) {
            await scoreCorrected();
            assert.equal((await repairing()).placed, left);
            await verifying();
          }
          assert.ok(!(await readdir(folder)).includes('out.csv.rejects'));

          const whole = inputOf(kinds, ending).replaceAll(/(\d),bad/g, '$1,good');
          const short = new RegExp(`(^|${ending})(\\d+)(?=${ending})`, 'g');
          await writeFile(at('whole.csv'), whole.replaceAll(short, '$1$2,good'));
          await scoring('whole.csv', 'expected.csv');
          assert.equal(await read('out.csv'), await read('expected.csv'));
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('is verified strictly: any other change of a row is found', async t => {
    const { at, scoring, repairing, verifying, read, scoreCorrected } = await bench(t);
    await writeFile(at('in.csv'), inputOf(['good', 'bad', 'short', 'good']));
    await scoring('in.csv', 'out.csv');
    await scoreCorrected();
    await repairing();
    const [output, repaired] = [await read('out.csv'), await read('out.csv.repaired')];
    const lines = output.split('\n');
    for (const [name, text] of [
      ['out.csv', output.replace('\n0,x', '\n0,y')],
      ['out.csv', lines.toSpliced(2, 1).join('\n')],
      ['out.csv', lines.toSpliced(3, 1).join('\n')],
      ['out.csv', output.replace(/1,good,[^\n]*/, '1,good,,')],
      ['out.csv', output.replace(/1,good,[^,]*/, '1,good,2')],
      ['out.csv.repaired', repaired.replace('\n2,3,', '\n2,4,')],
      ['out.csv.repaired', repaired.replace('too_few_fields', 'other')],
      ['out.csv.repaired', repaired.split('\n').toSpliced(1, 1).join('\n')],
    ] as const) {
      await writeFile(at(name), text);
      await assert.rejects(verifying(), { code: 'difference' }, text);
      await writeFile(at('out.csv'), output);
      await writeFile(at('out.csv.repaired'), repaired);
    }
    assert.deepEqual(await verifying(), { ...(await verifying()), repaired: 2, scored: 4 });
  });

  it('may be compressed, and its rejects file named', async t => {
    const { folder, at, scoring, repairing, verifying, read } = await bench(t);
    await writeFile(at('in.csv'), inputOf(['bad', 'good', 'short']));
    await scoring('in.csv', 'out.csv.gz', { rejects: at('left') });
    await writeFile(at('corrected'), correct(await read('left')));
    await scoring('corrected', 'corrected.csv.gz');
    const files = { output: at('out.csv.gz'), corrected: at('corrected.csv.gz'), rejects: at('left') };
    assert.deepEqual(await repairing(files), { placed: 2, already: 0, left: 0 });
    assert.match(await read('out.csv.gz'), /\n0,good,.*\n1,x,.*\n2,good,/);
    assert.equal(await read('left'), 'reject_row,reject_line,reject_code,reject_reason,id,value\n');
    await verifying('out.csv.gz', { rejects: at('left') });
    assert.deepEqual(await repairing(files), { placed: 0, already: 2, left: 0 });
    assert.deepEqual(
      (await readdir(folder)).filter(name => /partial|checkpoint|lock/.test(name)),
      [],
    );
  });

  it('may be repaired again: what is there already is compared, and nothing is written', async t => {
    const { folder, at, scoring, repairing, read, scoreCorrected } = await bench(t);
    await writeFile(at('in.csv'), inputOf(['bad', 'good', 'short', 'blank', 'bad']));
    await scoring('in.csv', 'out.csv');
    await scoreCorrected(id => id === 4);
    await writeFile(at('first.csv'), await read('corrected.csv'));
    assert.deepEqual(await repairing(), { placed: 2, already: 0, left: 1 });
    assert.deepEqual(await repairing(), { placed: 0, already: 2, left: 1 });
    // What was left comes in another file.
    await scoreCorrected();
    assert.deepEqual(await repairing(), { placed: 1, already: 0, left: 0 });
    const [names, text] = [(await readdir(folder)).sort(), await read('out.csv')];
    assert.deepEqual(await repairing(), { placed: 0, already: 1, left: 0 });
    assert.deepEqual(await repairing({ corrected: at('first.csv') }), { placed: 0, already: 3, left: 0 });
    assert.deepEqual((await readdir(folder)).sort(), names);
    assert.equal(await read('out.csv'), text);

    const first = await read('first.csv');
    for (const [from, to, message] of [
      ['0,good', '0,other', /row 1 was repaired before, with other values/],
      ['\n1,2,', '\n2,3,', /row 2 is not in the rejects file/],
    ] as const) {
      await writeFile(at('corrected.csv'), first.replace(from, to));
      await assert.rejects(repairing(), { code: 'bad_corrections', message });
    }
    // A named rejects file stays, so it must be there.
    await assert.rejects(repairing({ rejects: at('other') }), { code: 'no_rejects' });
  });

  it('loses what a repair left when it is scored again', async t => {
    const { folder, at, scoring, repairing, scoreCorrected } = await bench(t);
    await writeFile(at('in.csv'), inputOf(['bad', 'good']));
    await scoring('in.csv', 'out.csv');
    await scoreCorrected();
    await repairing();
    assert.ok((await readdir(folder)).includes('out.csv.repaired'));
    await scoring('in.csv', 'out.csv');
    assert.ok(!(await readdir(folder)).includes('out.csv.repaired'));
    await writeFile(at('out.csv.repaired'), 'mine');
    await assert.rejects(scoring('in.csv', 'out.csv'), { code: 'foreign_file' });
  });
});

describe('a repair is refused, and nothing is changed', () => {
  const columns = 'reject_row,reject_line,reject_code,reject_reason';
  const scored = `${columns},id,value,probability_no,probability_yes`;
  for (const [what, text, error] of [
    ['with another header', `${columns},id,probability_no,probability_yes\n`, /header is not reject_row/],
    [
      'with a row that was not rejected',
      `${scored}\n1,2,bad,no,0,x,0.5,0.5\n`,
      /row 1 is not in the rejects file/,
    ],
    ['with a row beyond the end', `${scored}\n9,10,bad,no,9,x,0.5,0.5\n`, /row 9 is not in the rejects file/],
    [
      'with rows out of order',
      `${scored}\n4,5,bad,no,3,x,0.5,0.5\n2,3,bad,no,1,x,0.5,0.5\n`,
      /row 2 comes after row 4/,
    ],
    ['with a row twice', `${scored}\n${'2,3,bad,no,1,x,0.5,0.5\n'.repeat(2)}`, /row 2 comes after row 2/],
    ['with invalid probabilities', `${scored}\n2,3,bad,no,1,x,0.5,0.6\n`, /probabilities sum to 1.1/],
    ['with too few fields', `${scored}\n2,3,bad,no,1,0.5,0.5\n`, /the record has 7 fields, the header 8/],
    [
      'with a row number that is none',
      `${scored}\nx,3,bad,no,1,x,0.5,0.5\n`,
      /reject_row is not the number of a row/,
    ],
  ] as const)
    it(what, async t => {
      const { folder, at, scoring, repairing, verifying, read } = await bench(t);
      await writeFile(at('in.csv'), inputOf(['good', 'bad', 'good', 'bad']));
      await scoring('in.csv', 'out.csv');
      const before = [await read('out.csv'), await read('out.csv.rejects')];
      await writeFile(at('corrected.csv'), text);
      await assert.rejects(repairing(), { code: 'bad_corrections', severity: 'refused', message: error });
      assert.deepEqual([await read('out.csv'), await read('out.csv.rejects')], before);
      assert.deepEqual((await readdir(folder)).sort(), [
        'corrected.csv',
        'in.csv',
        'out.csv',
        'out.csv.rejects',
      ]);
      await verifying();
    });

  it('without rejects, or with an unfinished run', async t => {
    const { at, scoring, repairing } = await bench(t);
    await writeFile(at('in.csv'), inputOf(['good', 'bad']));
    await writeFile(at('corrected.csv'), `${scored}\n`);
    await assert.rejects(repairing(), { code: 'no_such_file', location: { file: at('out.csv') } });
    await writeFile(at('out.csv'), 'id,value,probability_no,probability_yes\n');
    await assert.rejects(repairing(), { code: 'no_rejects' });
    await scoring('in.csv', 'out.csv');
    // As a run that was killed while it scored leaves it.
    await writeFile(at('out.csv.checkpoint'), JSON.stringify(checkpointOfKilledRun));
    await writeFile(at('out.csv.partial'), '');
    await assert.rejects(repairing(), { code: 'unfinished' });
  });
});

/** Before its first batch was written. */
const checkpointOfKilledRun: Checkpoint = {
  format: 1,
  state: 'running',
  attempt: firstAttempt(),
  fingerprint: identity.fingerprint,
  position: { offset: 9, row: 1, line: 2 },
  prefix: { offset: 9, blocks: '', digest: 'x' },
  output: { bytes: 0, uncompressed: 0, tail: 'x' },
  rejects: { bytes: 0, tail: 'x' },
  rowCounts: newRowCounts(),
};

it('a repair needs a local file', async () => {
  const unread = { corrected: 'none.csv', private: false, maxRecordBytes: 1 };
  await assert.rejects(repair({ output: '-', ...unread }), {
    code: 'usage',
    message: 'repair needs an output that is a local file',
  });
});
