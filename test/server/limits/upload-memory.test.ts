import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { UploadMemory } from '../../../src/server/limits/shared-budget.ts';

const stays = new AbortController().signal;

/** Takes shares in order. @returns the names of those that were given, which grow */
function taking(
  memory: UploadMemory,
  shares: [name: string, key: string, bytes: number, gone?: AbortSignal][],
) {
  const given: string[] = [];
  const release = new Map<string, () => void>();
  for (const [name, key, bytes, gone = stays] of shares)
    memory.take(key, bytes, gone).then(
      give => {
        given.push(name);
        release.set(name, give);
      },
      reason => given.push(`${name}: ${reason}`),
    );
  return { given, release: (name: string) => release.get(name)?.() };
}

describe('the memory of uploads', () => {
  it('is half that of a key at most; what is more waits for its share, and no other key for it', async () => {
    const { given, release } = taking(new UploadMemory(4), [
      ['1', 'a', 1],
      ['2', 'a', 1],
      ['3', 'a', 1],
      ['4', 'a', 1],
      ['5', 'b', 1],
    ]);
    await nextTurn();
    assert.deepEqual(given, ['1', '2', '5']);
    release('1');
    release('1');
    await nextTurn();
    assert.deepEqual(given, ['1', '2', '5'], 'it leaves less free now');
    release('5');
    await nextTurn();
    assert.deepEqual(given, ['1', '2', '5', '3']);
  });

  it('is given to the uploads of a key in order, also if a later one needs less', async () => {
    const { given, release } = taking(new UploadMemory(4), [
      ['1', 'a', 2],
      ['2', 'a', 2],
      ['3', 'a', 1],
    ]);
    await nextTurn();
    assert.deepEqual(given, ['1']);
    release('1');
    await nextTurn();
    assert.deepEqual(given, ['1', '2']);
  });

  it('is not given to an upload that has ended, which delays no other', async () => {
    const end = new AbortController();
    const { given } = taking(new UploadMemory(4), [
      ['1', 'a', 1],
      ['2', 'a', 2, end.signal],
      ['3', 'a', 1],
    ]);
    end.abort('gone');
    await nextTurn();
    assert.deepEqual(given, ['1', '2: gone', '3']);
  });

  it('is at most all there is', async () => {
    const { given } = taking(new UploadMemory(4), [['1', 'a', 9]]);
    await nextTurn();
    assert.deepEqual(given, ['1']);
  });
});
