import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseResumeMethod, type Fingerprint } from '../../../src/runs/checkpoint/checkpoint.ts';

const fingerprint: Fingerprint = {
  input: { path: '/data/in.csv', size: 8000, modified: 1, codec: 'none' },
  format: 'csv',
  readAs: { delimiter: ',', quote: '"', loneCr: false },
  service: 'local',
  report: { id: 'churn', hash: 'x' },
  options: {},
};

describe('the decision to resume', () => {
  it('requires the same run; an input that was touched or renamed is read and compared first', () => {
    assert.equal(chooseResumeMethod(fingerprint, fingerprint, 'c'), 'seek');
    const renamed = { ...fingerprint, input: { ...fingerprint.input, path: '/data/in.tsv' } };
    assert.equal(chooseResumeMethod(fingerprint, renamed, 'c'), 'read');
  });

  it('seeks in an object of the same version, and reads one of another version or compression', () => {
    const object = { path: 'store://in.csv', size: 8000, modified: null, codec: 'none' };
    const methodOf = (saved: object, now: object): string =>
      chooseResumeMethod(
        { ...fingerprint, input: { ...object, ...saved } },
        { ...fingerprint, input: { ...object, ...now } },
        'c',
      );
    assert.equal(methodOf({ etag: 'v1' }, { etag: 'v1' }), 'seek');
    assert.equal(methodOf({ etag: 'v1' }, { etag: 'v2' }), 'read');
    assert.equal(methodOf({ codec: 'zstd' }, { codec: 'zstd' }), 'read');
    assert.throws(() => methodOf({}, { codec: 'zstd' }), {
      code: 'other_work',
      message: /the input was a plain file of 8,000 bytes, now it is a zstd file of 8,000 bytes\)$/,
    });
  });

  const other = { ...fingerprint.input, path: '/data/b.csv', size: 99 };
  const tabs = { delimiter: '\t', quote: 'none', loneCr: false };
  const changes: [what: string, now: Partial<Fingerprint>, says: RegExp][] = [
    [
      'input',
      { input: other },
      /the input was \/data\/in.csv, a plain file of .*, now it is \/data\/b\.csv, a plain file of 99 bytes\)$/,
    ],
    ['service', { service: 'https://a.example' }, /the service was local, now it is https:\/\/a\.example\)$/],
    ['protocol', { protocol: 'mlflow' }, /\(the protocol was report, now it is mlflow\)$/],
    ['format', { format: 'lines' }, /\(the input was read as csv, now as lines\)$/],
    [
      'dialect, whether detected or given as an option',
      { readAs: tabs },
      /the input was read with --delimiter ',', --quote '"', now with --delimiter tab, --quote none\)$/,
    ],
  ];
  for (const [what, now, message] of changes)
    it(`refuses another ${what}, naming both`, () => {
      const changed = { ...fingerprint, ...now };
      const refused = { code: 'other_work', message, hint: /--restart-if-changed/ };
      assert.throws(() => chooseResumeMethod(fingerprint, changed, 'c'), refused);
      assert.equal(chooseResumeMethod(changed, changed, 'c'), 'seek');
    });
});
