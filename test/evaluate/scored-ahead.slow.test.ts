import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { open, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { RowcastError } from '../../src/base/errors.ts';
import { Interrupted } from '../../src/base/interrupted.ts';
import { evaluationOf } from '../../src/evaluate/evaluation-of.ts';
import { type EvaluatedFiles, tallyFiles } from '../../src/evaluate/tally-files.ts';
import { makeFifo } from '../support/fifo.ts';
import { newFolder } from '../support/folder.ts';
import { parquetOf } from '../support/parquet.ts';
import { root } from '../support/root.ts';
import { startRowcast } from '../support/rowcast.ts';
import { uniform } from './data-sets.ts';
import { facts } from './facts.ts';

type Files = Pick<EvaluatedFiles, 'scored' | 'labels'> & Partial<EvaluatedFiles>;

/** Threads that were started since the test began, and those of them that run. */
function threads(t: TestContext): { started: number; running: number } {
  const count = { started: 0, running: 0 };
  const onWorker = (worker: Worker): void => {
    count.started++;
    count.running++;
    worker.on('exit', () => count.running--);
  };
  process.on('worker', onWorker);
  t.after(() => process.off('worker', onWorker));
  return count;
}

/** The JSON of an evaluation, and the list of keys, or what the error says. */
async function evaluated(files: Files, aheadFrom: number): Promise<string> {
  try {
    const tallied = await tallyFiles({
      key: ['id'],
      predict: 'left',
      maxRecordBytes: 1 << 20,
      ...files,
      aheadFrom,
    });
    const { tally, joined, segments, lookalikes, unmatched } = tallied;
    const evaluation = evaluationOf(tally, { ...facts, joined }, segments);
    return JSON.stringify({ evaluation, lookalikes, listed: unmatched?.text }, null, 1);
  } catch (error) {
    if (!(error instanceof RowcastError)) throw error;
    const { code, message, severity, location, hint } = error;
    return JSON.stringify({ code, message, severity, location, hint });
  }
}

/** What both ways give, which must be the same. */
async function bothWays(files: Files): Promise<string> {
  const ahead = await evaluated(files, 0);
  assert.equal(ahead, await evaluated(files, Number.POSITIVE_INFINITY));
  return ahead;
}

const HEADER = 'id,plan,probability_no,probability_yes,predicted_left\n';
const rowOf = (i: number): string => {
  const yes = uniform(1, i);
  return `C${i},${['basic', 'plus', 'pro'][i % 3]},${1 - yes},${yes},${yes > 0.4 ? 'yes' : 'no'}\n`;
};
const rows = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => rowOf(from + i)).join('');
const labels = (every: number, count: number): string =>
  `id,left\n${Array.from({ length: count }, (_, i) => `C${(i * 7919 * every) % 40_000},${uniform(2, i) < 0.4 ? 'yes' : 'no'}\n`).join('')}`;

