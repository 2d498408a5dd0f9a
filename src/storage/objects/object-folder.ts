import type { SharedDocument } from '../backend.ts';
import { type FolderLayout, isOfLayout, type SharedFolder } from '../shared-folder.ts';
import type { WritableObject } from './object-client.ts';
import { type Purpose, storeError, unless } from './store-error.ts';

/** How the objects of a folder are reached. */
interface FolderObjects {
  /** The object with a URL. */
  object(name: string): Promise<WritableObject>;
  /** The URLs of the objects whose URL begins with a prefix, in order. */
  list(prefix: string): Promise<string[]>;
}

/**
 * A folder of objects. It is there as long as its marker is: what is written after the marker was removed is removed
 * again, and what is written before is seen by the process that removes the folder.
 */
export function objectFolder(
  path: string,
  layout: FolderLayout,
  { object, list }: FolderObjects,
): SharedFolder {
  const { marker } = layout;
  const nameOf = (name: string): string => `${path}/${name}`;
  const at = async <T>(name: string, purpose: Purpose, use: (client: WritableObject) => Promise<T>) =>
    object(nameOf(name))
      .then(use)
      .catch(error => {
        throw storeError(nameOf(name), purpose, error);
      });
  const remove = (name: string): Promise<void> =>
    at(name, 'write', client => client.remove().catch(unless('missing')));
  const written = async (name: string): Promise<void> => {
    if ((await at(marker, 'read', client => client.head())) !== undefined) return;
    await remove(name);
    throw Object.assign(new Error(`the folder ${path} is gone`), { code: 'ENOENT' });
  };
  const removeAllBut = async (last: string): Promise<void> => {
    for (const url of await list(nameOf(''))) {
      const name = url.slice(nameOf('').length);
      if (name === last || !isOfLayout(layout, name)) continue;
      await endUploads(url, object);
      await remove(name);
    }
  };
  return {
    path,
    async prepare() {},
    async create(name, text) {
      const bytes = Buffer.from(text);
      const version = await at(name, 'write', client => client.put(bytes, null).catch(unless('changed')));
      if (version === undefined) {
        // The request may have been made again because the response to the first one was lost.
        const found = await at(name, 'read', client => client.get());
        return found?.bytes.equals(bytes) === true;
      }
      if (name !== marker) await written(name);
      return true;
    },
    async replace(name, text) {
      await at(name, 'write', client => client.put(Buffer.from(text)));
      if (name !== marker) await written(name);
    },
    read: async name => (await at(name, 'read', client => client.get()))?.bytes.toString(),
    modified: async name => (await at(name, 'read', client => client.head()))?.modified,
    async list(folder) {
      const prefix = nameOf(`${folder}/`);
      return (await list(prefix)).map(name => name.slice(prefix.length));
    },
    remove,
    async discard(last) {
      await removeAllBut(last);
      await remove(last);
      await removeAllBut(last);
    },
  };
}

/** Gives up the uploads that a checkpoint covers. */
async function endUploads(checkpoint: string, object: FolderObjects['object']): Promise<void> {
  const output = /^(.*)\.checkpoint$/.exec(checkpoint)?.[1];
  if (output === undefined) return;
  for (const name of [output, `${output}.rejects`]) {
    const client = await object(name);
    for (const upload of await client.uploads()) await client.abort(upload);
  }
}

/** An object that is replaced on condition that no other process has replaced it since it was read. */
export const objectDocument = (open: () => Promise<WritableObject>): SharedDocument => ({
  read: async () => (await (await open()).get())?.bytes,
  async update(change) {
    const object = await open();
    try {
      for (;;) {
        const found = await object.get();
        const version = await object
          .put(change(found?.bytes), found?.head.version ?? null)
          .catch(unless('changed'));
        if (version !== undefined) return;
      }
    } catch (error) {
      throw storeError(object.name, 'write', error);
    }
  },
});
