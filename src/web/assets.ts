import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyPluginAsync } from 'fastify';

/** Shipped as they are: from a module and from the bundle, which has the same depth, the path is the same. */
const folder = new URL('../../../src/web/assets/', import.meta.url);
/** The parts of the style sheet of all pages; what comes later in the order of their names takes precedence. */
const styleFolder = new URL('style/', folder);

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/** Read once: they are small, and no name of a request becomes part of a path. */
const files: ReadonlyMap<string, { type: string; bytes: Buffer }> = new Map(
  [
    ...filesIn(folder),
    ['style.css', Buffer.concat(filesIn(styleFolder).map(([, bytes]) => bytes))] as const,
  ].flatMap(([name, bytes]) => {
    const type = types[name.split('.').at(-1) ?? ''];
    return type === undefined ? [] : [[name, { type, bytes }]];
  }),
);

function filesIn(folder: URL): (readonly [string, Buffer])[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) => [name, readFileSync(new URL(name, folder))] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Changes with any of the files, so that browsers may keep them forever. */
const version = [...files]
  .reduce(
    (hash, [name, { bytes }]) => hash.update(`${name} ${bytes.length}\n`).update(bytes),
    createHash('sha256'),
  )
  .digest('hex')
  .slice(0, 16);

export type AssetName = `${string}.${'css' | 'js' | 'svg'}`;

/** The path of a style sheet, module or picture. */
export function assetPath(name: AssetName): string {
  if (!files.has(name)) throw new Error(`there is no asset ${name}`);
  return `/assets/${version}/${name}`;
}

/** A style sheet as text, for a page in one file. */
export function assetText(name: AssetName): string {
  const asset = files.get(name);
  if (asset === undefined) throw new Error(`there is no asset ${name}`);
  return asset.bytes.toString();
}

/** Serves the style sheets, modules and pictures of the pages, without a session: the sign-in page needs them. */
export const assetRoutes: FastifyPluginAsync = async app => {
  for (const [name, { type, bytes }] of files)
    app.get(`/assets/${version}/${name}`, (_, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(bytes),
    );
};

/**
 * Data to try the platform with; it ships with the package. From a module and from the bundle, the path is the same.
 */
export const sampleFile = fileURLToPath(new URL('../../../fixtures/telecom-history.csv', import.meta.url));
export const sampleName = 'telecom-history.csv';
