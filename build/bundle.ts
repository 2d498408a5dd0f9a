// Bundles the compiled modules of the command and their libraries into few files: finding, reading and linking one file
// per module took most of the start-up time (test/bench/RESULTS.md).
//   npm run build

import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OutputChunk, type PreRenderedChunk, rolldown } from 'rolldown';
import { minify } from 'rolldown/utils';
import { bundledSdks } from './bundled-sdks.ts';

const compiled = join(import.meta.dirname, '../src');
/** At the same depth as the modules, because these refer to package.json and each other by relative URLs. */
const folder = join(compiled, 'bundle');

/** Packages that talk to stores, which are not installed with rowcast. */
const sdks = Object.fromEntries(
  Object.entries(bundledSdks).map(([name, file]) => [name, join(compiled, file)]),
);

/** Replacements for packages that load much code that is not used. */
const standIns: Readonly<Record<string, string>> = {
  // Its index also loads fetch, web sockets and caches, which are larger than everything else together.
  undici: `
    import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
    import Client from 'undici/lib/dispatcher/client.js';
    import api from 'undici/lib/api/index.js';
    import buildConnector from 'undici/lib/core/connect.js';
    Object.assign(Dispatcher.prototype, api);
    export { buildConnector, Client };`,
  // undici's HTTP/2: connections are opened without offering it (client/transport/connection.ts).
  './client-h2.js': `module.exports = () => { throw new Error('no HTTP/2'); };`,
  // yargs measures the text of its help with it, which is not used; its tables take as long to load as Node to start.
  'string-width': 'export default text => text.length;',
};
const STAND_IN = 'stand-in:';

/** Characters of a chunk from which on its comments and long names matter. */
const LARGE = 60_000;

// The module of which only the type is in `src`.
const kernel = await readFile(join(import.meta.dirname, '../../assembly/kernel.wasm'), 'base64');
await writeFile(join(compiled, 'base/kernel/kernel-wasm.js'), `export const kernelWasm = '${kernel}';\n`);

