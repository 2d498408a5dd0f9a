import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunOption } from '../../../src/base/options/option.ts';
import { runOptions } from '../../../src/base/options/score.ts';
import { camelCase } from '../../../src/base/options/values/resolve-options.ts';
import type { Fingerprint } from '../../../src/runs/checkpoint/checkpoint.ts';
import { fingerprintOf } from '../../../src/runs/checkpoint/fingerprint.ts';
import { job } from '../../support/scoring/job.ts';

/** The fingerprint of a run. */
const fingerprintWith = (
  options: object,
  protocol?: string,
  batches?: { rows: number; bytes: number },
): Fingerprint =>
  fingerprintOf({
    input: { path: '/in.csv', size: 1, modified: 1, codec: 'none', contentSize: 1 },
    service: 'stub',
    protocol,
    report: { tech_specs: {}, drivers: [] },
    batches,
    rejects: undefined,
    options: job({ input: 'in.csv', output: 'out.csv', ...options }),
    layout: { format: 'csv', readAs: { delimiter: ',', quote: '"', loneCr: false } },
  });

/** As far as it depends on options. */
const optionsIn = (options: object): Record<string, string> => fingerprintWith(options).options;

describe('a fingerprint', () => {
  it('changes with every option that affects the output, and with no other', () => {
    const before = JSON.stringify(optionsIn({}));
    for (const [name, { affectsOutput }] of Object.entries<RunOption>(runOptions))
      assert.equal(
        JSON.stringify(optionsIn({ [camelCase(name)]: 'another' })) !== before,
        affectsOutput === true,
        name,
      );
  });

  it('has the limits of a batch if predictions depend on batches', () => {
    assert.deepEqual(
      ['--batch-rows', '--batch-bytes'].map(
        name => fingerprintWith({}, 'mlflow', { rows: 7, bytes: 900 }).options[name],
      ),
      ['7', '900'],
    );
    assert.ok(!('--batch-rows' in optionsIn({})));
  });

  it('has the protocol, unless it is that of the prediction report API', () => {
    assert.equal(fingerprintWith({}, 'mlflow').protocol, 'mlflow');
    for (const usual of [undefined, 'report']) assert.ok(!('protocol' in fingerprintWith({}, usual)));
  });

  it('is what it was before options had a table', () => {
    assert.deepEqual(optionsIn({ features: ['id'], limit: 5 }), {
      '--features': '["id"]',
      '--limit': '5',
      '--allow-missing': 'false',
      '--nulls': '[]',
      '--prediction': 'false',
    });
  });
});
