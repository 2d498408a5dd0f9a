import { basename, extname, isAbsolute, normalize } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { schemeOf } from '../../base/scheme.ts';
import { suggestNames } from '../../base/suggest-names.ts';
import { nameOfContent } from '../../storage/codecs/codecs.ts';
import { fixedFolderOf } from '../../storage/folders.ts';
import type { InputFile } from './input-files.ts';

const PLACEHOLDER = /\{(\w*)\}/g;
const KNOWN = ['name', 'dir', 'index'] as const;

/** Whether the name of an output depends on its input: `scored/{name}.csv`. */
export const isOutputPattern = (name: string): boolean =>
  [...name.matchAll(PLACEHOLDER)].some(([, placeholder]) => KNOWN.some(known => known === placeholder));

/** The folder that all outputs of a pattern are in: `scored` for `scored/{dir}/{name}.csv`. */
export const folderOfPattern = (pattern: string): string => fixedFolderOf(pattern, /\{\w*\}/);

/**
 * A pattern of files that matches all outputs of a pattern, and others too: `scored/*.csv` for `scored/{index}.csv`.
 */
export const globOfPattern = (pattern: string): string =>
  pattern.replace(PLACEHOLDER, (_, placeholder: string) => (placeholder === 'dir' ? '**' : '*'));

/** Tells whether a name may be that of an output of a pattern. */
export function likePattern(pattern: string): (output: string) => boolean {
  const normal = schemeOf(pattern) === undefined ? normalize(pattern) : pattern;
  const source = normal
    .split(PLACEHOLDER)
    .map((part, index) => {
      if (index % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      return part === 'dir' ? '.*' : part === 'index' ? '\\d+' : '[^/]+';
    })
    .join('')
    // The folder of an input may be that of the pattern.
    .replaceAll('/.*/', '/(?:.*/)?');
  const form = new RegExp(`^${source}$`);
  return output => form.test(output);
}

/**
 * The output of an input: `{name}` is its name without the suffixes of format and compression, `{dir}` its folder,
 * `{index}` its number, from 1.
 *
 * @throws RowcastError `usage`
 */
export function fillPattern(pattern: string, { path, dir }: InputFile, index: number): string {
  const filled = pattern.replace(PLACEHOLDER, (all, placeholder: string) => {
    switch (placeholder) {
      case 'name':
        return nameOf(path);
      case 'dir':
        return checkedDir(dir, path);
      case 'index':
        return String(index);
      default:
        throw unknownPlaceholder(all, placeholder);
    }
  });
  if (schemeOf(pattern) === undefined) return normalize(filled);
  // The folder of an input directly below its pattern is `.`, which is a name like any other in a store.
  return filled.replaceAll('/./', '/');
}

function nameOf(path: string): string {
  const name = nameOfContent(basename(path));
  return basename(name, extname(name));
}

/** The outputs stay below the folder of the pattern. */
function checkedDir(dir: string, path: string): string {
  const plain = normalize(dir);
  if (!isAbsolute(plain) && plain.split('/')[0] !== '..') return plain;
  throw new RowcastError('usage', `{dir} would lead out of the folder of the outputs: ${plain}`, {
    location: { file: path },
    hint: 'Give the inputs as a quoted pattern, below whose folder {dir} begins.',
  });
}

function unknownPlaceholder(all: string, placeholder: string): RowcastError {
  const near = suggestNames(placeholder, KNOWN).map(name => `{${name}}`);
  const question = near.length === 0 ? '' : `Did you mean ${near.join(' or ')}? `;
  return new RowcastError('usage', `unknown placeholder in the name of the outputs: ${all}`, {
    hint: `${question}A pattern may contain {name}, {dir} and {index}.`,
  });
}
