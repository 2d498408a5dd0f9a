import assert from 'node:assert/strict';
import { firstAttempt } from '../../src/runs/attempt.ts';
import { PrefixDigest } from '../../src/runs/checkpoint/prefix-digest.ts';
import { acquireDurable } from '../../src/runs/output/acquire-output.ts';
import type { CommitPoint, Output, OutputPiece } from '../../src/runs/output/output.ts';
import type { ResumableOutputOptions } from '../../src/runs/output/resumable-output.ts';
import { runOutputsOf } from '../../src/runs/paths/run-files.ts';
import { newRowCounts } from '../../src/scoring/row-counts.ts';
import type { Files } from '../../src/storage/durable-files.ts';
import { LocalOutput } from '../../src/storage/local/local-output.ts';

/** The state of a run before a row. */
export const pointAt = (row: number): CommitPoint => ({
  position: { offset: 10 * row, row, line: row + 1 },
  prefix: new PrefixDigest().state(),
  predictionType: { kind: 'distribution', classes: ['no', 'yes'] },
  rowCounts: newRowCounts(),
});

/** A piece of an output after which a run may be resumed. */
export const pieceOf = (text: string, rejects = ''): OutputPiece => ({
  bytes: Buffer.from(text),
  rejects: Buffer.from(rejects),
  endsMember: true,
  isCommitPoint: true,
});

/** What identifies the runs of tests. */
export const identity = {
  attempt: firstAttempt(),
  fingerprint: {
    input: { path: '/in.csv', size: 10, modified: 1, codec: 'none' },
    format: 'csv',
    readAs: { delimiter: ',', quote: '"', loneCr: false },
    service: 'local',
    report: { id: 'r', hash: 'h' },
    options: {},
  },
  rejectsHeader: Buffer.from('header\n'),
};

/** Opens an output file of a run whose checkpoints are saved only when they are asked for. */
export async function openOutput(
  path: string,
  { files, ...own }: Partial<ResumableOutputOptions> & { files?: Files } = {},
): Promise<Output> {
  const { private: isPrivate = false } = own;
  const acquired = await acquireDurable({
    outputs: runOutputsOf(new LocalOutput(path, { isPrivate, ...(files && { files }) })),
    ifExists: 'replace',
    restart: false,
    restartIfChanged: false,
    checkpointInterval: Number.POSITIVE_INFINITY,
    private: isPrivate,
    ...own,
  });
  assert.ok(acquired);
  return acquired.open(identity);
}
