import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runOptions } from '../../../src/base/options/score.ts';
import { pinnedOptions } from '../../../src/shards/plan/pinned-options.ts';

/** All options, each with its own name as value. */
const defined = Object.fromEntries(Object.keys(runOptions).map(name => [name, name]));

describe('a plan of shards', () => {
  const { options, settings } = pinnedOptions({}, defined, path => `/${path}`);

  it('keeps the pace, the limits and the result files that all workers share, and absolute paths', () => {
    assert.deepEqual(
      Object.values(settings).sort(),
      [
        ...['max-requests-per-second', 'max-rows-per-second', 'max-record-bytes', 'max-group-bytes'],
        ...[
          'max-rejects',
          'rejects-ok',
          'max-mismatches',
          'max-missing',
          'max-unseen',
          'min-rows',
          'max-drift',
        ],
        ...['private', 'checksum', 'checkpoint-interval', 'dedupe'],
        ...['reuse-max-age', 'reuse-memory', 'reuse-sample', 'price-per-1000'],
        ...['/compare', '/summary', '/summary-html', '/metrics', '/lineage'],
      ].sort(),
    );
  });

  it('keeps what decides the bytes of the output, also what a checkpoint records apart', () => {
    for (const name of ['features', 'decimals', 'delimiter', 'quote', 'escape', 'input-format', 'protocol'])
      assert.equal(options[name], name);
  });

  it('leaves service, key and requests at a time to each worker', () => {
    for (const name of ['url', 'api-key-file', 'concurrency', 'timeout', 'batch-rows', 'threads', 'home'])
      assert.ok(!(name in options) && !(name in settings), name);
  });
});
