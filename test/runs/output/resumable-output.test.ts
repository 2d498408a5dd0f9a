import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Checkpoint, readCheckpoint } from '../../../src/runs/checkpoint/checkpoint.ts';
import { RejectsOutput } from '../../../src/runs/output/rejects-output.ts';
import { resumableOutput } from '../../../src/runs/output/resumable-output.ts';
import { runFilesOf, runOutputsOf } from '../../../src/runs/paths/run-files.ts';
import { gzip } from '../../../src/storage/codecs/gzip.ts';
import { none } from '../../../src/storage/codecs/none.ts';
import { NOTHING_WRITTEN } from '../../../src/storage/durable-output.ts';
import { LocalOutput } from '../../../src/storage/local/local-output.ts';
import { fileStart } from '../../../src/storage/partial-file.ts';
import { identity, pieceOf, pointAt } from '../../support/file-output.ts';
import { MemoryFiles } from '../../support/memory-files.ts';

const folder = '/nowhere';
const paths = runFilesOf(`${folder}/out.csv`);
/** An output whose checkpoint is due after every piece, unless it is never due. */
async function open(checkpointInterval = 0, codec = none) {
  const files = new MemoryFiles();
  const local = new LocalOutput(paths.output, { name: 'out.csv', files });
  const outputs = runOutputsOf(local);
  const options = {
    outputs,
    ifExists: 'replace' as const,
    restart: false,
    restartIfChanged: false,
    checkpointInterval,
    private: false,
  };
  const partial = codec.partialFile<never>(await local.open(NOTHING_WRITTEN), fileStart);
  const rejects = new RejectsOutput(outputs.rejects);
  return { files, output: await resumableOutput(options, partial, rejects, identity, undefined) };
}

function checkpointIn(files: MemoryFiles): Checkpoint | undefined {
  const text = files.content.get(paths.checkpoint);
  return text === undefined ? undefined : readCheckpoint(text, paths.checkpoint);
}

const namesIn = (files: MemoryFiles): string[] =>
  [...files.content.keys()].map(path => path.slice(folder.length + 1)).sort();

describe('an output file', () => {
  it('appears when it is finished, with nothing left next to it', async () => {
    const { files, output } = await open();
    await output.write(pieceOf('a\n'), () => pointAt(2));
    await output.write(pieceOf('b\n'), () => pointAt(3));
    assert.ok(!files.content.has(paths.output));
    await output.finish(pointAt(3));
    assert.deepEqual(namesIn(files), ['out.csv']);
    assert.equal(files.content.get(paths.output)?.toString(), 'a\nb\n');
  });

  it('has its rejects next to it, renamed before it', async () => {
    const { files, output } = await open();
    await output.write(pieceOf('a\n', 'header\nbad\n'), () => pointAt(3));
    await output.finish(pointAt(3));
    assert.equal(files.content.get(paths.rejects)?.toString(), 'header\nbad\n');
    const renames = files.done.filter(text => /^rename .*partial/.test(text));
    assert.deepEqual(
      renames.map(text => text.split(' to ')[1]),
      [paths.rejects, paths.output],
    );
  });

  it('that is suspended leaves a checkpoint at its last commit point', async () => {
    const { files, output } = await open(1000);
    await output.write(pieceOf('a\n'), () => pointAt(2));
    await output.write({ ...pieceOf('half a member'), isCommitPoint: false }, () => assert.fail());
    assert.equal((await output.suspend())?.row, 2);
    const checkpoint = checkpointIn(files);
    assert.deepEqual([checkpoint?.state, checkpoint?.position.row], ['running', 2]);
    assert.equal(checkpoint?.output.bytes, 2);
  });

  it('that is suspended before its first commit point leaves nothing', async () => {
    const { files, output } = await open();
    await output.write({ ...pieceOf('a'), isCommitPoint: false }, () => assert.fail());
    assert.equal(await output.suspend(), undefined);
    assert.deepEqual(namesIn(files), []);
  });

  it('that is discarded loses its checkpoint before its bytes', async () => {
    const { files, output } = await open();
    await output.write(pieceOf('a\n'), () => pointAt(2));
    await output.discard();
    assert.deepEqual(namesIn(files), []);
    const removed = files.done.filter(text => text.startsWith('remove'));
    assert.deepEqual(removed.slice(0, 2), [`remove ${paths.checkpoint}`, `remove ${paths.partial}`]);
  });
});

describe('a checkpoint', () => {
  it('is saved only after the bytes that it covers were synced', async () => {
    const { files, output } = await open(1000);
    await output.write(pieceOf('a\n'), () => pointAt(2));
    await output.suspend();
    const synced = files.done.indexOf(`sync ${paths.partial}`);
    const replaced = files.done.findIndex(text => text.startsWith(`rename ${paths.newCheckpoint}`));
    assert.ok(synced >= 0 && synced < replaced, files.done.join('\n'));
  });

  it('is saved within a member that takes long', async () => {
    const { files, output } = await open(0, gzip);
    await output.write({ ...pieceOf('a\n'), endsMember: false }, () => pointAt(2));
    while (checkpointIn(files) === undefined) await new Promise(setImmediate);
    assert.equal(checkpointIn(files)?.output.open?.toString(), 'a\n');
    await output.discard();
  });

  it('has the rows of a member that is not complete, and keeps them if the member cannot be written', async () => {
    const { files, output } = await open(1000, gzip);
    await output.write(pieceOf('a\n'), () => pointAt(2));
    await output.write({ ...pieceOf('b\n'), endsMember: false }, () => pointAt(3));
    await output.save();
    assert.equal(checkpointIn(files)?.output.open?.toString(), 'b\n');
    files.failing = `write ${paths.partial}`;
    await output.write(pieceOf('c\n'), () => pointAt(4));
    assert.equal((await output.suspend())?.row, 3);
    assert.equal(checkpointIn(files)?.position.row, 3);
  });

  it('stays as it is after a failed sync, even if the next sync succeeds', async () => {
    const { files, output } = await open(0);
    await output.write(pieceOf('a\n'), () => pointAt(2));
    while (checkpointIn(files) === undefined) await new Promise(setImmediate);
    // The save ends after the rename; a write before that would not be saved.
    await new Promise(setImmediate);
    files.failing = `sync ${paths.partial}`;
    await output.write(pieceOf('b\n'), () => pointAt(3));
    await new Promise(setImmediate);
    files.failing = undefined;
    const failed = { code: 'unwritable_output' };
    await assert.rejects(
      output.write(pieceOf('c\n'), () => pointAt(4)),
      failed,
    );
    await assert.rejects(output.finish(pointAt(4)), failed);
    assert.equal((await output.suspend())?.row, 2);
    assert.equal(checkpointIn(files)?.position.row, 2);
    assert.ok(!files.content.has(paths.output));
  });
});
