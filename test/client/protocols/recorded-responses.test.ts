import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it, mock, type TestContext } from 'node:test';
import { protocolNames } from '../../../src/base/contract/protocol-names.ts';
import { writeDefinition } from '../../servers/support/write-definition.ts';
import { newFolder } from '../../support/folder.ts';
import { rowcast } from '../../support/in-process.ts';
import { listen } from '../../support/listen.ts';
import type { RecordedRun, Recording } from '../../support/protocols/recording.ts';
import { root } from '../../support/root.ts';
import { slow } from '../../support/slow.ts';

const folder = join(root, 'test/support/protocols/recorded');
const servers = readdirSync(folder).map(name => name.replace('.json', ''));

const recordingOf = (server: string): Recording =>
  JSON.parse(readFileSync(join(folder, `${server}.json`), 'utf8'));

/** The id that `open-inference` gives each request, and wants back. */
const ID = /^\{"id":"([^"]*)"/;

/** A server that gives the recorded responses, each to the request that had it. @returns its URL */
async function replay(t: TestContext, { exchanges }: RecordedRun): Promise<string> {
  const keyOf = (method: string, path: string, body: string): string =>
    `${method} ${path} ${body.replace(ID, '')}`;
  const recorded = new Map(exchanges.map(each => [keyOf(each.method, each.path, each.body), each]));
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    const found = recorded.get(keyOf(request.method ?? '', request.url ?? '', body));
    // No rule of a protocol is about this status.
    if (found === undefined || found.type !== request.headers['content-type'])
      return response.writeHead(418).end(`not recorded: ${body}`);
    const { status, type, body: text } = found.response;
    response.writeHead(status, type === undefined ? {} : { 'content-type': type });
    const [, id] = ID.exec(body) ?? [];
    const [, recordedId = ''] = ID.exec(found.body) ?? [];
    return response.end(id === undefined ? text : text.replace(recordedId, id));
  });
  return listen(t, server);
}

describe('the recorded responses', () => {
  it('are of each server that is tested, and of each protocol but those that no server here speaks', () => {
    const tested = readdirSync(join(root, 'test/servers'), { recursive: true, encoding: 'utf8' }).flatMap(
      file => /([\w-]+)\.servers\.test\.ts$/.exec(file)?.[1] ?? [],
    );
    assert.deepEqual(servers.toSorted(), tested.toSorted());
    const spoken = new Set(servers.map(server => recordingOf(server).service.protocol));
    assert.deepEqual(
      protocolNames.filter(name => !spoken.has(name)),
      ['report', 'sagemaker', 'sagemaker-jsonlines'],
    );
  });
});

describe('a run with the recorded responses of', () => {
  const random = Math.random;
  before(() => {
    mock.method(Math, 'random', () => random() / 50); // short waits before retries
  });
  after(() => mock.restoreAll());

  for (const server of servers)
    for (const [name, run] of Object.entries(recordingOf(server).runs)) {
      // The retries for a single row take half a second.
      const itIfQuick = name === 'a bad row' ? slow : it;
      itIfQuick(`${server} to ${name} sends the same requests and ends alike`, async t => {
        const own = await newFolder(t);
        const input = join(own, 'personas.csv');
        await writeFile(input, run.input);
        const url = await replay(t, run);
        const definition = await writeDefinition(recordingOf(server), {
          folder: own,
          input,
          url,
          score: run.score,
        });
        const { code, stderr } = await rowcast(['run', definition, '--trust-definition']);
        assert.equal(code, run.code, stderr);
        const output = await readFile(join(own, 'scored.csv'), 'utf8').catch(() => undefined);
        assert.equal(output, run.output);
        const said = stderr.replaceAll(url, 'URL').replaceAll(own, 'FOLDER');
        if (run.error !== undefined) assert.ok(said.includes(run.error), said);
      });
    }
});
