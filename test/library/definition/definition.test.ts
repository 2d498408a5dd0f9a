import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Option } from '../../../src/base/options/option.ts';
import { loadDefinition } from '../../../src/library/definition/definition.ts';
import { sections } from '../../../src/library/definition/definition-schema.ts';
import { inspectDefinition } from '../../../src/library/definition/inspect-definition.ts';
import { newFolder } from '../../support/folder.ts';
import { root } from '../../support/root.ts';
import { readDefinition } from './read-definition.ts';

const least = { input: 'in.csv', report: 'r' };
const file = 'some/where/job.yaml';

/** Asserts that a definition is refused at a line, with words. */
function refused(text: string, line: number, message: RegExp): void {
  assert.throws(
    () => readDefinition(text, file),
    { code: 'bad_definition', severity: 'refused', location: { file, line }, message },
    text,
  );
}

describe('a definition', () => {
  it('resolves relative paths against its own folder; absolute paths and - stay', () => {
    const { score, train } = readDefinition(
      `train: { history: ../h.csv, predict: churn, report: r }
service: { api-key-file: key }
score: { input: in.csv, output: /abs/out.csv, report: r, prefix: in.csv }`,
      file,
    );
    assert.equal(train?.history, 'some/h.csv');
    assert.deepEqual(score, {
      input: 'some/where/in.csv',
      output: '/abs/out.csv',
      'api-key-file': 'some/where/key',
      report: 'r',
      prefix: 'in.csv',
    });
    const remote = readDefinition('score: { input: "s3://b/in.csv", report: r }', file);
    assert.equal(remote.score.input, 's3://b/in.csv');
    assert.equal(readDefinition('score: { input: "-", output: "-", report: r }', file).score.input, '-');
  });

  it('says where the local reports are, for the training and the scoring', () => {
    const { score, train } = readDefinition(
      'home: ../reports\ntrain: { history: h.csv, predict: churn, report: r }\nscore: { input: in.csv, report: r }',
      file,
    );
    assert.deepEqual([score.home, train?.home], ['some/reports', 'some/reports']);
  });

  it('resolves the path of every option that is one', () => {
    for (const [name, option] of Object.entries<Option>(sections.score))
      if (option.kind === 'path' && name !== 'input') {
        const { score } = readDefinition(`score: { input: in.csv, report: r, ${name}: x }`, file);
        assert.equal(score[name], 'some/where/x', name);
      }
  });

  it('shipped with the project can be run', async () => {
    const { score } = await loadDefinition(join(root, 'pipelines/demo.yaml'));
    assert.ok(String(score.input).startsWith(`${root}/`));
  });

  it('keeps values as written: types, wire, lists, sizes', () => {
    const text = `
service:
  wire: { predictions: results }
  batch-bytes: 2KiB
  timeout: 1.5
score:
  input: in.csv
  report: r
  types: { zip: categorical }
  nulls: [NA, "-"]
  prediction: true`;
    const { score } = readDefinition(text, 'job.yaml');
    assert.deepEqual(score, {
      ...least,
      types: { zip: 'categorical' },
      wire: { predictions: 'results' },
      nulls: ['NA', '-'],
      'batch-bytes': '2KiB',
      timeout: 1.5,
      prediction: true,
    });
  });
});

