import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { definitionSchema } from '../../src/library/definition/definition-schema.ts';
import { root } from '../../test/support/root.ts';
import { commandReference } from './command-reference.ts';
import { errorsPage, problemList } from './errors-page.ts';
import { eventLists } from './event-lists.ts';
import { kindsList } from './kinds-tables.ts';

/** Files that are generated, in whole or in part, from tables in src: path → text of the whole file. */
export function generated(): Map<string, string> {
  return new Map([
    ['pipelines/definition.schema.json', `${JSON.stringify(z.toJSONSchema(definitionSchema), null, 2)}\n`],
    ['docs/command-reference.md', commandReference()],
    ['docs/exit-codes-and-errors.md', errorsPage()],
    ['docs/log-events.md', withTables('docs/log-events.md', eventLists())],
    [
      'docs/running-the-service.md',
      withTables('docs/running-the-service.md', new Map([['problems', problemList()]])),
    ],
    ['docs/formats.md', withTables('docs/formats.md', new Map([['kinds', kindsList()]]))],
  ]);
}

/** A page with each table put between the markers of its name. */
function withTables(path: string, tables: ReadonlyMap<string, string>): string {
  let text = readFileSync(join(root, path), 'utf8');
  for (const [name, table] of tables) {
    const between = new RegExp(`(<!-- ${name}:[^\\n]*-->\\n).*?(<!-- /${name} -->)`, 's');
    if (!between.test(text)) throw new Error(`${path} has no markers for "${name}"`);
    text = text.replace(between, (_, open, close) => `${open}\n${table}\n\n${close}`);
  }
  return text;
}
