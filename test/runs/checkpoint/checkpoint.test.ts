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

  it('refuses another input, naming both', () => {
    const other = { ...fingerprint.input, path: '/data/b.csv', size: 99 };
    assert.throws(() => chooseResumeMethod(fingerprint, { ...fingerprint, input: other }, 'c'), {
      code: 'other_work',
      message: new RegExp(
        `the input was ${fingerprint.input.path}, a plain file of .*, now it is /data/b\\.csv, a plain file of 99 bytes\\)$`,
      ),
      hint: /--restart-if-changed/,
    });
  });

  it('refuses another service', () => {
    assert.throws(
      () => chooseResumeMethod({ ...fingerprint, service: 'https://a.example' }, fingerprint, 'c'),
      {
        code: 'other_work',
        message: /\(the service was https:\/\/a\.example, now it is local\)$/,
      },
    );
  });

  it('refuses another protocol; without a name it is that of the prediction report API', () => {
    assert.throws(() => chooseResumeMethod(fingerprint, { ...fingerprint, protocol: 'mlflow' }, 'c'), {
      code: 'other_work',
      message: /\(the protocol was report, now it is mlflow\)$/,
    });
    const named = { ...fingerprint, protocol: 'mlflow' };
    assert.equal(chooseResumeMethod(named, named, 'c'), 'seek');
  });

  it('refuses another format', () => {
    assert.throws(() => chooseResumeMethod(fingerprint, { ...fingerprint, format: 'lines' }, 'c'), {
      code: 'other_work',
      message: /\(the input was read as csv, now as lines\)$/,
    });
  });

  it('refuses another dialect, whether detected or given as an option', () => {
    const other = { ...fingerprint, readAs: { delimiter: '\t', quote: 'none', loneCr: false } };
    assert.throws(() => chooseResumeMethod(fingerprint, other, 'c'), {
      code: 'other_work',
      message:
        /the input was read with --delimiter ',', --quote '"', now with --delimiter tab, --quote none\)$/,
    });
  });
});
