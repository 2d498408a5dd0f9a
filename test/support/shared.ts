import assert from 'node:assert/strict';
import { after, before } from 'node:test';

/** A test, or several that share something: what is opened for them is closed at their end. */
export interface Scope {
  after(end: () => unknown): void;
}

/** Makes something once for all tests of a suite. @returns what gives it to them */
export function shared<T>(make: (suite: Scope) => Promise<T>): () => T {
  const ends: (() => unknown)[] = [];
  let made: { it: T } | undefined;
  before(async () => {
    made = { it: await make({ after: end => void ends.push(end) }) };
  });
  after(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return () => made?.it ?? assert.fail('no test of its suite has begun');
}
