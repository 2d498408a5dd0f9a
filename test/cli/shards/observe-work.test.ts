import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { RowcastError } from '../../../src/base/errors.ts';
import { observeWork } from '../../../src/cli/shards/observe-work.ts';

const shard = { shard: 3, file: 0, from: null, to: null, is_last: true };

it('all that a worker logs of a shard names the folder of its run', () => {
  const lines: { event: string; folder: string; msg: string }[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const watched = observeWork({ flags: { progress: 'never' }, log, logFormat: 'json' });
  for (const path of ['/data/one.csv.shards', '/data/two.csv.shards']) {
    const observer = watched.observe(log, { path });
    observer.onTake?.(shard, 1, 1);
    observer.onLost?.(shard);
    observer.onFailed?.(shard, new RowcastError('bad_gzip', 'damaged'));
  }
  watched.close();
  assert.deepEqual(
    lines.map(({ event, folder }) => `${event} ${folder}`),
    ['/data/one.csv.shards', '/data/two.csv.shards'].flatMap(folder =>
      ['shard_started', 'shard_lost', 'shard_failed'].map(event => `${event} ${folder}`),
    ),
  );
});

it('the code of a shard that failed is written once', () => {
  const lines: { msg: string; code?: string }[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const watched = observeWork({ flags: { progress: 'never' }, log, logFormat: 'text' });
  watched.observe(log, { path: 'one.csv.shards' }).onFailed?.(shard, new RowcastError('bad_gzip', 'damaged'));
  watched.close();
  // A line of the terminal ends with the member `code`.
  assert.deepEqual(
    lines.map(({ msg, code }) => ({ msg, code })),
    [{ msg: 'shard 3: damaged', code: 'bad_gzip' }],
  );
});