describe('a definition is refused, naming the line,', () => {
  const score = (...lines: string[]): string =>
    ['score:', '  input: in.csv', '  report: r', ...lines].join('\n');
  const service = (...lines: string[]): string => [score(), 'service:', ...lines].join('\n');

  it('for an unknown key, at any depth', () => {
    refused(service('  batch_rows: 10'), 5, /^service\.batch_rows: unknown key; did you mean batch-rows\?$/);
    refused(`${score()}\nscores: 1`, 4, /^scores: unknown key; did you mean score\?$/);
    refused(score('  timeout: 5'), 4, /^score\.timeout: unknown key; it is a key of service$/);
    refused(service('  wire:', '    ids: x'), 6, /service\.wire\.ids/);
    refused(score('  __proto__: 1'), 4, /__proto__/);
  });

  it('for a value of the wrong type or out of range', () => {
    refused(score('  prediction: "yes"'), 4, /score\.prediction/);
    refused(score('  limit: ten'), 4, /^score\.limit: expected a whole number, 0 or more, got "ten"$/);
    refused(service('  # a comment', '  batch-rows: 0'), 6, /service\.batch-rows/);
    refused(
      score('  types:', '    zip: categorial'),
      5,
      /^score\.types\.zip: expected one of numerical, categorical, date, date:dmy, date:mdy, integer, float, boolean, text, got "categorial"$/,
    );
    refused(score('  features: a,b'), 4, /^score\.features: expected a list of text values, got "a,b"$/);
    refused(score('  classes:', '    - no', '    - 1'), 4, /^score\.classes\.1: expected text, got 1$/);
    refused(score('  types:', '    a: date', '    zip: 1'), 6, /score\.types\.zip/);
    refused(
      `train: { history: a.csv, predict: y, report: r, types: { joined: 'date:ymd' } }\n${score()}`,
      1,
      /^train\.types\.joined: expected one of numerical, categorical, date, date:dmy, date:mdy, got "date:ymd"$/,
    );
    refused(service('  batch-bytes: 1KB'), 5, /service\.batch-bytes/);
    refused(service('  batch-bytes: 10'), 5, /service\.batch-bytes: .*1024/);
    refused(service('  batch-bytes: -5'), 5, /service\.batch-bytes/);
    refused(score('  max-record-bytes: 2GiB'), 4, /score\.max-record-bytes/);
  });

  it('for a missing key, at the line of the section that lacks it', () => {
    refused('about: x\nscore:\n  input: in.csv', 2, /^score\.report: required, but missing$/);
    refused('about: x', 1, /score/);
    refused('train:\n  predict: x\n  report: r\nscore: { input: a, report: r }', 1, /train\.history/);
  });

  it('for a report to train whose id cannot be a folder name', () => {
    refused(
      `train:\n  history: h.csv\n  predict: x\n  report: ../r\n${score()}`,
      4,
      /^train\.report: a report id is .*; got "\.\.\/r"$/,
    );
  });

  it('for invalid YAML', () => {
    refused('score:\n  input: [a\n', 3, /^invalid YAML: /);
    refused('score:\n  input: a\n  input: b\n', 3, /unique/);
    refused('score:\n  report: x: y\n', 2, /a second ': ', so it has two keys/);
    refused('score:\n\tinput: a\n', 2, /indented with a tab/);
    refused('', 1, /^[^:]/);
    refused('- score', 1, /^[^:]/);
    refused(`${score()}\n---\n${score()}`, 4, /./);
  });

  it('for the first error of syntax only, with what to do about it', () => {
    const { problems } = inspectDefinition('score:\n\tinput: a\n  report: x: y\n', 'a.yaml');
    assert.deepEqual(
      problems.map(({ location, hint }) => [location.line, hint]),
      [[2, 'Indent with spaces; all keys of a section begin in the same column.']],
    );
  });

  it('for an alias, which could expand a small file into a large one', () => {
    refused('score:\n  input: &a in.csv\n  report: *a\n', 3, /aliases such as \*a/);
    refused('score: &x\n  input: in.csv\n  report: *y\n', 3, /aliases such as \*y/);
  });

  it('and a missing one is named', async t => {
    const folder = await newFolder(t);
    await assert.rejects(loadDefinition(join(folder, 'none.yaml')), {
      code: 'no_such_file',
      location: { file: join(folder, 'none.yaml') },
    });
    await writeFile(join(folder, 'job.yaml'), 'score: { input: a, report: r, x: 1 }');
    await assert.rejects(loadDefinition(join(folder, 'job.yaml')), {
      location: { file: join(folder, 'job.yaml'), line: 1 },
    });
  });
});