describe('scored files that a thread reads ahead', () => {
  it('give the same bytes as those that are read here, of any format, several, and by rows', async t => {
    const one = HEADER + rows(0, 10_000);
    const folder = await newFolder(t, {
      'one.csv': one,
      'one.csv.gz': gzipSync(one),
      'one.parquet': await parquetOf(one),
      'one.jsonl': Array.from({ length: 2000 }, (_, i) => {
        const yes = uniform(1, i);
        return `${JSON.stringify({ id: `C${i}`, plan: 'pro', probability_no: 1 - yes, probability_yes: yes })}\n`;
      }).join(''),
      'more.csv': `predicted_left,probability_yes,id,probability_no,plan\nyes,0.7,"C,1",0.3,new\nno,0.2,,0.8,\n`,
      'labels.csv': `${labels(3, 9000)}C1,maybe\n,no\n"C,1",yes\n`,
      'two.csv': `left,plan,id\nyes,pro,C2\nno,basic,C3\nno,pro,C4\n,plus,C7\n`,
      'ordered.csv': `left\n${Array.from({ length: 10_000 }, (_, i) => (uniform(3, i) < 0.5 ? 'yes\n' : 'no\n')).join('')}`,
    });
    const paths = (...names: string[]): string[] => names.map(name => join(folder, name));
    const count = threads(t);
    const figures = new Set<string>();
    for (const [names, more] of [
      [['one.csv'], {}],
      [['one.csv.gz'], {}],
      [['one.parquet'], {}],
      [['one.csv', 'more.csv'], { by: ['plan', 'id'] }],
      [['one.jsonl'], { by: ['plan'] }],
      [['one.csv'], { maxTableBytes: 1 << 16 }],
      [['one.csv'], { key: ['id', 'plan'], labels: paths('two.csv') }],
      [['one.csv'], { classes: ['yes', 'no'], key: [], labels: paths('ordered.csv') }],
      [['one.csv'], { key: [], labels: paths('labels.csv') }],
    ] as const)
      figures.add(await bothWays({ scored: paths(...names), labels: paths('labels.csv'), ...more }));
    // One run for each way of reading; the three files with the same rows have the same figures.
    assert.deepEqual([count.started, count.running, figures.size], [9, 0, 7]);
  });

  it('give the same whatever the rows are', async t => {
    const folder = await newFolder(t);
    const [scored, label] = [join(folder, 's.csv'), join(folder, 'l.csv')];
    const key = fc.oneof(fc.nat(40).map(String), fc.constantFrom('', 'é', '"a,b"', 'customer-0000001'));
    const probability = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom('', 'x', 2));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(key, probability, fc.constantFrom('a', 'b', '')), { maxLength: 60 }),
        fc.array(fc.tuple(key, fc.constantFrom('yes', 'no', 'Yes', '')), { maxLength: 60 }),
        fc.constantFrom(undefined, 1 << 11),
        async (scoredRows, labelRows, maxTableBytes) => {
          await writeFile(
            scored,
            `id,plan,probability_no,probability_yes\n${scoredRows.map(([id, p, plan]) => `${id},${plan},${1 - Number(p)},${p}\n`).join('')}`,
          );
          await writeFile(label, `id,left\n${labelRows.map(([id, left]) => `${id},${left}\n`).join('')}`);
          await bothWays({ scored: [scored], labels: [label], by: ['plan'], maxTableBytes });
        },
      ),
      { numRuns: 15 },
    );
  });

  it('end with an error of the thread, its file and line, or a limit of malformed rows', async t => {
    const bad = `${rows(0, 15_000)}C,pro,0.5\n${rows(15_000, 15_100)}`;
    const folder = await newFolder(t, {
      'first.csv': HEADER + rows(15_100, 15_200),
      'bad.csv': HEADER + bad,
      'open.csv': `${HEADER}${rows(0, 9000)}"C,pro,0.5\n`,
      'other.csv': 'id,plan,probability_no\n',
      'labels.csv': labels(3, 5000),
    });
    const scored = (...names: string[]): Files => ({
      scored: names.map(name => join(folder, name)),
      labels: [join(folder, 'labels.csv')],
    });
    const count = threads(t);
    const malformed = JSON.parse(await bothWays(scored('first.csv', 'bad.csv')));
    assert.deepEqual(
      [malformed.code, malformed.severity, malformed.location],
      ['too_few_fields', 'refused', { file: join(folder, 'bad.csv'), line: 15_002, row: 15_001 }],
    );
    const limit = { rows: 1 };
    const open = JSON.parse(await bothWays({ ...scored('open.csv'), maxRejects: limit }));
    assert.deepEqual([open.code, open.severity, open.location.line], ['unclosed_quote', 'refused', 9002]);
    const other = JSON.parse(await bothWays(scored('first.csv', 'other.csv')));
    assert.deepEqual([other.code, other.location.file], ['no_such_column', join(folder, 'other.csv')]);
    const tooMany = JSON.parse(await bothWays({ ...scored('bad.csv', 'bad.csv'), maxRejects: limit }));
    assert.equal(tooMany.code, 'too_many_rejects');
    assert.match(tooMany.message, /^2 of 30,102 rows are malformed|^2 of [\d,]+ rows are malformed: 2 × /);
    const within = JSON.parse(await bothWays({ ...scored('bad.csv'), maxRejects: limit }));
    assert.equal(within.evaluation.coverage.rows, 15_100);
    assert.deepEqual([count.started, count.running], [5, 0]);
  });

  it('are left when the signal is aborted, in either phase, and the thread has ended', async t => {
    const folder = await newFolder(t, {
      's.csv': HEADER + rows(0, 20_000),
      'l.csv': labels(1, 20_000),
    });
    const count = threads(t);
    for (const phase of [/labels/, /scored rows/]) {
      const controller = new AbortController();
      const onStep = (step: string): void => {
        if (phase.test(step)) controller.abort();
      };
      const files = { scored: [join(folder, 's.csv')], labels: [join(folder, 'l.csv')], onStep };
      await assert.rejects(evaluated({ ...files, signal: controller.signal }, 0), Interrupted);
    }
    assert.deepEqual([count.started, count.running], [2, 0]);
  });

  it('are left by a command that is interrupted while it waits for labels', async t => {
    const folder = await newFolder(t, { 's.csv': HEADER + rows(0, 180_000) });
    assert.ok((await stat(join(folder, 's.csv'))).size > 8 << 20);
    const fifo = await makeFifo(join(folder, 'l.csv'));
    const args = 'evaluate s.csv --labels l.csv --key id --predict left --summary e.json';
    const { child, finished } = startRowcast(args.split(' '), { cwd: folder });
    const writer = await open(fifo, 'w'); // now it reads
    child.kill('SIGINT');
    const { code, signal, stderr } = await finished;
    await writer.close();
    assert.ok(code === 130 || signal === 'SIGINT', `${code} ${signal}: ${stderr}`);
    assert.match(stderr, /SIGINT: the evaluation is stopped/);
    assert.deepEqual((await readdir(folder)).sort(), ['l.csv', 's.csv']);
  });
});

