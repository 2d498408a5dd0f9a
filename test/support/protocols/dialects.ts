import { parseRecords } from '../../../src/base/parse-records.ts';
import { encodeValue } from '../../../src/formats/json/write-bytes.ts';
import type { Dialect, Rows } from './model-server.ts';

const json = 'application/json';

/** Lists of cells as rows by column; all lists must have as many cells as there are columns. */
function byColumn(columns: readonly string[], data: readonly (readonly unknown[])[]): Rows {
  if (data.some(({ length }) => length !== columns.length)) throw new TypeError('a row has another length');
  return data.map(cells => Object.fromEntries(columns.map((name, at) => [name, cells[at]])));
}

/** An online endpoint of Azure Machine Learning with the deployment `r`. */
export const azureml: Dialect = {
  path: '/score',
  type: json,
  others: { '/': 'Healthy' },
  needsKey: true,
  rowsOf(body, { headers }) {
    if (headers['azureml-model-deployment'] !== 'r') throw new TypeError('no such deployment');
    const { columns, index, data } = JSON.parse(body).input_data;
    const rows = byColumn(columns, data);
    if (index.some((number: number, at: number) => number !== at) || index.length !== rows.length)
      throw new TypeError('the index');
    return rows;
  },
  respond: predictions => predictions.map(({ no, yes }) => [no, yes]),
  error: message => ({ message }),
};

/** What a model of MLflow returns for a row: probabilities, as a list or an object by class, a label, or a number. */
type Returned = 'lists' | 'objects' | 'labels' | 'numbers';

/** A scoring server of MLflow. */
export const mlflow = (returned: Returned = 'lists'): Dialect => ({
  path: '/invocations',
  type: json,
  others: { '/ping': '\n' },
  needsKey: true,
  rowsOf(body) {
    const { dataframe_split: frame, ...others } = JSON.parse(body);
    if (Object.keys(others).length > 0) throw new TypeError('the input is not a dataframe');
    return byColumn(frame.columns, frame.data);
  },
  respond(probabilities, body) {
    const predictions = probabilities.map(each => {
      if (returned === 'labels') return labelOf(each);
      if (returned === 'numbers') return each.no;
      if (returned === 'lists') return Object.values(each);
      // A dict of Python keeps the order in which its members were set.
      return probabilities.length % 2 === 0 ? each : { yes: each.yes, no: each.no };
    });
    // Proxies in front of servers, and versions of MLflow, differ in spaces and members.
    const response =
      body.length % 3 === 0 ? { predictions, databricks_output: { trace: null } } : { predictions };
    return JSON.stringify(response, null, body.length % 2);
  },
  error: message => ({ error_code: 'BAD_REQUEST', message, sqlstate: null, error_class: null }),
});

/** A label that has to be quoted, or one that has not. */
export const labelOf = ({ no = 0, yes = 0 }: Record<string, number>): string =>
  no > yes ? 'no, "never"' : 'yes';

/** KServe with the model `r`, whose content type must not have a charset. */
export const kserveV1: Dialect = {
  path: '/v1/models/r:predict',
  type: json,
  others: { '/v1/models/r': '{"name":"r","ready":true}' },
  needsKey: true,
  rowsOf: body => JSON.parse(body).instances,
  respond: predictions => ({ predictions: predictions.map(({ no, yes }) => [no, yes]) }),
  error: error => ({ error }),
};

/** The prediction API of DataRobot with the deployment `r`: its classes come in an order of their own. */
export const datarobot: Dialect = {
  path: '/predApi/v1.0/deployments/r/predictions',
  type: 'text/csv',
  needsKey: true,
  rowsOf(body) {
    const [columns = [], ...cells] = cellsOf(body);
    return byColumn(columns.map(String), cells);
  },
  respond: predictions => ({
    data: predictions.map(({ no = 0, yes = 0 }, rowId) => ({
      prediction: yes > no ? 'yes' : 'no',
      predictionValues: [
        { label: 'yes', value: yes },
        { label: 'no', value: no },
      ],
      predictionThreshold: 0.5,
      rowId,
    })),
  }),
  error: message => ({ message }),
};

