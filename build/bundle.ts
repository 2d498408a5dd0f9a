// Makes the command of its compiled modules and their libraries, in few files: finding, reading and linking a file a
// module was most of the time that it took to begin (test/bench/RESULTS.md).
//   npm run build

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const compiled = join(import.meta.dirname, '../src');
/** As deep as the modules that it is made of, because these name package.json and each other by relative URLs. */
const folder = join(compiled, 'bundle');

/** What stands in the bundle for packages that load much of which nothing is used. */
const standIns: Readonly<Record<string, string>> = {
  // Its index loads the web's fetch, sockets and caches as well, which is more than all else together.
  undici: `
    import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
    import Client from 'undici/lib/dispatcher/client.js';
    import api from 'undici/lib/api/index.js';
    import buildConnector from 'undici/lib/core/connect.js';
    Object.assign(Dispatcher.prototype, api);
    export { buildConnector, Client };`,
  // yargs measures the help with it, which is our own and Latin; its tables take as long to load as Node to start.
  'string-width': 'export default text => text.length;',
  // Stays outside, since it finds its WebAssembly beside itself. An import would be searched for the names it exports.
  'ydf-training': `
    import { createRequire } from 'node:module';
    export default createRequire(import.meta.url)('ydf-training');`,
};
const STAND_IN = 'stand-in:';

const bundle = await rolldown({
  input: {
    rowcast: join(compiled, 'cli/main.js'),
    // Threads are started by their file's name.
    'admin-worker': join(compiled, 'server/admin/admin-worker.js'),
    'embedded-worker': join(compiled, 'server/embedded/embedded-worker.js'),
    'model-worker': join(compiled, 'reports/model/model-worker.js'),
    'training-worker': join(compiled, 'training/training-worker.js'),
  },
  platform: 'node',
  plugins: [
    {
      name: 'stand-ins',
      resolveId: id => (id in standIns ? STAND_IN + id : undefined),
      load: id => (id.startsWith(STAND_IN) ? standIns[id.slice(STAND_IN.length)] : undefined),
    },
  ],
});
const { output } = await bundle.write({
  dir: folder,
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
});
await bundle.close();

const modules = output.flatMap(part => (part.type === 'chunk' ? part.moduleIds : []));
await writeFile(join(folder, 'LICENSES.txt'), await licencesOf(packagesOf(modules)));

/** The folders of the packages that modules come from, each once. */
function packagesOf(modules: readonly string[]): string[] {
  const folders = modules.map(id => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]);
  return [...new Set(folders)].filter(found => found !== undefined).sort();
}

/** What the licences of packages want to stand beside their copies. */
async function licencesOf(packages: readonly string[]): Promise<string> {
  const texts = packages.map(async folder => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const files = (await readdir(folder)).filter(file => /^licen[cs]e/i.test(file));
    const words = await Promise.all(files.map(file => readFile(join(folder, file), 'utf8')));
    return [`${name} ${version} (${license})`, ...words.map(text => text.trim())].join('\n\n');
  });
  return `${(await Promise.all(texts)).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
