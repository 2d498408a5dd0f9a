import type { ProtocolName } from '../../base/contract/protocol-names.ts';
import { defaultAuth } from './default-auth.ts';
import { descriptions } from './described/descriptions.ts';
import { aboutOf, type ProtocolAbout } from './protocol-about.ts';

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
