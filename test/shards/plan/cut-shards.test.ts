import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import { csvFormat } from '../../../src/formats/csv/csv-format.ts';
import type { InputRange, Position } from '../../../src/formats/records/position.ts';
import { ModelScorer } from '../../../src/models/local/model-scorer.ts';
import { reportHash } from '../../../src/runs/checkpoint/fingerprint.ts';
import { cutRecords, SHARD_UNIT } from '../../../src/shards/plan/cut-shards.ts';
import { openSource } from '../../../src/storage/backends.ts';
import { newFolder } from '../../support/folder.ts';
import { job } from '../../support/scoring/job.ts';
import { score } from '../../support/scoring/score.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { slow } from '../../support/slow.ts';

async function cutsOf(options: RunValues): Promise<{ cuts: Position[]; end: Position }> {
  const source = await openSource(options.input);
  const { layout, rest } = await csvFormat.readLayout(source, options);
  const { maxRecordBytes, limit } = options;
  const { signal: stop } = new AbortController();
  const cutting = cutRecords({
    source,
    layout,
    rest,
    start: layout.start,
    shardBytes: SHARD_UNIT,
    maxRecordBytes,
    limit,
    stop,
  });
  const cuts = [layout.start];
  for (;;) {
    const { value, done } = await cutting.next();
    if (done) {
      source.close();
      return { cuts, end: value };
    }
    cuts.push(value);
  }
}

/** Scores an input once in one run, and once in shards, in reverse order. */
async function compare(t: TestContext, text: string, suffix: string, more: Partial<RunValues> = {}) {
  const folder = await newFolder(t);
  const input = join(folder, 'in.csv');
  await writeFile(input, text);
  const scorer = await ModelScorer.open({ home: await trainedHome(), threads: 1 });
  t.after(() => scorer.close());
  const options = (name: string) =>
    job({ input, output: join(folder, name + suffix), report: 'one', allowMissing: true, ...more });
  const whole = options('whole');
  const one = await score(whole, scorer.forRun().scorer);
  const { cuts, end } = await cutsOf(whole);
  const hash = reportHash(await scorer.describe('one'));
  const parts: { output: Buffer; rejects: Buffer; read: number; rejected: number; bytesIn: number }[] = [];
  for (const [i, start] of [...cuts.entries()].reverse()) {
    const range: InputRange = { start, end: cuts[i + 1]?.offset };
    const part = options(`part-${i}`);
    const result = await score(
      part,
      scorer.forRun().scorer,
      {},
      { part: { range, reportHash: hash, checkInput: () => {} } },
    );
    assert.ok(result);
    const { read, rejected, bytesIn } = result.rowCounts;
    const output = await readFile(part.output);
    const rejects = await readFile(`${part.output}.rejects`).catch(() => Buffer.alloc(0));
    parts.unshift({ output, rejects, read, rejected, bytesIn });
  }
  const joined = Buffer.concat(parts.map(part => part.output));
  assert.ok(joined.equals(await readFile(whole.output)), 'the outputs, one after the other');
  const sum = (of: 'read' | 'rejected' | 'bytesIn') => parts.reduce((total, part) => total + part[of], 0);
  assert.ok(one);
  assert.equal(sum('read'), one.rowCounts.read);
  assert.equal(sum('rejected'), one.rowCounts.rejected);
  assert.equal(sum('bytesIn'), one.rowCounts.bytesIn);
  assert.deepEqual([end.row, end.offset], [one.rowCounts.read + 1, one.rowCounts.bytesIn]);
  const withoutHeader = ({ rejects }: (typeof parts)[number]) => rejects.subarray(rejects.indexOf('\n') + 1);
  const wholeRejects = await readFile(`${whole.output}.rejects`);
  assert.ok(
    Buffer.concat(parts.map(withoutHeader)).equals(withoutHeader({ rejects: wholeRejects } as never)),
    'the rejects, with the rows and lines of the whole input',
  );
  return parts;
}

describe('an input that is cut into shards', () => {
  const text = hardCsv(3 << 20);

  it('gives the bytes of a single run, with the rows and lines of the whole input', async t => {
    assert.ok((await compare(t, text, '.csv')).length > 2);
  });

  slow('gives the same gzip members', async t => {
    await compare(t, text, '.csv.gz');
  });

  slow('ends at --limit', async t => {
    await compare(t, text, '.csv', { limit: 15_000, decimals: 3, keep: ['id'] });
  });

  it('of fewer bytes than a shard is one shard', async t => {
    assert.equal((await compare(t, hardCsv(10_000), '.csv')).length, 1);
  });
});
