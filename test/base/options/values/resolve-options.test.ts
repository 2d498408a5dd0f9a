import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Option } from '../../../../src/base/options/option.ts';
import { runOptions as options } from '../../../../src/base/options/score.ts';
import { resolveValues } from '../../../../src/base/options/values/resolve-options.ts';

const resolve = (flags: Record<string, unknown>, defined: Record<string, unknown> = {}) =>
  resolveValues(options, flags, defined);

describe('an option', () => {
  it('comes from the flag, else the definition, else the default', () => {
    const values = resolve({ 'batch-rows': '5' }, { 'batch-rows': 6, concurrency: 7 });
    assert.deepEqual([values.batchRows, values.concurrency, values.batchBytes], [5, 7, 1 << 20]);
    assert.deepEqual([values.limit, values.nulls, values.url], [undefined, [], undefined]);
  });

  it('has a default that passes its own validation', () => {
    for (const [name, option] of Object.entries(options) as [string, Option][])
      if (option.default !== undefined) resolve({}, { [name]: option.default });
  });

  it('in bytes accepts KiB, MiB and GiB, as a flag or in a definition', () => {
    const sizes = ['2048', '2KiB', '3 MiB', '1mib'];
    const flags = sizes.map(size => resolve({ 'batch-bytes': size }).batchBytes);
    const defined = sizes.map(size => resolve({}, { 'batch-bytes': size }).batchBytes);
    assert.deepEqual(flags, [2048, 2048, 3 << 20, 1 << 20]);
    assert.deepEqual(defined, flags);
    assert.equal(resolve({}, { 'batch-bytes': 4096 }).batchBytes, 4096);
  });

  it('in MB is refused, because it may mean either of two sizes', () => {
    const message = /got "5MB", which may mean powers of 1000 or of 1024; did you mean 5MiB\?$/;
    assert.throws(() => resolve({ 'batch-bytes': '5MB' }), { code: 'bad_option', message });
  });

  it('that is a list is one CSV record after a flag, so a name may contain a comma', () => {
    assert.deepEqual(resolve({ features: 'a,"b,c", d ' }).features, ['a', 'b,c', ' d ']);
    assert.deepEqual(resolve({ nulls: '' }).nulls, []);
    assert.deepEqual(resolve({}, { features: ['a,b'] }).features, ['a,b']);
  });

  it('that is a map is a list of NAME=VALUE after a flag, and a name may contain = and commas', () => {
    const types = { zip: 'categorical', 'a=b,c': 'date' };
    assert.deepEqual(resolve({ types: 'zip=categorical,"a=b,c=date"' }).types, types);
    assert.deepEqual(resolve({}, { types }).types, types);
    for (const wrong of ['zip', '=date', 'zip=word', 'zip=date,zip=numerical'])
      assert.throws(() => resolve({ types: wrong }), { code: 'bad_option', message: /^--types: / }, wrong);
  });

  it('with an invalid value is refused by name', () => {
    for (const [name, values] of Object.entries({
      'batch-rows': ['0', '-1', '1.5', 'many', '', ' ', '10001', 'NaN', 'Infinity'],
      'batch-bytes': ['1023', '48MiB', '-5', '1.5MiB', '1kb', '', '1e6'],
      timeout: ['0', '-1', 'soon', ''],
      limit: ['-1', '0.5', ''],
      delimiter: [''],
      url: [''],
    }))
      for (const value of values)
        assert.throws(
          () => resolve({ [name]: value }),
          {
            code: 'bad_option',
            severity: 'refused',
            message: new RegExp(`^--${name}: (expected .*, got |must not be empty)`),
          },
          `--${name} ${JSON.stringify(value)}`,
        );
  });
});
