import type { Auth } from '../../base/contract/auth-names.ts';
import type { JsonValue } from '../../base/contract/json-value.ts';
import { isOfLines, layoutOf } from '../bodies/layout-of.ts';
import type { ProtocolDescription, ResponseDescription } from './described/description.ts';

/** What `rowcast protocols` says about a protocol. */
export interface ProtocolAbout {
  name: string;
  /** Which servers speak it. */
  speaks: string;
  /** How the key is sent, unless `--auth` says otherwise. */
  auth: Auth;
  request: {
    /** `{model}` is the report. */
    path: string;
    /** For reports whose id begins with a prefix. */
    other_paths: readonly { prefix: string; path: string }[];
    content_type: string;
    /** How rows are written. */
    layout: string;
    /** The body around the rows; null if it is not JSON. */
    body: JsonValue;
  };
  response: {
    /** JSON Pointers, of which the first that leads to a list counts. */
    rows: readonly string[];
    /** What a row is. */
    row: string;
    /** Where the classes are named. */
    classes: string;
  };
  /** The path that says whether the server is ready, or describes the model; null if there is none. */
  ready: string | null;
  limits: { batch_bytes: number | null };
}

/** What a description says about its protocol. */
export function aboutOf({
  name,
  speaks,
  auth,
  request,
  response,
  ready,
  maxBatchBytes,
}: ProtocolDescription): ProtocolAbout {
  const hasBody = !isOfLines(request.layout);
  return {
    name,
    speaks,
    auth,
    request: {
      path: request.path,
      other_paths: request.otherPaths ?? [],
      content_type: layoutOf({ layout: request.layout, body: '$rows' }, 'null').type,
      layout: request.layout,
      body: hasBody ? (request.body ?? '$rows') : null,
    },
    response: {
      rows: [response.rows].flat(),
      row: rowText(response),
      classes: response.classes ?? 'in the rows, else --classes',
    },
    ready: ready ?? null,
    limits: { batch_bytes: maxBatchBytes ?? null },
  };
}

function rowText({ row, value }: ResponseDescription): string {
  if (row !== 'any') return `${row.kind} at "${row.at}"`;
  const within =
    value === undefined ? '' : `; of an object, "${[value].flat().join('" or "')}" if it has that`;
  return `by its shape: a label, a number, a list or an object${within}`;
}
