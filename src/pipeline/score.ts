import { Readable } from 'node:stream';
import { asStream, chain, flushable, gen } from 'stream-chain';
import type { Client } from '../api/client.ts';
import { RecordReader } from '../csv/records.ts';
import { RowcastError } from '../errors.ts';
import { openSink } from '../io/sink.ts';
import { openSource } from '../io/source.ts';
import { type Accounts, checkBalance, newAccounts } from './accounts.ts';
import { caller } from './call.ts';
import { chooseColumns } from './columns.ts';
import { encode, rowOverhead } from './encode.ts';
import { type Answered, inFlight } from './in-flight.ts';
import { type Merged, Merger } from './merge.ts';
import type { ScoreOptions } from './options.ts';
import { readBatches, readHead } from './read.ts';

/** Most bytes in flight, bodies included. */
const WINDOW_BYTES = 64 << 20;

/**
 * Scores a CSV: every row comes back, in input order, with its predicted probabilities.
 *
 *     source ─bytes→ records ─batches→ in flight (encode, call, retry) ─answers→ merge ─bytes→ sink
 *
 * @param client the service; it stays open
 * @param onProgress told after each batch that was written; `size` is the input's, in bytes, where it is known
 * @throws RowcastError with its place in the input; an OUTPUT that was there is then as it was
 * @throws ClosedPipe when the reader of stdout has gone
 */
export async function score(
  options: ScoreOptions,
  client: Client,
  onProgress: (accounts: Accounts, size: number | undefined) => void = () => {},
): Promise<Accounts> {
  const source = await openSource(options.input);
  try {
    // What can be wrong with the command is found before anything is written.
    const report = await client.report(options.report);
    const { header, rest } = await readHead(source, options);
    const sent = chooseColumns(header, report, options, source.name);
    const input = { file: source.name, width: header.names.length, dialect: header.dialect };
    const start = { offset: header.bytes.length, row: 1, line: 1 + header.lines };
    const merger = new Merger({ ...options, header, report });
    const merge = flushable((answered: Answered) => merger.merge(answered), merger.end.bind(merger));
    const sink = await openSink(options.output, options.input);

    const accounts = newAccounts();
    const failed = new AbortController();
    const overhead = rowOverhead(sent, client.wire);
    const records = new RecordReader({ ...options, ...input, rowOverhead: overhead, start });
    const toBody = encode({ ...options, ...input, sent, wire: client.wire });
    const { send, settle } = inFlight({
      concurrency: options.concurrency,
      windowBytes: WINDOW_BYTES,
      call: caller({ client, file: source.name, classes: () => merger.classes, signal: failed.signal }),
    });
    try {
      const flow = chain([
        Readable.from(readBatches(records, rest, source, accounts), { highWaterMark: 1 }),
        asStream(gen(toBody, send), boundedByWindow),
        asStream(gen(settle, merge)),
      ]);
      for await (const merged of flow) {
        stopAtReject(merged, source.name);
        await sink.write(merged.bytes);
        count(accounts, merged);
        onProgress(accounts, source.size);
      }
      checkBalance(accounts);
      await sink.commit();
      return accounts;
    } catch (error) {
      failed.abort();
      await sink.abandon();
      throw error instanceof RowcastError && accounts.read > 0 ? error.duringRun() : error;
    }
  } finally {
    source.close();
  }
}

/**
 * What is in flight is bounded in bytes by `send`, so the stream that it waits in needs no bound of its own.
 * (`highWaterMark` would overrule both.)
 */
const boundedByWindow = { writableHighWaterMark: 1, readableHighWaterMark: Number.MAX_SAFE_INTEGER };

/** A row that cannot be scored stops the run. */
function stopAtReject({ rejects: [reject] }: Merged, file: string): void {
  if (reject === undefined) return;
  const { code, reason, line, row } = reject;
  throw new RowcastError(code, reason, {
    consequence: 'stopped',
    place: { file, line, row },
    hint: 'Correct the row, or take it out of the input.',
  });
}

function count(accounts: Accounts, { bytes, scored, blank, rejects }: Merged): void {
  accounts.bytesOut += bytes.length;
  accounts.scored += scored;
  accounts.blank += blank;
  accounts.rejected += rejects.length;
}