describe('the temporary files of an evaluation', () => {
  it('are gone after kill -9, and the next evaluation is right', async t => {
    const folder = await newFolder(t, {
      's.csv': HEADER + rows(0, 30_000),
      'l.csv': labels(1, 70_000),
      'tmp/README': '',
    });
    const files = {
      scored: [join(folder, 's.csv')],
      labels: [join(folder, 'l.csv')],
      maxTableBytes: 1 << 16,
    };
    const tmp = join(folder, 'tmp');
    // It looks at its open files when scored rows are read, and kills itself.
    const script = `
      import { readdirSync, readlinkSync } from 'node:fs';
      import { tallyFiles } from ${JSON.stringify(join(root, 'dist/src/evaluate/tally-files.js'))};
      const linkOf = fd => { try { return readlinkSync('/proc/self/fd/' + fd); } catch { return ''; } };
      await tallyFiles({ ...${JSON.stringify(files)}, key: ['id'], predict: 'left', maxRecordBytes: 1 << 20, onStep(step) {
        if (!step.includes('scored rows')) return;
        console.log(readdirSync('/proc/self/fd').map(linkOf).filter(link => link.startsWith(process.env.TMPDIR)).join('\\n'));
        process.kill(process.pid, 'SIGKILL');
      } });`;
    const { signal, stdout } = await new Promise<{ signal: string | undefined; stdout: string }>(resolve => {
      const env = { PATH: process.env.PATH, TMPDIR: tmp };
      execFile(process.execPath, ['--input-type=module', '-e', script], { env }, (error, stdout) =>
        resolve({ signal: error?.signal, stdout }),
      );
    });
    assert.equal(signal, 'SIGKILL');
    assert.match(stdout, /\/tmp\/rowcast-\w+\/rows \(deleted\)\n/);
    assert.deepEqual(await readdir(tmp), ['README']);
    const { maxTableBytes: _, ...undivided } = files;
    const sorted = (text: string): unknown => {
      const { evaluation, listed } = JSON.parse(text);
      return { evaluation, listed: listed.split('\n').sort() };
    };
    assert.deepEqual(sorted(await bothWays(files)), sorted(await bothWays(undivided)));
  });
});
