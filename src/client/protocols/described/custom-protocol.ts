import { isOfLines } from '../../bodies/layout-of.ts';
import type { CustomProtocol } from './custom-shape.ts';
import type { DescribedKind, ProtocolDescription, RowDescription } from './description.ts';

/** The description of a protocol as a definition has it. */
export function customDescription({ request, response, errors, ready }: CustomProtocol): ProtocolDescription {
  const { rows, row = {}, classes } = response;
  return {
    name: 'custom',
    speaks: 'any server with these shapes',
    auth: 'none',
    request,
    response: { rows, lines: isOfLines(request.layout), row: rowOf(row), classes },
    errors: errors === undefined ? { message: DEFAULT_MESSAGES } : withoutUndefined(errors),
    ready,
    missing: request.layout.startsWith('csv') ? 'empty' : 'null',
  };
}

/** Where servers usually have the message of an error. */
const DEFAULT_MESSAGES = ['/detail', '/message', '/error/message', '/error'];

function rowOf(row: Partial<Record<DescribedKind, string | undefined>>): RowDescription {
  for (const kind of ['probabilities', 'label', 'number', 'numbers'] as const) {
    const at = row[kind];
    if (at !== undefined) return { kind, at };
  }
  return 'any';
}

const withoutUndefined = ({ message, code }: { message: string; code?: string | undefined }) =>
  code === undefined ? { message } : { message, code };
