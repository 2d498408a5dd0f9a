import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { flagsOf, readSettings } from '../../../src/library/definition/settings.ts';
import { readDefinition } from './read-definition.ts';

const text =
  'train: { history: h.csv, predict: p, report: r }\nscore: { input: in.csv, report: r, limit: 5 }';

const read = (...set: string[]) => readDefinition(text, 'dir/job.yaml', { settings: readSettings(set) });

describe('--set', () => {
  it('reaches every member, also those that have no flag', () => {
    const { train, score } = read(
      'train.seed=7',
      'score.limit=9',
      'score.prediction=true',
      'score.features=a,"b,c"',
      'score.types.zip.code=categorical',
      'service.wire.id=model',
      'service.max-outage=30m',
    );
    assert.equal(train?.seed, 7);
    assert.deepEqual(score, {
      input: 'dir/in.csv',
      report: 'r',
      limit: 9,
      prediction: true,
      features: ['a', 'b,c'],
      types: { 'zip.code': 'categorical' },
      wire: { id: 'model' },
      'max-outage': '30m',
    });
  });

  it('has paths relative to the working directory', () => {
    const { train, score } = read('train.history=other.csv', 'score.output=x.csv', 'home=reports');
    assert.deepEqual(
      [train?.history, score.output, score.home],
      ['other.csv', 'x.csv', 'reports'].map(path => resolve(path)),
    );
  });

  it('gives flags for what has one, so that it goes over the environment', () => {
    const settings = readSettings([
      'service.url=https://a.example',
      'score.features=a',
      'home=h',
      'train.seed=7',
      'service.api-key-env=ROWCAST_A',
    ]);
    assert.deepEqual(flagsOf(settings), {
      url: 'https://a.example',
      features: ['a'],
      home: 'h',
      'api-key-env': 'ROWCAST_A',
    });
  });

  it('with a wrong path or value is refused by its own name, not by a line', () => {
    const refused = (set: string, message: RegExp) =>
      assert.throws(() => read(set), { code: 'bad_option', message, location: {} });
    refused('score.limit=ten', /^--set score\.limit: expected a whole number/);
    refused('score.limt=1', /^--set score\.limt: unknown key; did you mean limit\?$/);
    refused('train.limit=1', /^--set train\.limit: unknown key; it is a key of score$/);
    for (const set of ['score.limit', '=1', 'score.=1', '.x=1', ''])
      refused(set, /^--set: expected PATH=VALUE/);
  });
});
