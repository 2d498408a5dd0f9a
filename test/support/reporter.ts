import { relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { spec, type TestEvent, tap } from 'node:test/reporters';
import { root } from './root.ts';

/**
 * Node's reporter (spec on a terminal, otherwise tap), with the seed at the start, and at the end the
 * slowest files, the skipped tests, and the failed ones with their errors. Node's own totals stay the
 * last lines of TAP.
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
  const failed: string[] = [];
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
    if (type === 'test:fail' && data.todo === undefined && !isOfSubtests(data.details.error))
      failed.push(`failed: ${data.name} (${placeOf(data.file)}): ${messageOf(data.details.error)}`);
    if (!isEnding && type === 'test:diagnostic' && /^tests \d+$/.test(data.message)) {
      isEnding = true;
      const slowest = [...times].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
      yield line(`the slowest of ${times.size} files:`);
      for (const [file, ms] of slowest) yield line(`${(ms / 1000).toFixed(1).padStart(7)} s ${file}`);
      for (const each of [...skipped, ...failed]) yield line(each);
    }
    yield event;
  }
}

/** Whether a test failed only because a test inside it did, which has its own line. */
const isOfSubtests = (error: Error): boolean =>
  'failureType' in error && error.failureType === 'subtestsFailed';

const placeOf = (file: string | undefined): string => (file === undefined ? 'no file' : relative(root, file));

/** The longest message of a failed test, in characters: the whole one is in its own report. */
const LONGEST_MESSAGE = 600;

/** The test's own error on one line, with what has caused it: the runner wraps it in another. */
const messageOf = (error: Error): string => {
  const messages: string[] = [];
  for (let cause: unknown = error.cause ?? error; cause instanceof Error; cause = cause.cause)
    messages.push(cause.message.replaceAll(/\s+/g, ' ').slice(0, LONGEST_MESSAGE));
  return messages.join('; ');
};

const line = (message: string): TestEvent => ({
  type: 'test:diagnostic',
  data: { message, nesting: 0 },
});
