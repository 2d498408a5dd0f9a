import * as z from 'zod';
import type { Predictions } from '../../../base/contract/predictions.ts';
import { formatList, sanitize } from '../../../base/sanitize.ts';
import { InvalidResponse, parseResponse } from '../../parse-response.ts';
import { checkCount, collectPredictions } from '../collect-predictions.ts';
import type { DescribedKind } from '../described/description.ts';
import { copyList, placesIn, unnamed } from '../described/read-distributions.ts';
import { readPredictions } from '../described/read-predictions.ts';
import { type Expected, expectedClasses, type ResponseReader } from '../protocol.ts';

const output = z.looseObject({
  name: z.string(),
  shape: z.array(z.int().min(0)).min(1),
  datatype: z.string(),
  // Its values are checked where they are read.
  data: z.custom<readonly unknown[]>(Array.isArray),
});
type Output = z.infer<typeof output>;

const inference = z.looseObject({
  id: z.string().nullish(),
  model_version: z.string().nullish(),
  outputs: z.array(output),
});

/** Reads the responses of one run. All must come from the same version of the model. */
export class InferenceResponses implements ResponseReader {
  readonly #requested: string | undefined;
  readonly #named: readonly string[] | undefined;
  #version: string | undefined;

  /**
   * @param requested the name of the output that was asked for, if any
   * @param named the classes that options name, in the order of the probabilities
   */
  constructor(requested: string | undefined, named: readonly string[] | undefined) {
    this.#requested = requested;
    this.#named = named;
  }

  read(body: Buffer, expected: Expected): Predictions {
    const parsed = inference.safeParse(parseResponse(body));
    if (!parsed.success) throw new InvalidResponse('the response has no list "outputs" of tensors with data');
    const { id, model_version: version, outputs } = parsed.data;
    if (id !== expected.id) throw new InvalidResponse('the response does not have the id of its request');
    this.#checkVersion(version ?? undefined);
    for (const each of outputs) checkShape(each, expected.personas);
    const chosen = chooseOutput(outputs, this.#requested, this.#named);
    return chosen === undefined
      ? readPredictions({ values: rowsOf(outputs), described: 'numbers', listed: undefined }, expected)
      : this.#readOutput(chosen, expected);
  }

  #readOutput(chosen: Output, expected: Expected): Predictions {
    const { data } = chosen;
    const width = widthOf(chosen);
    if (width === 1)
      return readPredictions({ values: data, described: kindOf(chosen), listed: undefined }, expected);
    const listed = this.#named;
    if (listed === undefined) throw unnamed();
    const known = expectedClasses(expected);
    const classes = known ?? listed;
    if (width !== listed.length)
      throw new InvalidResponse(
        `the output "${sanitize(chosen.name)}" has ${width} values for each row, expected ${listed.length}`,
      );
    const places = placesIn(listed, classes, known !== undefined);
    return collectPredictions(expected, classes, (row, into) =>
      copyList(data, row, classes, places, into, row * width),
    );
  }

  /** @throws InvalidResponse `report_changed` */
  #checkVersion(version: string | undefined): void {
    if (version === undefined) return;
    this.#version ??= version;
    if (version !== this.#version)
      throw new InvalidResponse(
        `the response is from version ${sanitize(version)} of the model, earlier ones were from version ${sanitize(this.#version)}`,
        true,
        'report_changed',
      );
  }
}

/** Number of values for each row. */
const widthOf = ({ shape }: Output): number => shape.slice(1).reduce((product, size) => product * size, 1);

/** No server of this protocol checks that it returns as much as it says. @throws InvalidResponse */
function checkShape(each: Output, personas: number): void {
  const { name, shape, data } = each;
  checkCount(shape[0] ?? 0, personas);
  const size = personas * widthOf(each);
  if (data.length !== size)
    throw new InvalidResponse(
      `the output "${sanitize(name)}" has ${data.length} values, its shape says ${size}`,
    );
}

/**
 * The output that has the predictions: the one that was asked for, else the only one, else the only one of the width of
 * the classes, or without classes of a single value for each row.
 *
 * @returns undefined if there are several outputs with a number for each row: they are several numbers, by name
 * @throws InvalidResponse
 */
function chooseOutput(
  outputs: readonly Output[],
  requested: string | undefined,
  named: readonly string[] | undefined,
): Output | undefined {
  const [first, ...others] = outputs;
  const asked = outputs.find(({ name }) => name === requested);
  if (asked !== undefined || others.length === 0) {
    const only = asked ?? first;
    if (only === undefined) throw new InvalidResponse('the response has no output');
    return only;
  }
  if (outputs.every(each => widthOf(each) === 1 && isNumeric(each))) return undefined;
  const wanted = outputs.filter(each =>
    named === undefined ? widthOf(each) === 1 : widthOf(each) === named.length && isNumeric(each),
  );
  const [chosen, ...rest] = wanted;
  if (chosen !== undefined && rest.length === 0) return chosen;
  throw new InvalidResponse(
    `the response has the outputs ${formatList(outputs.map(({ name }) => name))}, and nothing says which has the predictions`,
  );
}

const isNumeric = ({ datatype }: Output): boolean => /^(FP|BF|U?INT)\d+$/.test(datatype);

/** What the values of an output are, one for each row. No server checks that they are what their type says. */
function kindOf(chosen: Output): DescribedKind | undefined {
  if (isNumeric(chosen)) return 'number';
  return /^(BYTES|BOOL)$/.test(chosen.datatype) ? 'label' : undefined;
}

/** An object for each row, with a value of each output. */
const rowsOf = (outputs: readonly Output[]): Record<string, unknown>[] =>
  (outputs[0]?.data ?? []).map((_, row) =>
    Object.fromEntries(outputs.map(({ name, data }) => [name, data[row]])),
  );
