import { Readable } from 'node:stream';
import type { Backend } from '../../../src/storage/backend.ts';
import { type Backends, backends } from '../../../src/storage/backends.ts';
import { refuseOtherCompressions } from '../../../src/storage/codecs/unsupported-compressions.ts';
import { thisProcess } from '../../../src/storage/local/locks/lock-holder.ts';
import { unreadable } from '../../../src/storage/source.ts';
import { ObjectClient } from './object-client.ts';
import { type StoreOptions, StoreOutput } from './store-output.ts';

/** The usual backends and one for `store://host:port/key`. */
export function withObjectStore(own: Partial<StoreOptions> = {}): Backends {
  const options: StoreOptions = {
    client: 'test',
    holder: thisProcess(),
    partBytes: 64 << 10,
    leaseMs: 60_000,
    ...own,
  };
  return new Map([...backends, ['store', objectStore(options)]]);
}

const objectStore = (options: StoreOptions): Backend => ({
  async openInput(name) {
    const object = new ObjectClient(name, options.client);
    const { head, bytes } = (await object.get()) ?? missing(name);
    return {
      name,
      path: name,
      version: { size: head.size, modified: null, etag: head.etag },
      stream: Readable.from([bytes]),
      streamFrom: offset => Readable.from([bytes.subarray(offset)]),
      checkUnchanged: async () => {},
    };
  },
  async resolveTarget(name) {
    refuseOtherCompressions(name);
    return {
      name,
      path: undefined,
      durable: new StoreOutput(name, options),
      isStdout: false,
      usedFiles: (what, option) => [{ at: name, what, option }],
      async open() {
        const pieces: Buffer[] = [];
        return {
          write: async bytes => void pieces.push(Buffer.from(bytes)),
          close: async () => void (await new ObjectClient(name, options.client).put(Buffer.concat(pieces))),
          abandon: async () => {},
        };
      },
    };
  },
});

function missing(name: string): never {
  throw unreadable(name, Object.assign(new Error('no such object'), { code: 'ENOENT' }));
}
