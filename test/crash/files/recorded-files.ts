import { basename } from 'node:path';
import { diskFiles, type Files, type WritableFile } from '../../../src/storage/durable-files.ts';

/** An operation that changes a file or makes a change durable. */
export interface Operation {
  /** For example `sync out.csv.partial`, `rename out.csv.partial to out.csv`, `sync folder`. */
  text: string;
  /** The bytes of a write, and the offset of its end. */
  bytes?: Uint8Array;
  end?: number;
}

export interface Recorder {
  /** Called before each operation; a process that ends here has not performed it. */
  before(operation: Operation): void;
  /** Called after each operation. */
  after?(operation: Operation): void;
}

/** The real files, with every operation except reads reported to a recorder. */
export function recordedFiles({ before, after }: Recorder): Files {
  const recorded = async <T>(operation: Operation, act: () => Promise<T>): Promise<T> => {
    before(operation);
    const result = await act();
    after?.(operation);
    return result;
  };
  const recordedFile = (name: string, file: WritableFile): WritableFile => ({
    size: () => file.size(),
    truncate: size => recorded({ text: `truncate ${name}` }, () => file.truncate(size)),
    async append(bytes) {
      const end = (await file.size()) + bytes.length;
      await recorded({ text: `write ${name}`, bytes, end }, () => file.append(bytes));
    },
    sync: () => recorded({ text: `sync ${name}` }, () => file.sync()),
    close: () => recorded({ text: `close ${name}` }, () => file.close()),
  });
  return {
    async open(path, mode) {
      const name = basename(path);
      return recordedFile(name, await recorded({ text: `open ${name}` }, () => diskFiles.open(path, mode)));
    },
    rename: (from, to) =>
      recorded({ text: `rename ${basename(from)} to ${basename(to)}` }, () => diskFiles.rename(from, to)),
    remove: path => recorded({ text: `remove ${basename(path)}` }, () => diskFiles.remove(path)),
    syncFolder: path => recorded({ text: 'sync folder' }, () => diskFiles.syncFolder(path)),
    read: path => diskFiles.read(path),
    readAt: (path, offset, length) => diskFiles.readAt(path, offset, length),
    size: path => diskFiles.size(path),
  };
}
