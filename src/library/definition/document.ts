import { isNode, LineCounter, parseDocument, visit } from 'yaml';

/** Something that is wrong with a definition. */
export interface Problem {
  message: string;
  line: number;
}

/** A path to a member: `['score', 'limit']`. */
export type MemberPath = readonly PropertyKey[];

/** A YAML file, with the lines of its members. */
export interface DefinitionDocument {
  value: unknown;
  /** Why it cannot be read; then there is no value. */
  problems: Problem[];
  /** The line of a member, or of the nearest enclosing one that exists. */
  lineOf(path: MemberPath): number;
}

export function readDocument(text: string): DefinitionDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const problems = document.errors.map(({ message, pos: [offset] }) => ({
    message: `invalid YAML: ${message}`,
    line: lineAt(offset),
  }));
  if (problems.length === 0)
    visit(document, {
      Alias(_, { range, source }) {
        const message = `aliases such as *${source} are not allowed`;
        problems.push({ message, line: lineAt(range?.[0] ?? 0) });
      },
    });
  return {
    value: problems.length === 0 ? document.toJS({ maxAliasCount: 0 }) : undefined,
    problems,
    lineOf(path) {
      for (let depth = path.length; depth > 0; depth--) {
        const parent = document.getIn(path.slice(0, depth - 1), true) ?? document.contents;
        const pairs: unknown = Object(parent).items;
        if (!Array.isArray(pairs)) continue;
        const pair = pairs.find(({ key }) => String(key) === String(path[depth - 1]));
        if (isNode(pair?.key) && pair.key.range) return lineAt(pair.key.range[0]);
      }
      return 1;
    },
  };
}
