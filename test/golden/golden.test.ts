import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as inProcess from '../support/in-process.ts';
import { rowcast } from '../support/rowcast.ts';
import { caseNames, expectedOf, play, type Run } from './golden.ts';

const check = async (name: string, run: Run): Promise<void> => {
  const [actual, expected] = await Promise.all([play(name, run), expectedOf(name)]);
  assert.equal(actual.text, expected.text);
  assert.equal(actual.requests, expected.requests);
  assert.equal(actual.csv.toString('latin1'), expected.csv.toString('latin1'));
};

describe('a golden case gives what npm run golden has recorded:', async () => {
  for (const name of await caseNames()) it(name, () => check(name, inProcess.rowcast));
});

/** One with rejects, and one that fails. */
const asProcesses = ['csv-ragged-long', 'wrong-key'];

describe('a golden case gives the same in a process of its own:', () => {
  for (const name of asProcesses) it(name, () => check(name, rowcast));
});
