import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusals } from '../../../src/server/limits/shares.ts';
import { eventLog } from '../../../src/server/telemetry/event-log.ts';
import { recorded } from '../../support/service/recorded.ts';

test('events are logged immediately, then as counts in at most one line per 10 s', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { log, lines } = recorded();
  const events = eventLog(log, 'requests_refused', 'rejected or aborted', refusals);
  const said = () => lines().map(({ msg }) => msg);
  events('uploads');
  for (let i = 0; i < 1000; i++) events('row_rate');
  events('uploads');
  assert.deepEqual(said(), ['rejected or aborted: uploads over the key’s share of upload slots (1)']);
  t.mock.timers.tick(10_000);
  assert.equal(
    said()[1],
    'rejected or aborted: requests over the row rate limit (1000), uploads over the key’s share of upload slots (1)',
  );
  assert.deepEqual(lines()[1], {
    level: 40,
    event: 'requests_refused',
    uploads: 1,
    row_rate: 1000,
    msg: said()[1],
  });
  // Without events nothing is logged, and the next event is logged immediately.
  t.mock.timers.tick(10_000);
  assert.equal(lines().length, 2);
  events('memory');
  assert.equal(said()[2], 'rejected or aborted: requests over the key’s share of memory (1)');
});
