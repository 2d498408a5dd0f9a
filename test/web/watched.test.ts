import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventsOf, Watched } from '../../src/web/watched.ts';

const quick = { heartbeatMs: 20, intervalMs: 1 };

async function next(events: AsyncGenerator<string>): Promise<string> {
  const { value, done } = await events.next();
  return done ? 'END' : value;
}

describe('a stream of events', () => {
  it('has the current state first, each change, and ends after the final one', async () => {
    const watched = new Watched({ row: 1 });
    watched.set({ row: 2 });
    const events = eventsOf(watched, new AbortController().signal, quick);
    assert.equal(await next(events), 'retry: 2000\n\n');
    assert.equal(await next(events), 'id: 2\nevent: state\ndata: {"row":2}\n\n');
    const third = next(events);
    setTimeout(() => watched.set({ row: 3 }), 5);
    assert.equal(await third, 'id: 3\nevent: state\ndata: {"row":3}\n\n');
    watched.setFinal({ row: 4 });
    watched.set({ row: 5 });
    assert.equal(await next(events), 'id: 4\nevent: state\ndata: {"row":4}\n\n');
    assert.equal(await next(events), 'END');
  });

  it('leaves out changes that are outdated', async () => {
    const watched = new Watched(0);
    const events = eventsOf(watched, new AbortController().signal, quick);
    await next(events);
    await next(events);
    for (let value = 1; value <= 100; value++) watched.set(value);
    assert.match(await next(events), /data: 100\n/);
  });

  it('sends comments while nothing happens', async () => {
    const events = eventsOf(new Watched(0), new AbortController().signal, quick);
    await next(events);
    await next(events);
    for (let i = 0; i < 3; i++) assert.match(await next(events), /^: .*\n\n$/);
  });

  it('says so when the session ends, while it waits or not', async () => {
    const ended = new AbortController();
    const events = eventsOf(new Watched(0), ended.signal, { heartbeatMs: 60_000, intervalMs: 60_000 });
    await next(events);
    await next(events);
    const last = next(events);
    setTimeout(() => ended.abort(), 5);
    assert.equal(await last, 'event: closed\ndata: {}\n\n');
    assert.equal(await next(events), 'END');
  });

  it('is one line of data, whatever the state contains', async () => {
    const hostile = 'a\nevent: state\ndata: "x"\n\n\r\n\u2028<script>';
    const events = eventsOf(new Watched(hostile), new AbortController().signal, quick);
    await next(events);
    const [, , data = '', ...rest] = (await next(events)).split(/\r\n|\r|\n/);
    assert.equal(JSON.parse(data.replace('data: ', '')), hostile);
    assert.deepEqual(rest, ['', '']);
  });
});

describe('a watched value', () => {
  it('wakes all who wait, and forgets them', async () => {
    const watched = new Watched('a');
    const { signal } = new AbortController();
    const waiting = [watched.changed(1, 1_000, signal), watched.changed(1, 1_000, signal)];
    watched.set('b');
    assert.deepEqual(await Promise.all(waiting), [true, true]);
    assert.equal(await watched.changed(1, 1_000, signal), true);
    assert.equal(await watched.changed(2, 1, signal), false);
  });

  it('does not wait once it is final', async () => {
    const watched = new Watched('a');
    watched.setFinal('b');
    assert.equal(await watched.changed(2, 60_000, new AbortController().signal), false);
  });
});
