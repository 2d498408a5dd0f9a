import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DecodedSource } from '../../src/storage/decoded-source.ts';
import { streamInput } from '../../src/storage/streams.ts';
import { newFolder } from '../support/folder.ts';
import { job } from '../support/scoring/job.ts';
import { score } from '../support/scoring/score.ts';
import { connect } from '../support/stub/connect.ts';

describe('a run whose input is a stream', () => {
  const csv = Buffer.from(`id,b\n${Array.from({ length: 300 }, (_, row) => `p${row},${row}\n`).join('')}`);

  for (const [what, bytes] of [
    ['plain', csv],
    ['gzip', gzipSync(csv)],
  ] as const)
    it(`is scored as a file with the same bytes (${what})`, async t => {
      const folder = await newFolder(t);
      const { client } = await connect(t);
      const input = join(folder, 'in.csv');
      await writeFile(input, csv);
      const options = { features: ['id'], batchRows: 20 };
      await score(job({ ...options, input, output: join(folder, 'file.csv') }), client);
      const output = join(folder, 'stream.csv');
      const chunks = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) =>
        bytes.subarray(7 * i, 7 * (i + 1)),
      );
      const source = new DecodedSource(streamInput('upload.csv', 'upload.csv', Readable.from(chunks)), false);
      const stream = { paths: { input: undefined, output }, openInput: async () => source };
      await score(job({ ...options, input: 'none', output }), client, {}, stream);
      assert.deepEqual(await readFile(output), await readFile(join(folder, 'file.csv')));
    });

  it('stops when the stream breaks, and names the upload', async t => {
    const output = join(await newFolder(t), 'out.csv');
    const { client } = await connect(t);
    const broken = async function* () {
      yield csv.subarray(0, 500);
      throw new Error('gone');
    };
    const source = new DecodedSource(streamInput('upload.csv', 'upload.csv', Readable.from(broken())), false);
    await assert.rejects(
      score(
        job({ input: 'none', output, features: ['id'], classes: ['no', 'yes'] }),
        client,
        {},
        {
          paths: { input: undefined, output },
          openInput: async () => source,
        },
      ),
      { code: 'unreadable_input', severity: 'stopped', location: { file: 'upload.csv' } },
    );
  });
});
