// Builds the part of the package that programs import: index.js and its dependencies, without the files that only the
// command line uses (the command is a bundle of its own) and without source maps, which need the sources.
//   npm run build

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { bundledSdks } from './bundled-sdks.ts';
import { withOptionTexts } from './option-interfaces.ts';

const compiled = join(import.meta.dirname, '../src');
const library = join(compiled, '../library');

/** Packages that are bundled are those of the command. */
const sharedSdks = new Map(
  Object.entries(bundledSdks).map(([name, path]) => {
    const bundled = relative(dirname(join(library, path)), join(compiled, 'bundle', `${name}.js`));
    return [join(compiled, path), `export * from './${bundled}';\n`];
  }),
);

const reached = new Set<string>();
for (const entry of ['index.js', 'index.d.ts']) await reach(join(compiled, entry));

for (const file of reached) {
  const copy = join(library, relative(compiled, file));
  await mkdir(dirname(copy), { recursive: true });
  const text = withOptionTexts(sharedSdks.get(file) ?? (await readFile(file, 'utf8')));
  await writeFile(copy, text.replace(/^\/\/# sourceMappingURL=.*\n?/m, ''));
}

/** Follows imports (in declarations, of types) and the files of threads. */
async function reach(file: string): Promise<void> {
  if (reached.has(file)) return;
  reached.add(file);
  const text = await readFile(file, 'utf8');
  const isDeclaration = file.endsWith('.d.ts');
  for (const [, path = ''] of text.matchAll(/['"](\.\.?\/[^'"]+\.[jt]s)['"]/g)) {
    const target = isDeclaration ? path.replace(/(\.d)?\.ts$/, '.d.ts') : path;
    await reach(join(dirname(file), target));
  }
}
