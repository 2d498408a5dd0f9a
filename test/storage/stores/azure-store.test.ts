import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseAzureName } from '../../../src/storage/stores/azure/azure-store.ts';

describe('the name of an object of Azure', () => {
  it('has a container and a key, and perhaps the account and its cloud', () => {
    assert.deepEqual(parseAzureName('az://crm/in/a.csv'), {
      start: 'az://crm/',
      bucket: 'crm',
      key: 'in/a.csv',
      account: undefined,
    });
    for (const cloud of ['core.windows.net', 'core.usgovcloudapi.net'])
      assert.deepEqual(parseAzureName(`abfss://crm@store1.dfs.${cloud}/in/a.csv`), {
        start: `abfss://crm@store1.dfs.${cloud}/`,
        bucket: 'crm',
        key: 'in/a.csv',
        account: { name: 'store1', cloud },
      });
  });

  it('has no other host, and no account without a container', () => {
    for (const name of [
      'abfss://crm@evil.example.com/a.csv',
      'abfss://crm@store1.dfs.evil.example/a.csv',
      'abfss://crm@store1.blob.core.windows.net.evil.example/a.csv',
      'abfss://crm@store1.dfs.windows.net/a.csv',
      'abfss://crm@store1.dfs.core.windows.net@evil.example/a.csv',
      'abfss://crm@store1.dfs.core.windows.net:8443/a.csv',
      'abfss://crm/a.csv',
      'az://crm@store1/a.csv',
      'az://crm',
    ])
      assert.throws(() => parseAzureName(name), { code: 'usage' }, name);
  });
});