/** A CSV without a header, whose values are what JSON would make of them. */
const cellsOf = (body: string): unknown[][] =>
  parseRecords(body, { delimiter: ',', quote: '"', loneCr: false }).map(record =>
    record.map(field => (field === '' || field === 'NaN' ? null : JSON.parse(encodeValue(field, undefined)))),
  );

/** An endpoint `r` of SageMaker whose container is XGBoost. Its columns have no names. */
export const sagemaker: Dialect = {
  path: '/endpoints/r/invocations',
  type: 'text/csv',
  needsKey: false,
  rowsOf(body) {
    // What its decoder makes of an empty field depends on the other rows.
    if (/,$/m.test(body)) throw new TypeError('an empty amount');
    return byColumn(['id', 'text', 'amount'], cellsOf(body));
  },
  respond: predictions => ({ predictions: predictions.map(({ no, yes }) => ({ score: [no, yes] })) }),
  error: OriginalMessage => ({ OriginalMessage, Message: 'Received client error from primary' }),
};

/** An endpoint `r` of SageMaker that reads and writes an object on each line. */
export const sagemakerJsonLines: Dialect = {
  ...sagemaker,
  type: 'application/jsonlines',
  rowsOf(body, { headers }) {
    if (headers.accept !== 'application/jsonlines') throw new TypeError('the response');
    return body
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
  },
  respond: predictions => predictions.map(({ no, yes }) => `{"no":${no},"yes":${yes}}\n`).join(''),
};

interface Tensor {
  name: string;
  shape: number[];
  datatype: string;
  data: unknown[];
}

/** A server of Open Inference with the model `r`, which is as strict as Triton, but accepts null. */
export const openInference: Dialect = {
  path: '/v2/models/r/infer',
  type: json,
  others: {
    '/v2/models/r': '{"name":"r","versions":["1"],"platform":"","inputs":[],"outputs":[]}',
    '/v2/models/r/ready': '',
  },
  needsKey: false,
  rowsOf(body) {
    const { inputs }: { inputs: Tensor[] } = JSON.parse(body);
    const types: Readonly<Record<string, string>> = { BYTES: 'string', FP64: 'number', INT64: 'number' };
    const count = inputs[0]?.data.length ?? 0;
    for (const { name, shape, datatype, data } of inputs) {
      if (shape[0] !== count || shape[1] !== 1 || data.length !== count)
        throw new TypeError(`${name}: shape`);
      if (!data.every(cell => cell === null || typeof cell === types[datatype]))
        throw new TypeError(`${name}: a cell is no ${datatype}`);
    }
    return Array.from({ length: count }, (_, row) =>
      Object.fromEntries(inputs.map(({ name, data }) => [name, data[row]])),
    );
  },
  respond(predictions, body) {
    const { id, outputs } = JSON.parse(body);
    const wantsProbabilities = outputs?.[0]?.name === 'predict_proba';
    const own = wantsProbabilities
      ? {
          name: 'predict_proba',
          shape: [predictions.length, 2],
          datatype: 'FP64',
          data: predictions.flatMap(({ no, yes }) => [no, yes]),
        }
      : {
          name: 'predict',
          shape: [predictions.length, 1],
          datatype: 'BYTES',
          data: predictions.map(({ no = 0, yes = 0 }) => (yes > no ? 'yes' : 'no')),
        };
    return { model_name: 'r', model_version: '1', id, parameters: {}, outputs: [own] };
  },
  error: error => ({ error }),
};

/** A server of one's own, which names its classes in an order of its own. */
export const own: Dialect = {
  path: '/score?v=2',
  type: json,
  others: { '/readyz': 'ok' },
  needsKey: false,
  rowsOf(body) {
    const { columns, data } = JSON.parse(body);
    return byColumn(columns, data);
  },
  respond: predictions => ({
    result: { predictions: predictions.map(({ no, yes }) => ({ proba: [yes, no] })), classes: ['yes', 'no'] },
  }),
  error: detail => ({ detail }),
};
