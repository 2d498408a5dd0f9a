import { type ErrorCode, isNode, LineCounter, parseDocument, visit } from 'yaml';

/** Something that is wrong with a definition. */
export interface DefinitionProblem {
  message: string;
  /** What to do about it, if it is known. */
  hint?: string;
  line: number;
}

/** A path to a member: `['score', 'limit']`. */
export type MemberPath = readonly PropertyKey[];

const INDENT = 'Indent with spaces; all keys of a section begin in the same column.';
const QUOTE =
  "Put a value in quotes if it has ': ' or ' #' in it, or begins with one of [ ] { } * & ! | > % @.";

/** What frequent errors of syntax mean, in words that do not need the specification of YAML. */
const EXPLAINED: Partial<Record<ErrorCode, { is: string; hint: string }>> = {
  TAB_AS_INDENT: { is: 'the line is indented with a tab', hint: INDENT },
  BAD_INDENT: { is: 'the line is indented less or more than those that belong to it', hint: INDENT },
  BLOCK_AS_IMPLICIT_KEY: { is: "the line has a second ': ', so it has two keys", hint: QUOTE },
  BAD_SCALAR_START: { is: 'the value begins with a character that has a meaning', hint: QUOTE },
  MULTILINE_IMPLICIT_KEY: {
    is: "the line is no key with ': ' behind it, or is indented in another way than its section",
    hint: INDENT,
  },
  MISSING_CHAR: {
    is: 'a quote, a bracket or a colon is missing',
    hint: 'Close the quotes and brackets of this line and those before it.',
  },
  DUPLICATE_KEY: { is: 'the key is there twice: keys must be unique', hint: 'Remove one of them.' },
  MULTIPLE_DOCS: {
    is: 'there is a second document after ---',
    hint: 'Put each definition into a file of its own.',
  },
};

function syntaxProblem(code: ErrorCode, message: string): Pick<DefinitionProblem, 'message' | 'hint'> {
  const explained = EXPLAINED[code];
  if (explained === undefined) return { message: `invalid YAML: ${message}` };
  return { message: `invalid YAML: ${explained.is}`, hint: explained.hint };
}

export function readDocument(text: string) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  // What follows an error of syntax is read in the wrong way, so only the first one is true.
  const problems: DefinitionProblem[] = document.errors
    .slice(0, 1)
    .map(({ code, message, pos: [offset] }) => ({ ...syntaxProblem(code, message), line: lineAt(offset) }));
  if (problems.length === 0)
    visit(document, {
      Alias(_, { range, source }) {
        const message = `aliases such as *${source} are not allowed`;
        problems.push({ message, line: lineAt(range?.[0] ?? 0) });
      },
    });
  return {
    value: (problems.length === 0 ? document.toJS({ maxAliasCount: 0 }) : undefined) as unknown,
    /** Why it cannot be read; then there is no value. */
    problems,
    /** The line of a member, or of the nearest enclosing one that exists. */
    lineOf(path: MemberPath): number {
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
