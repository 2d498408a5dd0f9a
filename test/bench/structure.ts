// Prints figures about the structure of the code: node dist/test/bench/structure.js [FOLDER OF A CHECKOUT]
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from '../support/root.ts';
import { controlPath } from './control-path.ts';

const checkout = process.argv[2] ?? root;
const textOf = (file: string): string => readFileSync(join(checkout, file), 'utf8');
const filesOf = (folder: string, suffix: string): string[] =>
  readdirSync(join(checkout, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith(suffix))
    .map(file => join(folder, file));

const sources = filesOf('src', '.ts');
const imports = sources.flatMap(file =>
  [...textOf(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g)].map(([, target = '']) => ({
    file,
    target: normalize(join(dirname(file), target)),
  })),
);

/** The folders of a file and of what it imports, where their paths part; undefined if one is in the other's folder. */
function siblings({ file, target }: (typeof imports)[number]): [string, string] | undefined {
  const [from, to] = [dirname(file).split('/'), dirname(target).split('/')];
  const parted = from.findIndex((name, i) => name !== to[i]);
  if (parted === -1 || to[parted] === undefined) return undefined;
  return [from.slice(0, parted + 1).join('/'), to.slice(0, parted + 1).join('/')];
}

const pairs = new Set(imports.flatMap(each => siblings(each)?.join(' ') ?? []));
const both = [...pairs].filter(pair => pairs.has(pair.split(' ').reverse().join(' ')));
const csvUsers = imports.filter(
  ({ file, target }) => target.startsWith('src/formats/csv') && !file.startsWith('src/formats/'),
);
const words = [...filesOf('docs', '.md'), 'test/bench/RESULTS.md']
  .map(file => textOf(file).split(/\s+/).filter(Boolean).length)
  .reduce((sum, count) => sum + count, 0);
const lines = sources.map(file => textOf(file).split('\n').length - 1).reduce((sum, count) => sum + count, 0);
const rooms = readdirSync(join(checkout, 'src'), { withFileTypes: true }).filter(entry =>
  entry.isDirectory(),
);

const path = controlPath(file => (existsSync(join(checkout, 'src', file)) ? textOf(join('src', file)) : ''));

for (const [what, figure] of Object.entries({
  'rooms at the top of src': rooms.length,
  'functions from the command to the stages': path.functions,
  'changes of room on the way': path.moves,
  'pairs of sibling folders that import each other': both.length / 2,
  'files outside formats that import formats/csv': new Set(csvUsers.map(({ file }) => file)).size,
  'words of docs and RESULTS.md': words,
  'lines of src': lines,
}))
  process.stdout.write(`${String(figure).padStart(7)}  ${what}\n`);
