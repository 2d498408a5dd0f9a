import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storeOptionNames } from '../../../src/base/options/store.ts';
import { readStoreOptions } from '../../../src/storage/stores/store-options.ts';

describe('the options of stores', () => {
  it('are all read', () => {
    for (const name of storeOptionNames) {
      const value = name === 'endpoint' ? 'https://host' : 'true';
      assert.equal(Object.keys(readStoreOptions({ [name]: value })).length, 1, name);
    }
    assert.deepEqual(readStoreOptions(undefined), {});
    assert.deepEqual(readStoreOptions({ endpoint: 'http://127.0.0.1:9000/', unsigned: 'true' }), {
      endpoint: 'http://127.0.0.1:9000',
      unsigned: true,
    });
  });

  it('are refused if they are unknown or have no such value', () => {
    const wrong: [Record<string, string>, RegExp][] = [
      [{ regoin: 'x' }, /unknown name regoin/],
      [{ region: '' }, /region must not be empty/],
      [{ unsigned: 'yes' }, /unsigned must be true or false, not yes/],
      [{ endpoint: 'host:9000' }, /endpoint must be an http or https URL/],
      [{ endpoint: 'https://key:secret@host' }, /endpoint must be/],
    ];
    for (const [given, message] of wrong)
      assert.throws(() => readStoreOptions(given), { code: 'bad_option', message });
  });
});
