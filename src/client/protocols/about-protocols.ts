import type { Auth, ProtocolName } from '../../base/contract/protocol-names.ts';
import type { JsonValue } from '../../base/contract/schemas.ts';
import { isOfLines, layoutOf } from '../bodies/layout-of.ts';
import type { ProtocolDescription, ResponseDescription } from './described/description.ts';
import { defaultAuth, descriptions } from './described/descriptions.ts';

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
function aboutOf({
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

/** What `rowcast protocols` says about the protocol of this name. */
export const aboutProtocol = (name: ProtocolName): ProtocolAbout =>
  name in others ? others[name as Other] : aboutOf(descriptions[name as Described]); // one of both has it

type Described = keyof typeof descriptions;
type Other = Exclude<ProtocolName, Described>;

/** Those that data alone does not describe. */
const others: Readonly<Record<Other, ProtocolAbout>> = {
  report: {
    name: 'report',
    speaks: 'the prediction report API: rowcast serve and hosted services',
    auth: defaultAuth('report'),
    request: {
      path: '/user/batch-persona',
      other_paths: [],
      content_type: 'application/json',
      layout: 'objects',
      body: { id: '{model}', personas: '$rows' },
    },
    response: {
      rows: ['/predictions'],
      row: 'probabilities at "/probabilities", or an error',
      classes: 'in the report, else in the rows, else --classes',
    },
    ready: '/user/report/{model}',
    limits: { batch_bytes: 32 << 20 },
  },
  'open-inference': {
    name: 'open-inference',
    speaks: 'KServe v2, Triton, MLServer, Seldon',
    auth: defaultAuth('open-inference'),
    request: {
      path: '/v2/models/{model}/infer',
      other_paths: [],
      content_type: 'application/json',
      layout: 'tensors',
      body: { id: '$id', parameters: { content_type: 'pd' }, inputs: '$rows' },
    },
    response: {
      rows: ['/outputs'],
      row: 'a label or a number, or a probability for each class, of one output; several numbers, of several',
      classes: '--classes',
    },
    ready: '/v2/models/{model}',
    limits: { batch_bytes: null },
  },
  custom: {
    name: 'custom',
    speaks: 'any server with these shapes, as service.custom of a definition describes it',
    auth: defaultAuth('custom'),
    request: {
      path: 'request.path',
      other_paths: [],
      content_type: 'application/json, application/jsonlines or text/csv',
      layout: 'request.layout: objects, arrays, columns, csv, csv-without-header or json-lines',
      body: 'request.body',
    },
    response: {
      rows: ['response.rows'],
      row: 'response.row',
      classes: 'response.classes, else as in others',
    },
    ready: 'ready',
    limits: { batch_bytes: null },
  },
};
