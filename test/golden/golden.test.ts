import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { caseNames, expectedOf, play } from './golden.ts';

describe('a golden case gives what npm run golden has recorded:', async () => {
  for (const name of await caseNames())
    it(name, async () => {
      const [actual, expected] = await Promise.all([play(name), expectedOf(name)]);
      assert.equal(actual.text, expected.text);
      assert.equal(actual.requests, expected.requests);
      assert.equal(actual.csv.toString('latin1'), expected.csv.toString('latin1'));
    });
});
