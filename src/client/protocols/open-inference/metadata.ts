import * as z from 'zod';
import type { Description } from '../../../base/contract/schemas.ts';
import type { MatrixInput } from '../../bodies/matrix.ts';
import { InvalidResponse } from '../../invalid-response.ts';
import { parseJson } from '../../transport/response-body.ts';

const tensor = z.looseObject({
  name: z.string(),
  datatype: z.string(),
  shape: z.array(z.number()).optional(),
});

/** `GET /v2/models/NAME`, as far as it is used. A server that knows nothing of its model has empty lists. */
const metadata = z.looseObject({
  versions: z.array(z.string()).nullish(),
  inputs: z.array(tensor).nullish(),
  outputs: z.array(tensor).nullish(),
});

/** A tensor that a model says it returns. */
export interface StatedOutput {
  name: string;
  datatype: string;
}

/**
 * What a model says about itself: its columns with their types, its outputs, and its versions, which are part of a run's
 * identity.
 *
 * @throws InvalidResponse
 */
export function parseMetadata(body: Buffer): Description {
  const parsed = metadata.safeParse(parseJson(body));
  if (!parsed.success) throw new InvalidResponse('the response is no description of a model');
  const { versions, inputs, outputs } = parsed.data;
  const input = matrixIn(inputs ?? []);
  const columns =
    input === undefined ? (inputs ?? []).map(({ name, datatype }) => ({ name, type: datatype })) : [];
  return {
    ...(columns.length > 0 && { columns }),
    ...(input && { matrix: input }),
    ...(versions && versions.length > 0 && { model_sha256: versions.join(', ') }),
    outputs: (outputs ?? []).map(({ name, datatype }): StatedOutput => ({ name, datatype })),
  };
}

/** A single input with several numbers for each row, which are all columns; undefined if each column is an input. */
function matrixIn(inputs: readonly z.infer<typeof tensor>[]): MatrixInput | undefined {
  const [only, ...others] = inputs;
  if (only === undefined || others.length > 0 || !/^(FP|U?INT)\d+$/.test(only.datatype)) return undefined;
  const { name, datatype, shape: [, width, ...more] = [] } = only;
  if (width === undefined || width === 1 || more.length > 0) return undefined;
  return { name, datatype, width: width > 1 ? width : undefined };
}

/** The single input of a model that takes all columns as one matrix. */
export const matrixOf = (description: Description | undefined): MatrixInput | undefined =>
  description?.matrix as MatrixInput | undefined; // see `parseMetadata`

/** The outputs of a description that `parseMetadata` has made. */
export const outputsOf = (description: Description | undefined): readonly StatedOutput[] =>
  (description?.outputs as readonly StatedOutput[] | undefined) ?? []; // see above: descriptions may have other members