const bundle = await rolldown({
  input: {
    rowcast: join(compiled, 'cli/main.js'),
    // Threads are started by file name.
    'admin-worker': join(compiled, 'server/admin/admin-worker.js'),
    'model-worker': join(compiled, 'models/model/model-worker.js'),
    'profile-worker': join(compiled, 'web/data/profile/profile-worker.js'),
    'evaluation-worker': join(compiled, 'web/report/evaluation/evaluation-worker.js'),
    'outcomes-worker': join(compiled, 'web/runs/evaluate/outcomes-worker.js'),
    'scored-worker': join(compiled, 'evaluate/scored-worker.js'),
    'leak-worker': join(compiled, 'web/trainings/leak-worker.js'),
    'text-worker': join(compiled, 'web/runs/text-worker.js'),
    'service-worker': join(compiled, 'server/threads/service-worker.js'),
    'training-worker': join(compiled, 'training/training-worker.js'),
    // The library uses these files too: build/library.ts.
    ...sdks,
  },
  platform: 'node',
  // Not installed with rowcast, and loaded only for a queue.
  external: ['bullmq', 'ioredis', 'pg'],
  plugins: [
    {
      name: 'stand-ins',
      resolveId: id => (id in standIns ? STAND_IN + id : undefined),
      load: id => (id.startsWith(STAND_IN) ? standIns[id.slice(STAND_IN.length)] : undefined),
    },
  ],
});
/** Small modules that are loaded together: one file is found and read sooner than twenty. */
const groups = [
  {
    name: 'tables',
    test: /\/dist\/src\/(base\/(options\/(?!values\/(?!option-text))|(?!parse-records|write-row|thread-result)[\w-]+\.js$)|cli\/(command-table|wrapped-text))/,
  },
  // A group takes what its modules import, too, but for these, which are also needed without it, or it without them.
  { name: 'version', test: /\/src\/base\/version\.js$/, priority: 1 },
  { name: 'zod', test: /\/node_modules\/zod\//, priority: 1 },
  { name: 'csv-libraries', test: /\/node_modules\/csv-(parse|stringify)\//, priority: 1 },
  // Only for Parquet.
  { name: 'parquet-libraries', test: /\/node_modules\/(hyparquet|hysnappy|fzstd)/ },
  // Only for traces and metrics; the server has its own use for its API.
  { name: 'opentelemetry', test: /\/node_modules\/@opentelemetry\/(?!api\/)/ },
  { name: 'records', test: /\/src\/(formats\/(bytes\/|csv\/|[\w-]+\.js$)|storage\/(?!stores\/[\w-]+\/))/ },
  // Only for JSON lines.
  { name: 'json-lines', test: /\/src\/formats\/jsonl\/(?!jsonl-format)/ },
  // Reports that the rest cannot be loaded, for example because the working directory is gone.
  { name: 'failure-report', test: /\/src\/cli\/report-failure\.js$/ },
  { name: 'command-line', test: /\/src\/cli\/dispatch\.js$/ },
  // Only to ask a service.
  {
    name: 'ask-service',
    test: /\/src\/(client\/(protocols\/protocols|bodies\/encode)|library\/service\/choose-protocol)\.js$/,
  },
  { name: 'score-run', test: /\/src\/(cli\/commands\/score|runs\/execute-run|scoring\/stages)\.js$/ },
];
const { output } = await bundle.write({
  dir: folder,
  entryFileNames: '[name].js',
  chunkFileNames: chunk =>
    `${groups.some(({ name }) => name === chunk.name) ? chunk.name : chunkName(chunk)}.js`,
  codeSplitting: { groups },
  // The texts of licences are in a file of their own.
  comments: false,
});
await bundle.close();

// The threads of a run have a bundle of their own, a fifth as large: it has no part of a module that they do not need.
const thread = await rolldown({
  input: { 'scoring-worker': join(compiled, 'models/local/threads/scoring-worker.js') },
  platform: 'node',
});
const { output: threadOutput } = await thread.write({
  dir: folder,
  entryFileNames: '[name].js',
  comments: false,
  codeSplitting: false,
});
await thread.close();

for (const part of [...output, ...threadOutput])
  if (part.type === 'chunk') await writeFile(join(folder, part.fileName), asciiOf(await codeOf(part)));

// Whoever may read the command may run it.
const command = join(folder, 'rowcast.js');
const { mode } = await stat(command);
await chmod(command, mode | ((mode & 0o444) >> 2));

const modules = [...output, ...threadOutput].flatMap(part => (part.type === 'chunk' ? part.moduleIds : []));
await writeFile(join(folder, 'LICENSES.txt'), await licencesOf(packagesOf(modules)));

/** Nobody reads the packages that talk to stores here, and they are large. */
async function codeOf({ fileName, moduleIds, code }: OutputChunk): Promise<string> {
  const isSdk =
    moduleIds.length > 0 &&
    moduleIds.every(id => /^\0|\/node_modules\/|\/stores\/\w+\/(sdk|identity)\.js$/.test(id));
  return isSdk && code.length > LARGE ? (await minify(fileName, code, { module: true })).code : code;
}

/** A single other character doubles the memory of a source text, and so the garbage collection of a short command. */
function asciiOf(code: string): string {
  if (/\\[^\0-\x7f]/.test(code)) throw new Error('a character after a backslash cannot be escaped');
  return code.replace(
    /[^\0-\x7f]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * A chunk is named after the path of the module that the others in it are needed for. With the base name alone, two
 * chunks could have one name, and one of them would get a number. A chunk without modules passes on what a dynamic
 * import loads.
 */
function chunkName({ moduleIds, facadeModuleId }: PreRenderedChunk): string {
  const module = moduleIds.at(-1) ?? facadeModuleId ?? '';
  const path = module.replace(/^.*\/node_modules\//, '').replace(`${compiled}/`, '');
  const name = path
    .replace(/\.[cm]?js$/, '')
    .replace(/[^\w-]+/g, '-')
    .replace(/^-/, '');
  return moduleIds.length === 0 ? `load-${name}` : name;
}

/** The folders of the packages that the modules come from, without duplicates. */
function packagesOf(modules: readonly string[]): string[] {
  const folders = modules.map(id => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]);
  return [...new Set(folders)].filter(found => found !== undefined).sort();
}

/** The licence texts that must accompany copies of the packages. */
async function licencesOf(packages: readonly string[]): Promise<string> {
  const texts = packages.map(async folder => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const files = (await readdir(folder)).filter(file => /^licen[cs]e/i.test(file));
    const words = await Promise.all(files.map(file => readFile(join(folder, file), 'utf8')));
    return [`${name} ${version} (${license})`, ...words.map(text => text.trim())].join('\n\n');
  });
  return `${(await Promise.all(texts)).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
