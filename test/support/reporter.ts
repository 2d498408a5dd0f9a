import { relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { spec, type TestEvent, tap } from 'node:test/reporters';
import { root } from './root.ts';

/**
 * Node's reporter (spec on a terminal, otherwise tap), with the seed at the start, and at the end the
 * slowest files and the skipped tests. Node's own totals stay the last lines of TAP.
 */
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string | Buffer> {
  const events = withOwnLines(source);
  if (process.stdout.isTTY) yield* Readable.from(events).pipe(new spec());
  else yield* tap(events);
}

const SLOWEST = 10;

async function* withOwnLines(source: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent, void> {
  const times = new Map<string, number>();
  const skipped: string[] = [];
  let isFirst = true;
  let isEnding = false;
  for await (const event of source) {
    if (isFirst) yield line(`random tests: TEST_SEED=${process.env.TEST_SEED}, ${process.version}`);
    isFirst = false;
    const { type, data } = event;
    // A process is reported too, as a test named after its file.
    if (
      type === 'test:complete' &&
      data.nesting === 0 &&
      data.file &&
      resolve(root, data.name) !== data.file
    ) {
      const file = relative(root, data.file);
      times.set(file, (times.get(file) ?? 0) + data.details.duration_ms);
    }
    if (type === 'test:pass' && data.skip !== undefined)
      skipped.push(`skipped: ${data.name}${typeof data.skip === 'string' ? ` (${data.skip})` : ''}`);
    if (!isEnding && type === 'test:diagnostic' && /^tests \d+$/.test(data.message)) {
      isEnding = true;
      const slowest = [...times].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
      yield line(`the slowest of ${times.size} files:`);
      for (const [file, ms] of slowest) yield line(`${(ms / 1000).toFixed(1).padStart(7)} s ${file}`);
      for (const each of skipped) yield line(each);
    }
    yield event;
  }
}

const line = (message: string): TestEvent => ({
  type: 'test:diagnostic',
  data: { message, nesting: 0 },
});
