import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import type { PredictionType } from '../../src/base/contract/predictions.ts';
import { runOptions } from '../../src/base/options/score.ts';
import { resolveValues } from '../../src/base/options/values/resolve-options.ts';
import { describeRejects, repairCommands } from '../../src/cli/repair-commands.ts';

const local = { kind: 'local', home: resolve('.rowcast') } as const;
interface RunFacts {
  input: string;
  home: string;
  prediction: PredictionType;
}
const commandsOf = (
  flags: Record<string, string | boolean>,
  { input = 'in.csv', home = local.home, prediction }: Partial<RunFacts> = {},
) => {
  const values = resolveValues(runOptions, { report: 'churn', output: 'out.csv', ...flags });
  const address = { kind: 'local', home } as const;
  return repairCommands({
    values,
    input,
    address,
    rejects: values.rejects ?? 'out.csv.rejects',
    env: {},
    prediction,
  });
};

const told = (flags: Record<string, string>, input = 'in.csv'): string => {
  const values = resolveValues(runOptions, { report: 'churn', output: 'out.parquet', ...flags });
  return describeRejects({ values, input, address: local, rejects: `${values.output}.rejects`, env: {} });
};

describe('the commands after correcting rejects', () => {
  it('score the rejects and put them back', () => {
    assert.deepEqual(commandsOf({}), [
      'rowcast score out.csv.rejects --report churn -o out.csv.corrected',
      'rowcast repair out.csv out.csv.corrected',
    ]);
  });

  it('have the options of the run that affect the output, and no others', () => {
    const [score] = commandsOf({
      prediction: true,
      nulls: 'NA,"a,b"',
      types: 'zip=categorical',
      limit: '5',
      'batch-rows': '7',
      summary: 's.json',
      restart: true,
      'max-rejects': '5',
    });
    for (const flag of ['--prediction', `--nulls 'NA,"a,b"'`, '--types zip=categorical'])
      assert.ok(score.includes(` ${flag} `), score);
    assert.doesNotMatch(score, /limit|batch|summary|restart|max-rejects/);
  });

  it('name what their files do not say: dialect, rejects file and folder of the reports', () => {
    assert.deepEqual(commandsOf({ rejects: 'my rejects' }, { input: 'in.tsv.gz', home: '/models' }), [
      "rowcast score 'my rejects' --report churn --home /models --delimiter tab --quote none -o out.csv.corrected",
      "rowcast repair out.csv out.csv.corrected --rejects 'my rejects' --delimiter tab --quote none",
    ]);
  });

  it('say what was predicted, where the columns do not', () => {
    for (const [prediction, flags] of [
      [{ kind: 'distribution', classes: ['no', 'yes'] }, ''],
      [{ kind: 'numbers', names: [] }, ''],
      [{ kind: 'numbers', names: ['mean', 'upper'] }, ' --kind numbers'],
      [{ kind: 'label' }, ' --kind label'],
    ] as const) {
      const [score, repair] = commandsOf({}, { prediction });
      assert.ok(!score.includes('--kind'));
      assert.equal(repair, `rowcast repair out.csv out.csv.corrected${flags}`);
    }
  });

  it('have the options that decide the columns of the output, written as a flag takes them', () => {
    const [score, repair] = commandsOf({
      keep: '"last, first",id',
      rename: 'id=key',
      probabilities: 'yes',
      threshold: 'yes=0.3,no=0.1',
      'output-header': false,
      'max-record-bytes': '2MiB',
      private: true,
      prediction: true,
    });
    const shape =
      '--keep \'"last, first",id\' --rename id=key --probabilities yes --threshold yes=0.3,no=0.1'.split(
        / (?=--)/,
      );
    for (const flag of [...shape, '--max-record-bytes 2097152', '--private']) {
      assert.ok(score.includes(` ${flag}`), `${flag}: ${score}`);
      assert.ok(repair.includes(` ${flag}`), `${flag}: ${repair}`);
    }
    // A rejects file always has a header, and only the output says whether it has one.
    assert.match(repair, / --no-output-header/);
    assert.doesNotMatch(score, /output-header/);
    assert.match(score, / --prediction/);
  });

  it('reuse the output if its run has reused another, unless what made it is elsewhere or it is Parquet', () => {
    const reuse = { reuse: 'old.csv', 'reuse-max-age': '1d' };
    assert.match(told({ ...reuse, output: 'out.csv' }), / --reuse-max-age 86400 .*--reuse out\.csv -o /);
    for (const output of ['s3://bucket/out.csv', 'out.parquet'])
      assert.doesNotMatch(told({ ...reuse, output }), /--reuse/);
  });

  it('are not those of a rejects file that was scored: its rows belong to the first output', () => {
    const values = resolveValues(runOptions, { report: 'churn', output: 'out.csv.corrected' });
    const run = { values, input: 'out.csv.rejects', address: local, env: {} };
    const text = describeRejects({ ...run, rejects: 'out.csv.corrected.rejects', isAgain: true });
    assert.match(
      text,
      /^the rows that were rejected again are in out\.csv\.corrected\.rejects, .*; correct them in out\.csv\.rejects and run the same command again/,
    );
    assert.doesNotMatch(text, /rowcast score|corrected\.corrected/);
  });

  it('are not named for an output of another format than its rejects', () => {
    const toldOf = (input: string, output: string, format?: string): string => {
      const values = resolveValues(runOptions, { report: 'churn', output });
      return describeRejects({
        values,
        input,
        format,
        address: local,
        rejects: `${output}.rejects`,
        env: {},
      });
    };
    // What the first bytes say counts, whatever the name is.
    assert.match(toldOf('-', 'out.csv', 'jsonl'), /cannot be repaired$/);
    assert.match(toldOf('in.log', 'out.jsonl', 'jsonl'), /rowcast repair/);
    for (const [input, output] of [
      ['in.jsonl', 'out.csv.gz'],
      ['in.jsonl', 'out.parquet'],
      ['in.csv', 'out.jsonl'],
    ] as const)
      assert.match(toldOf(input, output), /an output of another format than its rejects cannot be repaired$/);
    for (const [input, output] of [
      ['in.jsonl', 'out.jsonl'],
      ['in.parquet', 'out.csv'],
      ['in.parquet', 'out.jsonl'],
      ['in.csv', 'out.parquet'],
    ] as const)
      assert.match(toldOf(input, output), /rowcast repair/);
  });

  it('are not named for Parquet whose rejects are not delimited as its text is', () => {
    for (const flags of [{ delimiter: ';' }, { quote: "'" }, { escape: '\\' }])
      assert.match(told(flags), /Parquet of a CSV without commas, or with other quotes, cannot be repaired$/);
    assert.match(told({}, 'in.tsv'), /cannot be repaired$/);
    assert.match(told({}), /rowcast repair/);
    assert.match(told({ delimiter: ';', output: 'out.csv' }), /rowcast repair/);
  });

  it('are not named for a Parquet output that lacks columns of its rejects', () => {
    for (const flags of [{}, { keep: 'a', output: 'out.csv' }, { keep: 'a,b', features: 'a' }])
      assert.match(told(flags, 'in.parquet'), /rowcast repair/);
    for (const text of [told({ keep: 'a' }, 'in.parquet'), told({ keep: 'a,b', features: 'a' })])
      assert.equal(
        text,
        'the rejected rows are in out.parquet.rejects; correct them in the input and score it again, or score the corrected rows into a file of their own: Parquet that lacks columns cannot be repaired',
      );
  });
});
